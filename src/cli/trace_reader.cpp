// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <new>
#include <system_error>
#include <utility>

#include "base/json_writer.h"
#include "cli/operators_report.h"
#include "collect/files.h"
#include "runs/trace_name.h"

namespace telltale {

namespace {

namespace fs = std::filesystem;

constexpr int kLookEveryMs = 1000;
// After the end of the program; a trace of some hundred megabytes is read in this time.
constexpr std::chrono::milliseconds kPatience(3000);
constexpr int kLowPriority = 19;

using Files = std::map<std::string, std::pair<uintmax_t, fs::file_time_type>>;

Files TracesIn(const std::string& folder) {
  Files out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const TraceName parsed = ParseTraceName(name);
    if (name.starts_with('.') || !(parsed.is_json || parsed.is_perfetto)) continue;
    std::error_code gone;
    const uintmax_t size = at->file_size(gone);
    const fs::file_time_type time = at->last_write_time(gone);
    if (!gone) out[name] = {size, time};
  }
  return out;
}

// In the process of its own.
class Watch {
 public:
  Watch(std::string folder, const JsonValue& settings, int parent)
      : folder_(std::move(folder)), settings_(settings), parent_(parent) {}

  void Run() {
    Files before;
    for (bool ended = false; !ended;) {
      ended = Ended();
      const Files now = TracesIn(folder_);
      // While the program runs, only what did not change since the last look: other ranks are
      // still writing theirs.
      if (now != read_ && (ended || now == before)) Read(now);
      before = now;
    }
    JsonWriter json;
    json.BeginObject();
    json.Field("answer", answer_);
    json.Field("problem", problem_);
    json.EndObject();
    const std::string text = json.Take();
    // The front may have gone by now.
    (void)::send(parent_, text.data(), text.size(), MSG_NOSIGNAL);
  }

 private:
  [[nodiscard]] bool Ended() const {
    pollfd wait = {parent_, POLLIN, 0};
    const int count = ::poll(&wait, 1, kLookEveryMs);
    return count > 0 || (count < 0 && errno != EINTR);
  }

  void Read(const Files& now) {
    read_ = now;
    if (now.empty()) return;
    answer_.clear();
    problem_.clear();
    try {
      const Result<OperatorsReport> report = ReportOperators(folder_, settings_);
      if (!report) {
        problem_ = report.error().message;
        return;
      }
      answer_ = report->answer;
      const Result<void> written = WriteWhole(folder_ + "/operators.txt", report->table, false);
      if (!written) problem_ = written.error().message;
    } catch (const std::bad_alloc&) {
      problem_ = "there is not enough memory to read the traces";
    }
  }

  std::string folder_;
  const JsonValue& settings_;
  int parent_;
  Files read_;
  std::string answer_, problem_;
};

// Nothing of the program's terminal, streams and signals.
void StandApart() {
  ::setsid();
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  ::setpriority(PRIO_PROCESS, 0, kLowPriority);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; nothing >= 0 && stream < 3; ++stream) ::dup2(nothing, stream);
}

}  // namespace

TraceReader::TraceReader(std::string folder, const JsonValue& settings) {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  ours_ = FileDescriptor(ends[0]);
  FileDescriptor theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) {
    ours_ = {};
    return;
  }
  if (pid > 0) return;
  ours_ = {};
  StandApart();
  Watch(std::move(folder), settings, theirs.get()).Run();
  ::_exit(0);
}

TraceReader::~TraceReader() = default;

TraceReader::Outcome TraceReader::End() {
  Outcome out;
  if (!ours_.valid() || ::shutdown(ours_.get(), SHUT_WR) != 0) return out;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::string text(size_t{1} << 16, '\0');
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    pollfd wait = {ours_.get(), POLLIN, 0};
    if (left.count() <= 0) return out;
    const int count = ::poll(&wait, 1, static_cast<int>(left.count()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    break;
  }
  const ssize_t length = ::recv(ours_.get(), text.data(), text.size(), 0);
  if (length <= 0) return out;
  text.resize(static_cast<size_t>(length));
  const Result<JsonValue> said = ParseJson(text);
  if (!said) return out;
  out.is_done = true;
  out.answer = (*said)["answer"].AsString();
  out.problem = (*said)["problem"].AsString();
  return out;
}

}  // namespace telltale
