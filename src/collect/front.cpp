// SPDX-License-Identifier: Apache-2.0
#include "collect/front.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collect/control.h"
#include "collect/files.h"
#include "collect/guard.h"
#include "collect/heir.h"
#include "collect/output_pump.h"
#include "collect/program.h"
#include "collect/program_state.h"

namespace telltale {

namespace {

// To the whole group of the program, as a terminal sends them.
constexpr std::array kOfTerminal = {SIGINT, SIGQUIT};
// To the program alone.
constexpr std::array kOfOthers = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int kMostGuards = 5;

class Front {
 public:
  Front(const RecordPlan& plan, ProgramStreams streams, ProgramState& state)
      : plan_(plan), streams_(std::move(streams)), state_(state) {}

  FrontResult Run();

 private:
  void BlockSignals();
  // False: there is none, and there will be none.
  bool StartGuard();
  void Take(const ControlMessage& message);
  void TakeSignal(const signalfd_siginfo& signal);
  void TakeInput();
  void SendInput();
  void ReapChildren();
  void GuardGone();
  void Forward(int signal);
  void Suspend();
  void Resume();
  bool SuspendsProgram(char key) const;

  const RecordPlan& plan_;
  ProgramStreams streams_;
  ProgramState& state_;
  sigset_t before_ = {};
  FileDescriptor signals_;
  FileDescriptor control_;
  FileDescriptor alive_;  // held for the heir to see, by the guard and the collector, too
  pid_t guard_ = -1;
  int guards_ = 0;
  pid_t program_ = -1;
  std::vector<int> early_;  // signals from before it was there
  std::string input_;       // typed, and not taken by the program yet
  bool input_ended_ = false;
  std::unique_ptr<OutputPump> pump_;  // when nobody records any more
  std::optional<FrontResult> result_;
};

int ExitCodeOfStatus(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Front::BlockSignals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : kOfTerminal) sigaddset(&blocked, signal);
  for (const int signal : kOfOthers) sigaddset(&blocked, signal);
  for (const int signal : {SIGCHLD, SIGWINCH, SIGTSTP, SIGCONT}) sigaddset(&blocked, signal);
  ::sigprocmask(SIG_BLOCK, &blocked, &before_);
  signals_ = FileDescriptor(::signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool Front::StartGuard() {
  if (++guards_ > kMostGuards) return false;
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  control_ = FileDescriptor(ends[0]);
  FileDescriptor theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    control_ = {};
    signals_ = {};
    streams_.terminal = {};
    // Whatever ends the group of the front spares the guard.
    ::setpgid(0, 0);
    RunGuard(plan_, std::move(streams_), std::move(theirs), state_, before_);
  }
  ::setpgid(pid, pid);
  guard_ = pid;
  streams_.CloseProgramEnds();
  return true;
}

FrontResult Front::Run() {
  BlockSignals();
  if (streams_.has_terminal_input) streams_.user_terminal.Enter(STDIN_FILENO);
  // Without an heir all is as before, but that one more may not be killed. It comes before we are
  // the parent of whoever loses his.
  alive_ = StartHeir(plan_, streams_, state_, before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!StartGuard()) {
    streams_.user_terminal.Leave();
    return {126, {}, fmt::format("cannot start: {}", std::generic_category().message(errno))};
  }
  while (!result_) {
    const bool takes_input =
        streams_.user_terminal.is_raw() && !input_ended_ && input_.size() < 4096;
    std::array<pollfd, 4> waits = {};
    waits[0] = {signals_.get(), POLLIN, 0};
    waits[1] = {control_.valid() ? control_.get() : -1, POLLIN, 0};
    waits[2] = {takes_input ? STDIN_FILENO : -1, POLLIN, 0};
    waits[3] = {input_.empty() ? -1 : streams_.terminal.get(), POLLOUT, 0};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
    signalfd_siginfo signal = {};
    while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) TakeSignal(signal);
    while (control_.valid()) {
      bool gone = false;
      const std::optional<ControlMessage> message = ReceiveControl(control_.get(), gone);
      if (message) Take(*message);
      if (gone) control_ = {};
      if (!message) break;
    }
    if (!control_.valid() && !result_) GuardGone();
    if ((waits[2].revents & (POLLIN | POLLHUP)) != 0) TakeInput();
    if (!input_.empty()) SendInput();
  }
  streams_.user_terminal.Leave();
  return result_.value_or(FrontResult{126, {}, "recording ended unexpectedly"});
}

void Front::Take(const ControlMessage& message) {
  switch (message.kind) {
    case ControlKind::kStarted:
      program_ = static_cast<pid_t>(message.value);
      for (const int signal : std::exchange(early_, {})) Forward(signal);
      break;
    case ControlKind::kNotStarted: {
      const int problem = static_cast<int>(message.value);
      result_ = {problem == ENOENT ? 127 : 126,
                 {},
                 fmt::format("cannot start {}: {}", plan_.command.front(),
                             std::generic_category().message(problem))};
      break;
    }
    case ControlKind::kOutputLeft:
      if (message.value >= 0 && message.value < 3) {
        streams_.outputs[static_cast<size_t>(message.value)].from = {};
      }
      break;
    case ControlKind::kStopped:
      break;
    case ControlKind::kEnded:
      result_ = {ExitCodeOfStatus(static_cast<int>(message.value)), message.text, {}};
      break;
    case ControlKind::kForwarded:
      break;
  }
}

void Front::Forward(int signal) {
  if (state_.status()) return;
  if (program_ <= 0) {
    early_.push_back(signal);
    return;
  }
  const bool is_of_terminal = std::ranges::find(kOfTerminal, signal) != kOfTerminal.end();
  ::kill(is_of_terminal || signal == SIGTSTP || signal == SIGCONT ? -program_ : program_, signal);
  if (control_.valid()) SendControl(control_.get(), ControlKind::kForwarded, signal);
}

void Front::TakeSignal(const signalfd_siginfo& signal) {
  const int number = static_cast<int>(signal.ssi_signo);
  switch (number) {
    case SIGCHLD:
      ReapChildren();
      break;
    case SIGWINCH:
      if (streams_.terminal.valid()) {
        CopyWindowSize(streams_.outputs[0].to, streams_.terminal.get());
      }
      break;
    case SIGTSTP:
      Suspend();
      break;
    case SIGCONT:
      Resume();
      break;
    default:
      Forward(number);
  }
}

// The program stops, then we do, so that the user's shell is back.
void Front::Suspend() {
  streams_.user_terminal.Leave();
  // A program that leads a session has nobody who would continue it, so the system ignores SIGTSTP
  // for it.
  if (program_ > 0) ::kill(-program_, streams_.terminal.valid() ? SIGSTOP : SIGTSTP);
  ::raise(SIGSTOP);
  Resume();
}

void Front::Resume() {
  if (streams_.has_terminal_input) streams_.user_terminal.Enter(STDIN_FILENO);
  if (streams_.terminal.valid()) CopyWindowSize(streams_.outputs[0].to, streams_.terminal.get());
  if (program_ > 0 && !state_.status()) ::kill(-program_, SIGCONT);
}

// Whether the key is Ctrl-Z for the program itself: not for a program that takes it as a key, nor
// for a job of a shell that runs inside.
bool Front::SuspendsProgram(char key) const {
  termios settings = {};
  pid_t group = 0;
  return ::tcgetattr(streams_.terminal.get(), &settings) == 0 && (settings.c_lflag & ISIG) != 0 &&
         settings.c_cc[VSUSP] == static_cast<cc_t>(key) && key != '\0' &&
         ::ioctl(streams_.terminal.get(), TIOCGPGRP, &group) == 0 && group == program_;
}

void Front::TakeInput() {
  std::array<char, 4096> keys;
  const ssize_t count = ::read(STDIN_FILENO, keys.data(), keys.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    input_ended_ = true;
    return;
  }
  for (const char key : std::string_view(keys.data(), static_cast<size_t>(count))) {
    if (SuspendsProgram(key)) {
      SendInput();
      Suspend();
    } else {
      input_ += key;
    }
  }
}

void Front::SendInput() {
  while (!input_.empty()) {
    const ssize_t count = ::write(streams_.terminal.get(), input_.data(), input_.size());
    if (count > 0) {
      input_.erase(0, static_cast<size_t>(count));
    } else if (errno != EINTR) {
      if (errno != EAGAIN) input_.clear();
      return;
    }
  }
}

void Front::ReapChildren() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == guard_) {
      guard_ = -1;
    } else if (pid == state_.pid()) {
      state_.SetEnded(status);
    }
  }
}

void Front::GuardGone() {
  if (state_.pid() <= 0) {
    result_ = {126, {}, "recording could not be started"};
    return;
  }
  program_ = state_.pid();
  // When the end of both can be seen, the program is our child, or died with them.
  if (guard_ > 0) ::waitpid(guard_, nullptr, 0);
  guard_ = -1;
  ReapChildren();
  if (!pump_) {
    if (StartGuard()) return;
    // Nobody records any more; what is printed still has to go somewhere.
    pump_ = std::make_unique<OutputPump>(streams_, nullptr, [](size_t) { return true; });
    pump_->Start();
  }
  if (!state_.status()) return;
  pump_->Drain();
  pump_->Stop();
  result_ = {ExitCodeOfStatus(*state_.status()), "recording ended before the program did", {}};
}

}  // namespace

FrontResult RunInFront(const RecordPlan& plan) {
  // A descriptor of ours must not become the program's standard stream.
  for (int number = 0; number < 3; ++number) {
    if (::fcntl(number, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
  Result<ProgramStreams> streams = MakeStreams();
  if (!streams) return {126, {}, streams.error().message};
  ProgramState* const state = ProgramState::Make();
  if (state == nullptr) {
    return {126, {}, fmt::format("cannot start: {}", std::generic_category().message(errno))};
  }
  return Front(plan, std::move(*streams), *state).Run();
}

}  // namespace telltale
