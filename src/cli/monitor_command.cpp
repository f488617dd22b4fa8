// SPDX-License-Identifier: Apache-2.0
// `telltale monitor`: the machine, live on a page, as lines, recorded into a folder, or around a
// command. One thread: it waits for the next sample, a key, a signal or the end of the command,
// whichever comes first.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/full_screen.h"
#include "cli/monitor_page.h"
#include "cli/monitor_request.h"
#include "cli/monitor_text.h"
#include "collect/monitor_recorder.h"
#include "io/file_gate.h"
#include "monitor/monitor.h"
#include "monitor/schedule.h"
#include "views/render/output.h"

namespace telltale {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int kExitNotExecutable = 126;
constexpr int kExitNotFound = 127;

int64_t WallNs() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

// Signals that come to the loop instead of interrupting it; the ones before return with it.
class LoopSignals {
 public:
  LoopSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCHLD}) {
      sigaddset(&set, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    descriptor_ = FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  LoopSignals(const LoopSignals&) = delete;
  LoopSignals& operator=(const LoopSignals&) = delete;
  ~LoopSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  // 0: none.
  [[nodiscard]] int Take() const {
    signalfd_siginfo info{};
    if (::read(descriptor_.get(), &info, sizeof(info)) != sizeof(info)) return 0;
    return static_cast<int>(info.ssi_signo);
  }
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
  FileDescriptor descriptor_;
};

// 0, or errno.
int Start(const std::vector<std::string>& command, const sigset_t& mask, pid_t& pid) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  const int error = ::posix_spawnp(&pid, words[0], nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// The loop with all it holds.
class MonitorLoop {
 public:
  MonitorLoop(const MonitorRequest& request, LoopSignals& signals, pid_t child,
              std::unique_ptr<MonitorRecorder> recorder, MonitorOptions options)
      : request_(request),
        signals_(signals),
        child_(child),
        start_ns_(options.start_ns),
        monitor_(std::move(options)),
        schedule_(start_ns_, request.interval_ns),
        recorder_(std::move(recorder)),
        output_(STDOUT_FILENO) {
    const TerminalFacts facts = FactsAbout(STDOUT_FILENO);
    style_ = ChooseStyle(request.style, facts);
    const bool says_nothing = child_ > 0 || recorder_ != nullptr;
    if (facts.is_terminal && ::isatty(STDIN_FILENO) == 1 && !request.json && !says_nothing) {
      screen_.emplace(STDIN_FILENO, STDOUT_FILENO);
    }
    prints_samples_ = !screen_ && (request.json || !says_nothing);
    if (child_ > 0) prints_samples_ = false;  // standard output is the command's
    page_.interval = fmt::format("{:g} s", static_cast<double>(request.interval_ns) * 1e-9);
    utsname system{};
    if (::uname(&system) == 0) page_.host = system.nodename;
    page_.devices = monitor_.devices();
  }

  int Run() {
    Remark();
    if (screen_) Draw();
    while (!is_done_) {
      Wait();
      while (const int signal = signals_.Take()) OnSignal(signal);
      if (screen_ && !is_done_) OnKeys();
      if (!is_done_ && schedule_.Take(MonitorClockNs())) Sample();
    }
    screen_.reset();
    return Finish();
  }

 private:
  [[nodiscard]] bool NeedsRemarks() const { return !request_.quiet; }

  // What is said once, before the first sample.
  void Remark() {
    if (!NeedsRemarks() || screen_ || child_ > 0 || request_.json) return;
    if (recorder_ != nullptr) {
      PrintRemark(fmt::format("recording into {} every {}; Ctrl-C ends it", recorder_->event_file(),
                              page_.interval));
    }
    for (const std::string& sentence : monitor_.lacking()) PrintRemark(sentence);
    said_lacking_ = monitor_.lacking().size();
  }

  static void PrintRemark(std::string_view sentence) { PrintError(sentence); }

  void Wait() {
    const int64_t left = std::max<int64_t>(0, schedule_.next_ns() - MonitorClockNs());
    const timespec timeout{left / kSecond, left % kSecond};
    std::array<pollfd, 2> files = {pollfd{signals_.descriptor(), POLLIN, 0},
                                   pollfd{screen_ ? STDIN_FILENO : -1, POLLIN, 0}};
    (void)::ppoll(files.data(), files.size(), &timeout, nullptr);
    has_key_ = files[1].revents != 0;
  }

  void OnSignal(int signal) {
    switch (signal) {
      case SIGCHLD:
        LookAfterChild();
        return;
      case SIGWINCH:
        Draw();
        return;
      case SIGTSTP:
        if (screen_) screen_->Leave();
        (void)::raise(SIGSTOP);
        if (screen_) screen_->Enter();
        Draw();
        return;
      case SIGINT:
      case SIGQUIT:
        if (child_ > 0) return;  // the terminal sent it to the command, too, which decides
        is_done_ = true;
        return;
      default:
        if (child_ > 0) {
          (void)::kill(child_, signal);
          return;
        }
        ended_by_ = signal;
        is_done_ = true;
    }
  }

  void OnKeys() {
    if (!has_key_) return;
    const std::optional<char> key = screen_->Key();
    if (!key) return;
    if (*key == 'q' || *key == 'Q' || *key == '\x04') is_done_ = true;
    if (*key == ' ') page_.is_paused = !page_.is_paused;
    if (*key == '1') page_.shows_cores = !page_.shows_cores;
    if (!is_done_) Draw();
  }

  // While the command is a zombie its times are still there for a last sample.
  void LookAfterChild() {
    if (child_ <= 0) return;
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
      return;
    }
    Sample();
    int status = 0;
    rusage usage{};
    (void)::wait4(child_, &status, 0, &usage);
    CommandEnd end;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
    end.wall_ns = MonitorClockNs() - start_ns_;
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      end.processor_ns += int64_t{time.tv_sec} * kSecond + int64_t{time.tv_usec} * 1000;
    }
    end.largest_bytes = int64_t{usage.ru_maxrss} * 1024;
    end_ = end;
    is_done_ = true;
  }

  void Sample() {
    const int64_t wall_ns = WallNs();
    const std::span<const MonitorReading> readings = monitor_.Sample(MonitorClockNs());
    if (recorder_ != nullptr) {
      recorder_->Add(monitor_, readings, wall_ns);
    } else {
      summary_.Add(monitor_, readings);
    }
    ++samples_;
    if (prints_samples_) {
      output_.Write(request_.json ? SampleJson(monitor_, readings, wall_ns, samples_ == 1)
                                  : SampleLine(monitor_, readings, wall_ns, style_.unicode) + "\n");
      output_.Flush();
      if (!output_.wanted()) is_done_ = true;
    }
    if (screen_) {
      past_.Add(monitor_, readings);
      sampled_ = FormatUtc(wall_ns);
      if (!page_.is_paused) Draw();
    } else if (NeedsRemarks() && child_ <= 0 && !request_.json) {
      for (; said_lacking_ < monitor_.lacking().size(); ++said_lacking_) {
        PrintRemark(monitor_.lacking()[said_lacking_]);
      }
    }
    if (request_.count > 0 && samples_ >= request_.count) is_done_ = true;
    // A process that was watched is gone.
    if (request_.pid != 0 && monitor_.pids().empty()) is_done_ = true;
  }

  void Draw() {
    if (!screen_) return;
    const FullScreen::Size size = screen_->size();
    OutputStyle style = style_;
    // What clears the rest of a line would take the last column with it.
    style.width = std::max<size_t>(1, size.columns - 1);
    if (!page_.is_paused) {
      page_.time = sampled_;
      shown_ = past_;
    }
    page_.lacking = monitor_.lacking();
    if (!screen_->Draw(MonitorPage(shown_, page_, style, size.lines))) is_done_ = true;
  }

  int Finish() {
    const UsageSummary& summary = recorder_ != nullptr ? recorder_->summary() : summary_;
    if (child_ > 0 && !request_.quiet) {
      const OutputStyle style = ChooseStyle(request_.style, FactsAbout(STDERR_FILENO));
      const CommandEnd* end = end_ ? &*end_ : nullptr;
      DescriptorOutput error(STDERR_FILENO);
      error.Write(request_.json ? UsageJson(summary, end) : UsageText(summary, end, style));
    }
    int code = Finish(output_);
    if (recorder_ != nullptr) {
      recorder_->WriteTable();
      if (!recorder_->problem().empty()) {
        PrintError(recorder_->problem());
        code = kExitCheckFailed;
      } else if (NeedsRemarks() && child_ <= 0) {
        PrintRemark(fmt::format("{} sample{}; mean and maximum: {}/monitor/resource_usage.csv",
                                samples_, samples_ == 1 ? "" : "s", request_.into));
      }
    }
    if (end_) return end_->exit_code;
    return code != kExitFine ? code : ended_by_ != 0 ? 128 + ended_by_ : kExitFine;
  }
  static int Finish(DescriptorOutput& output) { return telltale::Finish(output); }

  const MonitorRequest& request_;
  LoopSignals& signals_;
  pid_t child_;  // 0: none
  int64_t start_ns_;
  Monitor monitor_;
  SampleSchedule schedule_;
  std::unique_ptr<MonitorRecorder> recorder_;  // null: nothing is recorded
  UsageSummary summary_;
  DescriptorOutput output_;
  OutputStyle style_;
  std::optional<FullScreen> screen_;
  MonitorPageState page_;
  MonitorPast past_;
  MonitorPast shown_;  // of the moment when the page was held
  std::string sampled_;
  std::optional<CommandEnd> end_;
  bool prints_samples_ = false;
  bool has_key_ = false;
  bool is_done_ = false;
  int ended_by_ = 0;
  int64_t samples_ = 0;
  size_t said_lacking_ = 0;
};

bool IsThere(int pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }

int NotStarted(const std::string& command, int error) {
  PrintError(fmt::format("cannot start {}: {}{}", QuotedWord(command),
                         std::generic_category().message(error),
                         error == ENOENT ? "; is it spelt right, and in PATH?" : ""));
  return error == ENOENT || error == ENOTDIR ? kExitNotFound : kExitNotExecutable;
}

}  // namespace

int RunMonitor(const Arguments& arguments) {
  const Result<MonitorRequest> request = MakeMonitorRequest(arguments);
  if (!request) return WrongUsage("monitor", request.error());
  if (request->pid != 0 && !IsThere(request->pid)) {
    PrintError(fmt::format("there is no process {}", request->pid));
    return kExitUnreadable;
  }
  std::unique_ptr<MonitorRecorder> recorder;
  if (!request->into.empty()) {
    auto created = MonitorRecorder::Create(request->into + "/monitor", WallNs());
    if (!created) {
      PrintError(created.error());
      return ExitCodeOf(created.error().code);
    }
    recorder = std::move(*created);
  }
  LoopSignals signals;
  pid_t child = 0;
  MonitorOptions options;
  options.start_ns = MonitorClockNs();
  options.folder = request->into;
  if (!request->command.empty()) {
    const int error = Start(request->command, signals.before(), child);
    if (error != 0) return NotStarted(request->command.front(), error);
  }
  options.root_pid = child > 0 ? child : request->pid;
  MonitorLoop loop(*request, signals, child, std::move(recorder), std::move(options));
  return loop.Run();
}

}  // namespace telltale
