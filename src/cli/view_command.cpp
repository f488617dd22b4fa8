// SPDX-License-Identifier: Apache-2.0
// `telltale view PATH…`: serves the page and the API until it is told to stop.
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "cli/access_log.h"
#include "cli/commands.h"
#include "cli/leftover_notice.h"
#include "cli/view_request.h"
#include "formats/registry.h"
#include "io/given_files.h"
#include "runs/catalogue.h"
#include "runs/root.h"
#include "runs/workspace.h"
#include "server/api.h"
#include "server/assets.h"
#include "server/event_stream.h"
#include "server/http_server.h"
#include "server/profile_threads.h"
#include "server/residency.h"
#include "server/run_routes.h"
#include "server/run_teller.h"
#include "server/run_watch.h"
#include "server/tensorboard/data_api.h"
#include "views/render/display.h"
#include "views/render/output.h"

namespace telltale {

namespace {

// As many ports as people have TensorBoards open, and then some.
constexpr uint16_t kFurtherPorts = 64;
// What runs when Ctrl-C comes is finished if it does not take longer; nothing is lost if it is not.
constexpr std::chrono::seconds kPatience{3};
// A look at the folders that takes longer goes on while people see the page already.
constexpr std::chrono::milliseconds kQuickLook{500};

// Analyses keep cores busy for seconds: enough workers that a small request finds one.
constexpr LaneLimits kShortLane = {16, 4096};
// A query keeps a core busy for ten seconds, and more memory than any other request.
constexpr LaneLimits kQueryLane = {3, 32};
// All rows there are take memory as they please.
constexpr LaneLimits kWholeLane = {2, 32};
static_assert(kLaneCount == 3);
// One that moves bytes, one that answers, one that looks and one that loads.
constexpr unsigned kLeastThreads = 4;

constexpr std::string_view kApi = "/api/";
constexpr std::string_view kEvents = "/api/v1/changes";

Result<std::vector<Root>> MakeRoots(const std::vector<ViewPath>& paths) {
  std::vector<Root> roots;
  for (const ViewPath& path : paths) {
    Result<Root> root =
        path.awaited ? AwaitRoot(path.name, path.path) : MakeRoot(path.name, path.path);
    if (!root) return tl::unexpected<Error>(root.error());
    roots.push_back(std::move(*root));
  }
  return roots;
}

// Waits for Ctrl-C or SIGTERM. Made before any thread is: threads inherit what is blocked, so the
// signals come here. What was ignored from the start (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM}) {
      struct sigaction now = {};
      ::sigaction(signal, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&set_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() { Release(); }

  void Wait() const {
    int signal = 0;
    while (::sigwait(&set_, &signal) != 0) {
    }
  }
  // Whether one came in that time.
  [[nodiscard]] bool WaitFor(std::chrono::nanoseconds time) const {
    const struct timespec wait = {time.count() / 1'000'000'000, time.count() % 1'000'000'000};
    return ::sigtimedwait(&set_, nullptr, &wait) > 0;
  }
  // From now on the usual handlers: a second Ctrl-C ends the program at once.
  void Release() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

// A connection is a descriptor, and many systems allow a program only 1024 unless it asks.
void RaiseDescriptorLimit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

size_t ConnectionLimit() {
  constexpr rlim_t kForFiles = 128;
  struct rlimit limit = {};
  const size_t most = HttpLimits().connections;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= most + kForFiles) return most;
  return std::max<size_t>(limit.rlim_cur, 2 * kForFiles) - kForFiles;
}

// The browser must outlive us and must not write between our lines.
int OpenBrowser(const std::string& url, const sigset_t& signals) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  std::string program = "xdg-open";
  std::string argument = url;
  char* words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &files, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

std::string UrlOf(const ViewRequest& request, const HttpServer& server, bool with_token) {
  std::string host = request.host;
  if (host.empty()) {
    char name[256] = {};
    host = ::gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0' ? name : "localhost";
  } else if (!server.beyond_loopback() && host == "127.0.0.1") {
    host = "localhost";
  } else if (host.find(':') != std::string::npos) {
    host = "[" + host + "]";
  }
  std::string url =
      fmt::format("{}://{}:{}{}/", request.certificate_file.empty() ? "http" : "https", host,
                  server.port(), request.path_prefix);
  if (with_token) url += "?token=" + server.token();
  return url;
}

int Complain(const Error& error) {
  PrintError(fmt::format(
      "{}{}", Printable(error.message, true),
      error.code == ErrorCode::kUsage ? "\n'telltale view --help' explains the options" : ""));
  return ExitCodeOf(error.code);
}

// `skipped`: what was seen and not opened, links that lead out of the folder among it.
Error NothingFound(const ViewRequest& request, const Skipped& skipped = {}) {
  std::string where;
  for (const ViewPath& path : request.paths) {
    where += fmt::format("{}'{}'", where.empty() ? "" : ", ", path.path);
  }
  std::string also;
  if (!skipped.first.empty()) {
    also = fmt::format("; {} skipped, the first is '{}': {}", skipped.count, skipped.first[0].path,
                       skipped.first[0].why);
  }
  return {ErrorCode::kUnreadable,
          fmt::format("neither runs nor profiles found in {}: expected event files, traces (.json, "
                      ".json.gz, .pftrace), .prof, speedscope, collapsed stacks or other "
                      "profiles{}",
                      where, also),
          std::nullopt};
}

Error NoThreads() {
  return {ErrorCode::kUnreadable,
          "there is not enough memory to start, or the limit of threads is reached; close other "
          "programs",
          std::nullopt};
}

// All are files, and none of them is any profile's: nothing to wait for. One that is still empty
// may be about to be written.
bool AreOtherFiles(const ViewRequest& request) {
  return std::ranges::all_of(request.paths, [](const ViewPath& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path.path, ignored) ||
        std::filesystem::file_size(path.path, ignored) == 0) {
      return false;
    }
    const Result<Sniffed> sniffed = SniffFile(path.path, {});
    return sniffed && sniffed->format == nullptr;
  });
}

// Until the first look at the folders is done, or so long. True: a signal came.
bool WaitForLook(const Catalogue& catalogue, const RunWatch& watch, const StopSignals& signals,
                 std::optional<std::chrono::nanoseconds> most) {
  constexpr std::chrono::milliseconds kPause{5};
  const auto begin = std::chrono::steady_clock::now();
  while (catalogue.searching() || watch.searching()) {
    if (most && std::chrono::steady_clock::now() - begin > *most) return false;
    if (signals.WaitFor(kPause)) return true;
  }
  return false;
}

// Neither profiles nor runs, and nobody said that they would come.
bool IsEmpty(const ViewRequest& request, const Catalogue& catalogue, const Workspace& workspace,
             const RunWatch& watch) {
  const auto awaited = [](const ViewPath& path) { return path.awaited; };
  return !catalogue.searching() && !watch.searching() && catalogue.size() == 0 &&
         workspace.runs()->runs.empty() && std::ranges::none_of(request.paths, awaited);
}

// All log folders as they were given, for TensorBoard's API.
std::string LogdirOf(const ViewRequest& request) {
  std::string all;
  for (const ViewPath& path : request.paths) {
    if (!all.empty()) all += ',';
    all += path.name.empty() ? path.path : fmt::format("{}:{}", path.name, path.path);
  }
  return all;
}

HttpServerOptions ServerOptions(const ViewRequest& request, EventStream& events) {
  HttpServerOptions options;
  options.host = request.host;
  options.port = request.port;
  options.further_ports = request.port_named ? 0 : kFurtherPorts;
  options.path_prefix = request.path_prefix;
  options.certificate_file = request.certificate_file;
  options.key_file = request.key_file;
  options.allowed_hosts = request.allowed_hosts;
  options.token = request.token;
  options.no_token = request.no_token;
  options.lane = [](const HttpRequest& asked) { return static_cast<size_t>(LaneOf(asked)); };
  options.limits.lanes = {kShortLane, kQueryLane, kWholeLane};
  options.events = &events;
  options.events_path = kEvents;
  options.limits.connections = ConnectionLimit();
  return options;
}

bool OthersCanRead(const std::string& path) {
  struct stat info{};
  return !path.empty() && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

// Prints the address, and what is worth knowing about it; opens it where that was asked for.
void Announce(const ViewRequest& request, const HttpServer& server, const StopSignals& signals) {
  const std::string url = UrlOf(request, server, server.owner_needs_token());
  DescriptorOutput output(STDOUT_FILENO);
  output.Write(url + "\n");
  output.Flush();
  if (!request.quiet) {
    if (!request.port_named && server.port() != request.port) {
      PrintError(fmt::format("port {} is taken, this is port {}", request.port, server.port()));
    }
    if (server.beyond_loopback() && request.certificate_file.empty()) {
      PrintError("the network can read along: --certfile and --keyfile encrypt");
    }
    for (const std::string& secret : {request.key_file, request.token_file}) {
      if (OthersCanRead(secret)) {
        PrintError(fmt::format("other users can read {}; to change that: chmod 600 {}",
                               Printable(secret, true), Printable(secret, true)));
      }
    }
    if (::isatty(STDERR_FILENO) != 0) PrintError("Ctrl-C stops");
  }
  if (request.open) {
    if (const int error = OpenBrowser(url, signals.before()); error != 0 && !request.quiet) {
      PrintError(fmt::format("the browser could not be opened (xdg-open: {}); open {} yourself",
                             std::generic_category().message(error), url));
    }
  }
}

}  // namespace

int RunView(const Arguments& arguments) {
  const Result<ViewRequest> request = MakeViewRequest(arguments);
  if (!request) return Complain(request.error());
  Result<std::vector<Root>> roots = MakeRoots(request->paths);
  if (!roots) return Complain(roots.error());
  if (AreOtherFiles(*request)) return Complain(NothingFound(*request));

  StopSignals signals;
  if (!CanHaveThreads(kLeastThreads)) return Complain(NoThreads());
  RaiseDescriptorLimit();
  EventStream events;
  // What is dropped on the page. Without room for temporary files nothing can be.
  std::unique_ptr<GivenFiles> given;
  if (Result<std::unique_ptr<GivenFiles>> made = GivenFiles::Make()) {
    Result<Root> root = MakeRoot("dropped", (*made)->folder());
    if (root) {
      given = std::move(*made);
      roots->push_back(std::move(*root));
    }
  }
  const LeftoverWatch leftovers(*roots);
  const ApiOptions api_options = {request->window_title, given.get()};
  RunTeller run_teller(events);
  WorkspaceOptions workspace_options;
  workspace_options.roots = *roots;
  workspace_options.gate = GateTo(*roots);
  workspace_options.threads = request->threads;
  workspace_options.on_change = [&](const WorkspaceChange& change) { run_teller.Tell(change); };
  Workspace workspace(std::move(workspace_options));
  std::optional<RunWatch> watch;  // ends after the server
  RunDesk desk(workspace, [&watch] { return !watch || watch->searching(); });
  std::function<void()> tell_list;
  Catalogue catalogue(
      {.roots = std::move(*roots),
       .limits = {},
       .on_change = [&] { tell_list(); },
       .on_look =
           [&](const ProfileFinder& finder, std::span<const FoundProfile> profiles) {
             watch->Found(RunsOfLook(finder, profiles));
           }});
  ResidencyOptions residency_options;
  residency_options.threads = request->threads;
  residency_options.memory_budget_bytes = request->memory_budget_bytes;
  residency_options.on_progress = [&](std::string_view id, uint64_t loaded, uint64_t total) {
    events.Publish("progress", ProgressJson(id, loaded, total));
  };
  Residency residency(catalogue, std::move(residency_options));
  ListTeller teller(events);
  tell_list = [&] { teller.Tell(catalogue, residency, api_options); };
  std::optional<ProfileThreads> threads;  // end after the server
  const HttpHandler api = MakeApi(catalogue, residency, api_options, &desk);
  const HttpHandler data_api =
      MakeDataApi(workspace, {LogdirOf(*request), request->window_title, request->purges});
  const Site site(EmbeddedAssets(), request->path_prefix);
  const HttpHandler handler = [&](const HttpRequest& asked) {
    if (DataPath(asked.path)) return data_api(asked);
    return asked.path.starts_with(kApi) ? api(asked) : site.Get(asked);
  };
  HttpServerOptions server_options = ServerOptions(*request, events);
  std::optional<AccessLog> log;
  if (!request->access_log.empty()) {
    Result<AccessLog> opened = AccessLog::Open(request->access_log);
    if (!opened) return Complain(opened.error());
    log.emplace(std::move(*opened));
    server_options.on_answer = [&log](const AnsweredRequest& answered) { log->Add(answered); };
  }
  // Requests may come before the server is known here.
  std::promise<const HttpServer*> started;
  const std::shared_future<const HttpServer*> known = started.get_future().share();
  if (!request->quiet) {
    server_options.on_stranger = [&request, known] {
      PrintError(fmt::format(
          "another user of this machine was asked for the token; with this address it works for "
          "them (or start with --no-token): {}",
          UrlOf(*request, *known.get(), true)));
    };
  }
  const Result<std::unique_ptr<HttpServer>> server =
      HttpServer::Start(std::move(server_options), handler);
  if (!server) return Complain(server.error());
  started.set_value(server->get());
  watch.emplace(workspace, request->follows, [&] {
    desk.logs().Look([&](std::string_view text) { events.Publish("logs", text); });
  });
  threads.emplace(catalogue, residency, true);
  // A handler that still runs only reads, but what it reads would be destroyed.
  const auto stop = [&](int code) {
    signals.Release();
    if (given) given->Remove();
    if (!(*server)->Stop(kPatience)) ::_exit(code);
    return code;
  };
  if (WaitForLook(catalogue, *watch, signals, kQuickLook)) return stop(kExitFine);
  if (IsEmpty(*request, catalogue, workspace, *watch))
    return stop(Complain(NothingFound(*request, catalogue.skipped())));

  Announce(*request, **server, signals);
  for (const std::string& remark : request->remarks) {
    if (!request->quiet) PrintError(remark);
  }
  const bool long_look = (catalogue.searching() || watch->searching()) && !request->quiet;
  if (long_look) PrintError("looking through the folders; the page shows what is found so far");
  if (WaitForLook(catalogue, *watch, signals, std::nullopt)) return stop(kExitFine);
  if (IsEmpty(*request, catalogue, workspace, *watch))
    return stop(Complain(NothingFound(*request, catalogue.skipped())));
  if (long_look) {
    const size_t found = catalogue.size();
    const size_t runs = workspace.runs()->runs.size();
    PrintError(fmt::format("found {} run{} and {} profile{} among {} files and folders", runs,
                           runs == 1 ? "" : "s", found, found == 1 ? "" : "s",
                           catalogue.searched()));
  }
  signals.Wait();
  return stop(kExitFine);
}

}  // namespace telltale
