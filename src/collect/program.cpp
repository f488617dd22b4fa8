// SPDX-License-Identifier: Apache-2.0
#include "collect/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "collect/files.h"

namespace telltale {

namespace {

tl::unexpected<Error> Problem(const char* what) {
  return Fail(ErrorCode::kUnwritable,
              std::string(what) + ": " + std::generic_category().message(errno));
}

// Whether both lead to the same file, as with 2>&1: then one pipe keeps the order of what is
// printed to them.
bool IsSameFile(int a, int b) {
  struct stat first = {};
  struct stat second = {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino && !S_ISCHR(first.st_mode);
}

bool MakePipe(FileDescriptor& read_end, FileDescriptor& write_end) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read_end = FileDescriptor(ends[0]);
  write_end = FileDescriptor(ends[1]);
  return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

// As the user's terminal is: its keys, its size.
Result<void> MakeTerminal(int like, bool keeps_output_processing, ProgramStreams& streams) {
  FileDescriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> name = {};
  if (!master.valid() || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), name.data(), name.size()) != 0) {
    return Problem("cannot make a pseudo terminal");
  }
  FileDescriptor slave(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave.valid()) return Problem("cannot open a pseudo terminal");
  termios settings = {};
  if (::tcgetattr(like, &settings) == 0) {
    // What passes a terminal that still does it must not be done twice.
    if (!keeps_output_processing) settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    ::tcsetattr(slave.get(), TCSANOW, &settings);
  }
  CopyWindowSize(like, master.get());
  ::fcntl(master.get(), F_SETFL, O_NONBLOCK);
  streams.terminal = FileDescriptor(::fcntl(master.get(), F_DUPFD_CLOEXEC, 3));
  streams.outputs[0].from = std::move(master);
  streams.program_terminal = std::move(slave);
  return {};
}

// In the new process; does not return. `report` gets errno if the program could not be started.
[[noreturn]] void BecomeProgram(const std::string& path, const std::vector<std::string>& command,
                                Environment& environment, const ProgramStreams& streams,
                                const sigset_t& mask, int report) {
  const int terminal = streams.program_terminal.get();
  if (terminal >= 0) {
    ::setsid();
    ::ioctl(terminal, TIOCSCTTY, 0);
  } else {
    ::setpgid(0, 0);
  }
  const int input = streams.has_terminal_input ? terminal : STDIN_FILENO;
  const auto target = [&](const FileDescriptor& pipe) {
    return pipe.valid() ? pipe.get() : terminal;
  };
  const int output = target(streams.program_output);
  const int error = streams.program_error.valid()  ? streams.program_error.get()
                    : ::isatty(STDERR_FILENO) != 0 ? terminal
                                                   : output;
  if (input != STDIN_FILENO) ::dup2(input, STDIN_FILENO);
  if (output >= 0) ::dup2(output, STDOUT_FILENO);
  if (error >= 0) ::dup2(error, STDERR_FILENO);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::vector<char*> variables = environment.Pointers();
  ::execvpe(path.c_str(), arguments.data(), variables.data());
  const int problem = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &problem, sizeof problem);
  ::_exit(problem == ENOENT ? 127 : 126);
}

}  // namespace

void ProgramStreams::CloseProgramEnds() {
  program_terminal = {};
  program_output = {};
  program_error = {};
}

void ProgramStreams::LetGo(const ProgramState& state) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (state.has_left(i)) outputs[i].from = {};
  }
}

Result<ProgramStreams> MakeStreams() {
  ProgramStreams out;
  const bool input = ::isatty(STDIN_FILENO) != 0;
  const bool output = ::isatty(STDOUT_FILENO) != 0;
  const bool error = ::isatty(STDERR_FILENO) != 0;
  out.has_terminal_input = input;
  if (input || output || error) {
    out.outputs[0].to = output ? STDOUT_FILENO : error ? STDERR_FILENO : STDIN_FILENO;
    // Without output there, all that comes out is the echo of what is typed.
    out.outputs[0].is_logged = output || error;
    if (Result<void> made = MakeTerminal(out.outputs[0].to, input, out); !made) {
      return tl::unexpected(made.error());
    }
  }
  const bool joined = !output && !error && IsSameFile(STDOUT_FILENO, STDERR_FILENO);
  if (!output) {
    out.outputs[1].to = STDOUT_FILENO;
    if (!MakePipe(out.outputs[1].from, out.program_output)) return Problem("cannot make a pipe");
  }
  if (!error && !joined) {
    out.outputs[2].to = STDERR_FILENO;
    if (!MakePipe(out.outputs[2].from, out.program_error)) return Problem("cannot make a pipe");
  }
  return out;
}

ProgramStart StartProgram(const std::string& path, const std::vector<std::string>& command,
                          Environment& environment, const ProgramStreams& streams,
                          const sigset_t& mask) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {-1, errno};
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return {-1, errno};
  if (pid == 0) BecomeProgram(path, command, environment, streams, mask, write_end.get());
  write_end = {};
  if (!streams.program_terminal.valid()) ::setpgid(pid, pid);
  int problem = 0;
  ssize_t count = 0;
  do {
    count = ::read(read_end.get(), &problem, sizeof problem);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(sizeof problem)) return {pid, 0};
  ::waitpid(pid, nullptr, 0);
  return {-1, problem};
}

void RawTerminal::Enter(int file_descriptor) {
  if (is_raw_ || ::isatty(file_descriptor) == 0) return;
  if (::tcgetpgrp(file_descriptor) != ::getpgrp()) return;
  if (::tcgetattr(file_descriptor, &before_) != 0) return;
  raw_ = before_;
  ::cfmakeraw(&raw_);
  if (::tcsetattr(file_descriptor, TCSADRAIN, &raw_) != 0) return;
  file_descriptor_ = file_descriptor;
  is_raw_ = true;
}

void RawTerminal::Leave() {
  if (!is_raw_) return;
  is_raw_ = false;
  // The program may have ended while in the background.
  ::tcsetattr(file_descriptor_, TCSADRAIN, &before_);
}

void RawTerminal::LeaveForKilled() const {
  termios now = {};
  if (!is_raw_ || ::tcgetattr(file_descriptor_, &now) != 0) return;
  const bool is_as_we_left_it = now.c_iflag == raw_.c_iflag && now.c_oflag == raw_.c_oflag &&
                                now.c_cflag == raw_.c_cflag && now.c_lflag == raw_.c_lflag;
  if (is_as_we_left_it) ::tcsetattr(file_descriptor_, TCSADRAIN, &before_);
}

void CopyWindowSize(int from, int to) {
  winsize size = {};
  if (::ioctl(from, TIOCGWINSZ, &size) == 0) ::ioctl(to, TIOCSWINSZ, &size);
}

}  // namespace telltale
