// SPDX-License-Identifier: Apache-2.0
#include "collect/collector.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "collect/clock.h"
#include "collect/control.h"
#include "collect/leftovers.h"

namespace telltale {

namespace {

constexpr int64_t kTickNs = 150'000'000;
constexpr size_t kMostScriptBytes = size_t{1} << 20;
constexpr size_t kMostDiffBytes = size_t{1} << 20;
constexpr int64_t kGitPatienceNs = 30'000'000'000;
// At the end of a run nobody waits long for git.
constexpr int64_t kGitAtEndNs = 3'000'000'000;
// For whoever is to tell how an adopted program ended.
constexpr int64_t kParentPatienceNs = 2'000'000'000;
constexpr int64_t kLookAgainNs = 5'000'000;

}  // namespace

// Shared with the thread, which may outlive the wait for it.
struct GitTask {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  GitAnswer answer;
};

Collector::Collector(const RecordPlan& plan, ProgramStreams streams, FileDescriptor control,
                     ProgramState& state, const sigset_t& mask)
    : plan_(plan),
      streams_(std::move(streams)),
      control_(std::move(control)),
      state_(state),
      mask_(mask),
      user_terminal_(streams_.user_terminal),
      terminal_is_raw_(streams_.has_terminal_input),
      trouble_([this](std::string_view sentence) { Say(sentence); }),
      log_(plan_.folder.Log(), trouble_) {}

Collector::~Collector() {
  if (git_thread_.joinable()) git_thread_.join();
  if (leftovers_thread_.joinable()) leftovers_thread_.join();
}

void Collector::Say(std::string_view sentence) const {
  const std::string line =
      fmt::format("telltale: {}{}", sentence, terminal_is_raw_ ? "\r\n" : "\n");
  (void)WriteAll(STDERR_FILENO, line);
}

int Collector::Run() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  children_ = FileDescriptor(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  lock_ = RunLock::Take(plan_.folder, true);
  announcements_ = std::make_unique<Announcements>(plan_.folder.Live());
  keeper_ = std::make_unique<RunKeeper>(plan_.folder, plan_.record, trouble_);
  const pid_t adopted = state_.pid();
  if (adopted > 0) {
    Adopt(adopted);
  } else if (!Start()) {
    return 1;
  }
  // Whoever reads what we print, or the terminal, may be gone before us.
  for (const int signal : {SIGPIPE, SIGHUP, SIGTTOU, SIGTTIN}) ::signal(signal, SIG_IGN);

  GrowingFile* const log = plan_.keeps_logs ? &log_ : nullptr;
  pump_ = std::make_unique<OutputPump>(streams_, log, [this](size_t index) {
    // Without the front nobody meant to stop the program.
    if (!SendControl(control_.get(), ControlKind::kOutputLeft, static_cast<int64_t>(index))) {
      return false;
    }
    state_.LeaveOutput(index);
    return true;
  });
  pump_->Start();
  keeper_->Write(false);
  if (plan_.samples_machine && !state_.status()) {
    sampler_ = std::make_unique<MachineSampler>(plan_.folder, trouble_);
    sampler_->Start(program_, plan_.interval_ns);
  }
  if (plan_.sample_period_ns > 0 && !ended_) {
    stacks_ = std::make_unique<StackSampler>(plan_.folder.path, trouble_);
    stacks_->Start(program_, plan_.sample_period_ns);
  }
  if (adopted <= 0) CopyScript();
  if (plan_.asks_git) BeginGit();
  // What an earlier run in this root left, and never this one, which is locked.
  leftovers_thread_ =
      std::thread([this, root = std::filesystem::path(plan_.folder.path).parent_path().string()] {
        for (const Leftover& leftover : BringInLeftovers(std::vector<std::string>{root})) {
          Say(Describe(leftover));
        }
      });
  Loop();
  Finish();
  Linger();
  state_.SetWritten();
  return 0;
}

bool Collector::Start() {
  keeper_->record().start_ns = WallNow();
  const ProgramStart started =
      StartProgram(plan_.program, plan_.command, plan_.environment, streams_, mask_);
  streams_.CloseProgramEnds();
  if (started.pid < 0) {
    keeper_->record().status = RunStatus::kFailed;
    keeper_->record().end_ns = WallNow();
    keeper_->record().exit_code = started.problem == ENOENT ? 127 : 126;
    keeper_->record().remarks.push_back(fmt::format(
        "the program could not be started: {}", std::generic_category().message(started.problem)));
    keeper_->Write(true);
    keeper_->RemoveLive();
    SendControl(control_.get(), ControlKind::kNotStarted, started.problem);
    return false;
  }
  program_ = started.pid;
  state_.SetStarted(program_);
  SendControl(control_.get(), ControlKind::kStarted, program_);
  keeper_->record().pid = program_;
  keeper_->record().ranks = {{0, 0, keeper_->record().host, program_, RunStatus::kRunning, {}, {}}};
  return true;
}

void Collector::Adopt(pid_t program) {
  program_ = program;
  is_parent_ = false;
  program_end_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, program, 0)));
  if (Result<RunRecord> record = ReadRunRecord(plan_.folder)) {
    keeper_ = std::make_unique<RunKeeper>(plan_.folder, std::move(*record), trouble_);
  }
  // The one before may have been killed before it said so.
  SendControl(control_.get(), ControlKind::kStarted, program_);
  keeper_->record().pid = program;
  keeper_->record().remarks.emplace_back("the collector was killed, and another one went on");
}

void Collector::CopyScript() {
  if (plan_.script.empty()) return;
  Result<std::string> text = ReadFile(plan_.script, kMostScriptBytes);
  if (!text) return;
  keeper_->record().script = "source/" + std::filesystem::path(plan_.script).filename().string();
  ::mkdir((plan_.folder.path + "/source").c_str(), 0755);
  if (!WriteWhole(plan_.folder.path + "/" + keeper_->record().script, *text, false))
    keeper_->record().script.clear();
}

void Collector::BeginGit() {
  git_ = std::make_shared<GitTask>();
  git_thread_ = std::thread([task = git_, folder = keeper_->record().cwd] {
    GitAnswer answer = AskGit(folder, kMostDiffBytes, kGitPatienceNs);
    const std::scoped_lock lock(task->mutex);
    task->answer = std::move(answer);
    task->done = true;
    task->changed.notify_all();
  });
}

void Collector::EndGit(int64_t patience_ns) {
  if (!git_) return;
  std::unique_lock lock(git_->mutex);
  if (!git_->changed.wait_for(lock, std::chrono::nanoseconds(patience_ns),
                              [this] { return git_->done; })) {
    return;
  }
  keeper_->record().git = git_->answer.facts;
  if (git_->answer.diff_too_large) {
    keeper_->record().remarks.emplace_back(
        "the changes that are not committed are too many to be kept");
  }
  const std::string diff = std::move(git_->answer.diff);
  lock.unlock();
  git_.reset();
  if (diff.empty()) return;
  ::mkdir((plan_.folder.path + "/source").c_str(), 0755);
  if (const Result<void> written =
          WriteWhole(plan_.folder.path + "/source/uncommitted.diff", diff, false);
      !written) {
    trouble_.Tell("diff", written.error().message);
  }
}

void Collector::Loop() {
  int64_t next_ns = SteadyNow() + kTickNs;
  while (!ended_) {
    int64_t left_ns = std::max<int64_t>(0, next_ns - SteadyNow());
    if (gone_ns_ != 0) left_ns = std::min(left_ns, kLookAgainNs);
    std::array<pollfd, 4> waits = {};
    waits[0] = {children_.get(), POLLIN, 0};
    waits[1] = {control_.valid() ? control_.get() : -1, POLLIN, 0};
    waits[2] = {gone_ns_ != 0 ? -1 : program_end_.get(), POLLIN, 0};
    waits[3] = {announcements_->file_descriptor(), POLLIN, 0};
    ::poll(waits.data(), waits.size(), static_cast<int>(left_ns / 1'000'000) + 1);
    TakeControl();
    const bool has_notice = announcements_->Take();
    LookAfterProgram();
    if (SteadyNow() < next_ns && !has_notice) continue;
    Tick();
    next_ns = std::max(next_ns + kTickNs, SteadyNow());
  }
}

void Collector::TakeControl() {
  while (control_.valid()) {
    bool gone = false;
    const std::optional<ControlMessage> message = ReceiveControl(control_.get(), gone);
    if (gone) {
      control_ = {};
      user_terminal_.LeaveForKilled();
      terminal_is_raw_ = false;
    }
    if (!message) return;
    if (message->kind == ControlKind::kForwarded) {
      forwarded_.push_back(static_cast<int>(message->value));
    }
  }
}

void Collector::LookAfterProgram() {
  signalfd_siginfo ignored = {};
  while (::read(children_.get(), &ignored, sizeof ignored) == sizeof ignored) {
  }
  if (ended_) return;
  int status = 0;
  if (is_parent_ && ::waitpid(program_, &status, WNOHANG) == program_) state_.SetEnded(status);
  status_ = state_.status();
  ended_ = status_.has_value();
  if (is_parent_ || ended_) return;
  // Its parent is the guard or the front, who tell how it ended; unless they are gone, too.
  pollfd wait = {program_end_.get(), POLLIN, 0};
  const bool is_gone =
      program_end_.valid() ? ::poll(&wait, 1, 0) > 0 : ::kill(program_, 0) != 0 && errno == ESRCH;
  if (!is_gone) return;
  if (gone_ns_ == 0) gone_ns_ = SteadyNow();
  ended_ = SteadyNow() - gone_ns_ > kParentPatienceNs;
}

void Collector::Tick() {
  const size_t regions = keeper_->intake().processes().size();
  keeper_->Drain();
  if (keeper_->intake().processes().size() != regions) {
    if (sampler_) sampler_->LookForChildren();
    keeper_->UpdateRanks(false);
    keeper_->Write(false);
  }
  if (git_) {
    const std::optional<GitFacts> before = keeper_->record().git;
    EndGit(0);
    if (!git_ && keeper_->record().git && !before) keeper_->Write(false);
  }
}

RunStatus Collector::StatusAtEnd() const {
  const int status = *status_;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code == 0) return RunStatus::kCompleted;
  // Ctrl-C, however the program reports it; other signals where they came through us.
  if (code == 128 + SIGINT) return RunStatus::kCanceled;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (code == 128 + signal && std::ranges::find(forwarded_, signal) != forwarded_.end()) {
      return RunStatus::kCanceled;
    }
  }
  return RunStatus::kFailed;
}

void Collector::Finish() {
  keeper_->record().end_ns = WallNow();
  pump_->Drain();
  if (sampler_) {
    sampler_->Stop();
    for (const std::string& lack : sampler_->lacking()) {
      keeper_->record().remarks.push_back("monitor: " + lack);
    }
  }
  if (stacks_) {
    stacks_->Stop();
    for (const std::string& lack : stacks_->lacking()) {
      keeper_->record().remarks.push_back("sample: " + lack);
    }
  }
  keeper_->Drain();
  EndGit(kGitAtEndNs);
  if (status_) {
    keeper_->record().status = StatusAtEnd();
  } else {
    keeper_->JudgeEnd();
  }
  if (status_ && WIFSIGNALED(*status_)) {
    keeper_->record().signal = WTERMSIG(*status_);
  } else if (status_) {
    keeper_->record().exit_code = WEXITSTATUS(*status_);
  }
  if (const uint64_t spans = keeper_->intake().left_out_spans(); spans > 0) {
    keeper_->record().remarks.push_back(
        fmt::format("{} spans were recorded but not kept: their file could not be written, or has "
                    "the size that is kept of a process (TELLTALE_SPANS_MIB)",
                    spans));
  }
  const RunRecord& record = keeper_->record();
  const auto says_python = [](const auto& version) { return version.first == "python"; };
  if (std::ranges::find(record.recorded, "python") != record.recorded.end() &&
      std::ranges::none_of(record.versions, says_python)) {
    keeper_->record().remarks.emplace_back(
        "nothing was heard from inside the program: it is not Python, or a Python that takes no "
        "PYTHONPATH (-I, -E, -S); steps, configuration and curves are only what it records by "
        "itself");
  }
  keeper_->UpdateRanks(true);
  for (RankRecord& rank : keeper_->record().ranks) {
    if (rank.pid != program_) continue;
    rank.status = keeper_->record().status;
    rank.exit_code = keeper_->record().exit_code;
    rank.signal = keeper_->record().signal;
  }
  keeper_->Write(true);
  if (!keeper_->intake().is_anyone_alive()) keeper_->RemoveLive();
  if (control_.valid()) {
    SendControl(control_.get(), ControlKind::kEnded, status_.value_or(0), LineForUser());
  }
}

std::string Collector::LineForUser() const {
  std::string out =
      fmt::format("{} in {}", NameOf(keeper_->record().status.value_or(RunStatus::kRunning)),
                  FormatDuration(*keeper_->record().end_ns - keeper_->record().start_ns));
  if (keeper_->record().signal) out += fmt::format(", by signal {}", *keeper_->record().signal);
  if (keeper_->record().exit_code.value_or(0) != 0)
    out += fmt::format(", exit code {}", *keeper_->record().exit_code);
  if (keeper_->record().steps.value_or(0) > 0) {
    out += fmt::format(", {} step{}", *keeper_->record().steps,
                       *keeper_->record().steps == 1 ? "" : "s");
  }
  return out;
}

// Processes that the program left behind may go on to print and to record.
void Collector::Linger() {
  while (!pump_->at_end() || keeper_->intake().is_anyone_alive()) {
    announcements_->Wait(static_cast<int>(kTickNs / 1'000'000));
    if (keeper_->Drain() > 0) keeper_->Write(false);
  }
  keeper_->RemoveLive();
  // The front has its answer by now; nobody waits for git, which the end of this process cuts off.
  leftovers_thread_.join();
}

}  // namespace telltale
