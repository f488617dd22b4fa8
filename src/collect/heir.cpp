// SPDX-License-Identifier: Apache-2.0
#include "collect/heir.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "collect/guard.h"
#include "collect/process_title.h"

namespace telltale {

namespace {

// Returns when all who hold the other end of `others` are gone.
void WaitForEnd(const FileDescriptor& others, ProgramStreams& streams, ProgramState& state) {
  for (;;) {
    std::array<pollfd, 2> waits = {
        {{others.get(), POLLIN, 0}, {state.notice(ProgramState::kHeir), POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    if (state.TakeNotice(ProgramState::kHeir)) streams.LetGo(state);
    if ((waits[0].revents & POLLHUP) != 0) return;
  }
}

[[noreturn]] void RunHeir(const RecordPlan& plan, ProgramStreams streams, FileDescriptor others,
                          ProgramState& state, const sigset_t& mask) {
  streams.terminal = {};
  streams.CloseProgramEnds();
  ProcessTitle title;
  title.Set("output-keeper");
  WaitForEnd(others, streams, state);
  if (state.pid() == 0 || state.is_written()) ::_exit(0);
  title.Restore();
  streams.user_terminal.LeaveForKilled();
  others = {};
  RunGuard(plan, std::move(streams), {}, state, mask);
}

}  // namespace

FileDescriptor StartHeir(const RecordPlan& plan, ProgramStreams& streams, ProgramState& state,
                         const sigset_t& mask) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  FileDescriptor theirs(ends[0]);
  FileDescriptor ours(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) {
    // Neither the end of a terminal nor of a group of processes reaches it.
    ::setsid();
    if (const pid_t heir = ::fork(); heir != 0) ::_exit(heir < 0 ? 1 : 0);
    ours = {};
    RunHeir(plan, std::move(streams), std::move(theirs), state, mask);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return {};
  return ours;
}

}  // namespace telltale
