// SPDX-License-Identifier: Apache-2.0
#include "collect/guard.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "collect/output_pump.h"
#include "collect/process_title.h"

namespace telltale {

namespace {

constexpr int kMostCollectors = 5;

class Guard {
 public:
  Guard(const RecordPlan& plan, ProgramStreams streams, FileDescriptor control, ProgramState& state,
        const sigset_t& mask)
      : plan_(plan),
        streams_(std::move(streams)),
        control_(std::move(control)),
        state_(state),
        mask_(mask) {}

  int Run();

 private:
  bool StartCollector();
  void Reap();

  const RecordPlan& plan_;
  ProgramStreams streams_;
  FileDescriptor
      control_;  // held for the next collector; the front sees its end when both are gone
  ProgramState& state_;
  const sigset_t& mask_;
  ProcessTitle title_;
  FileDescriptor children_;
  FileDescriptor program_end_;  // a pidfd, when nobody records any more
  pid_t collector_ = -1;
  int collectors_ = 0;
  std::optional<int> ended_;          // exit code of a collector that ended by itself
  std::unique_ptr<OutputPump> pump_;  // when nobody records any more
};

bool Guard::StartCollector() {
  if (++collectors_ > kMostCollectors) return false;
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    title_.Restore();
    children_ = {};
    ::setpgid(0, 0);
    Collector collector(plan_, std::move(streams_), std::move(control_), state_, mask_);
    ::_exit(collector.Run());
  }
  ::setpgid(pid, pid);
  collector_ = pid;
  streams_.CloseProgramEnds();
  return true;
}

void Guard::Reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == collector_) {
      collector_ = -1;
      if (WIFEXITED(status)) ended_ = WEXITSTATUS(status);
    } else if (pid == state_.pid()) {
      state_.SetEnded(status);
    }
  }
}

int Guard::Run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  children_ = FileDescriptor(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!children_.valid() || !StartCollector()) return 1;
  // Whoever kills all that is called telltale means the recording, and not the training.
  title_.Set("output-keeper");
  while (!ended_) {
    std::array<pollfd, 3> waits = {{{children_.get(), POLLIN, 0},
                                    {pump_ ? -1 : state_.notice(ProgramState::kGuard), POLLIN, 0},
                                    {program_end_.get(), POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return 1;
    signalfd_siginfo ignored = {};
    while (::read(children_.get(), &ignored, sizeof ignored) == sizeof ignored) {
    }
    if (state_.TakeNotice(ProgramState::kGuard) && !pump_) streams_.LetGo(state_);
    Reap();
    if (pump_ && (state_.status() || (waits[2].revents & POLLIN) != 0)) {
      pump_->Drain();
      pump_->Stop();
      return 1;
    }
    if (collector_ > 0 || ended_ || pump_) continue;
    // It was killed. Without a program there is nothing to go on with.
    if (state_.pid() == 0) return 1;
    if (StartCollector()) continue;
    // Nobody records any more; what is printed still has to go somewhere.
    pump_ = std::make_unique<OutputPump>(streams_, nullptr, [](size_t) { return false; });
    pump_->Start();
    // It may be the child of somebody else, or of nobody.
    program_end_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, state_.pid(), 0)));
  }
  return *ended_;
}

}  // namespace

void RunGuard(const RecordPlan& plan, ProgramStreams streams, FileDescriptor control,
              ProgramState& state, const sigset_t& mask) {
  ::_exit(Guard(plan, std::move(streams), std::move(control), state, mask).Run());
}

}  // namespace telltale
