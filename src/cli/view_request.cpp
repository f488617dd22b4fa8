// SPDX-License-Identifier: Apache-2.0
#include "cli/view_request.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "io/byte_source.h"
#include "server/access.h"
#include "server/url.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// TensorBoard expands it itself: a shell does not where it stands behind an equals sign.
std::string WithHome(const std::string& path) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr || (path != "~" && !path.starts_with("~/"))) return path;
  return home + path.substr(1);
}

Result<void> SetPaths(const Arguments& arguments, ViewRequest& request) {
  for (const std::string& path : arguments.positionals()) {
    request.paths.push_back({"", path, false});
  }
  for (const std::string& path : arguments.All("logdir")) {
    request.paths.push_back({"", WithHome(path), true});
  }
  if (arguments.Has("logdir-spec")) {
    Result<std::vector<ViewPath>> named = ParseLogdirSpec(arguments.Text("logdir-spec"));
    if (!named) return tl::unexpected<Error>(named.error());
    for (ViewPath& path : *named) {
      request.paths.push_back({std::move(path.name), WithHome(path.path), true});
    }
  }
  if (request.paths.empty()) {
    return Fail(ErrorCode::kUsage,
                "'telltale view' needs a PATH or --logdir; for example: telltale view "
                "trace.json.gz");
  }
  for (const ViewPath& path : request.paths) {
    if (path.path == "-") {
      return Fail(
          ErrorCode::kUsage,
          "'telltale view' reads files, not standard input: it may have to read them again");
    }
  }
  return {};
}

Result<void> SetAddress(const Arguments& arguments, ViewRequest& request) {
  if (arguments.Has("bind-all") && arguments.Has("host")) {
    return Fail(ErrorCode::kUsage, "--bind_all and --host exclude each other");
  }
  request.host = arguments.Has("host") ? arguments.Text("host") : "localhost";
  if (arguments.Has("bind-all") || request.host == "*") {
    request.host.clear();
  } else if (request.host.empty()) {
    return Fail(ErrorCode::kUsage, "--host takes a name or an address of this machine");
  }
  if (const std::optional<int64_t> port = arguments.Integer("port")) {
    if (*port > UINT16_MAX) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--port takes a number from 0 to 65535, not {}", *port));
    }
    request.port = static_cast<uint16_t>(*port);
    request.port_named = true;
  }
  const std::optional<std::string> prefix = NormalizePrefix(arguments.Text("path-prefix"));
  if (!prefix) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--path_prefix takes a path of letters, digits and -._~, for example "
                            "/telltale, not {}",
                            QuotedWord(arguments.Text("path-prefix"))));
  }
  request.path_prefix = *prefix;
  for (const std::string& name : arguments.All("allow-host")) {
    const std::optional<Authority> authority = ParseAuthority(name);
    if (!authority || authority->port) {
      return Fail(ErrorCode::kUsage, fmt::format("--allow-host takes a name without a port, not {}",
                                                 QuotedWord(name)));
    }
    request.allowed_hosts.push_back(authority->host);
  }
  return {};
}

Result<void> SetToken(const Arguments& arguments, ViewRequest& request) {
  request.no_token = arguments.Has("no-token");
  if (static_cast<int>(arguments.Has("token")) + static_cast<int>(arguments.Has("token-file")) +
          static_cast<int>(request.no_token) >
      1) {
    return Fail(ErrorCode::kUsage, "of --token, --token-file and --no-token only one is possible");
  }
  std::string_view from;
  if (arguments.Has("token")) {
    from = "--token";
    request.token = arguments.Text("token");
  } else if (arguments.Has("token-file")) {
    from = "--token-file";
    request.token_file = arguments.Text("token-file");
    Result<std::string> text = ReadSmallFile(request.token_file, {}, 4096);
    if (!text) return tl::unexpected<Error>(text.error());
    request.token = std::move(*text);
    while (!request.token.empty() &&
           (request.token.back() == '\n' || request.token.back() == '\r')) {
      request.token.pop_back();
    }
  } else if (const char* given = std::getenv("TELLTALE_TOKEN");
             given != nullptr && !request.no_token) {
    from = "TELLTALE_TOKEN";
    request.token = given;
  }
  if (!from.empty() && !IsUsableToken(request.token)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} takes 16 to 256 letters, digits, - and _; without it a good one is "
                            "made",
                            from));
  }
  return {};
}

Result<void> SetSafety(const Arguments& arguments, ViewRequest& request) {
  request.certificate_file = arguments.Text("certfile");
  request.key_file = arguments.Text("keyfile");
  if (request.certificate_file.empty() != request.key_file.empty()) {
    return Fail(ErrorCode::kUsage, "https needs both --certfile and --keyfile");
  }
  request.access_log = arguments.Text("access-log");
  return SetToken(arguments, request);
}

// A value of TensorBoard's; none: it is neither true nor false.
std::optional<bool> ParseTruth(std::string_view text) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  return std::nullopt;
}

// Whoever comes from TensorBoard keeps their command line. What means nothing here is checked and
// remarked upon, so that nobody believes it did something.
Result<void> SetTensorboardOptions(const Arguments& arguments, ViewRequest& request) {
  if (arguments.Has("inspect")) {
    return Fail(ErrorCode::kUsage,
                "--inspect serves nothing: what is in event files, and what is damaged, say "
                "'telltale runs FOLDER' and 'telltale validate FOLDER'");
  }
  for (const std::string_view name :
       {"reload-multifile", "detect-file-replacement", "purge-orphaned-data"}) {
    if (arguments.Has(name) && !ParseTruth(arguments.Text(name))) {
      return Fail(ErrorCode::kUsage, fmt::format("--{} takes true or false, not {}", name,
                                                 QuotedWord(arguments.Text(name))));
    }
  }
  request.purges = ParseTruth(arguments.Text("purge-orphaned-data")).value_or(true);
  if (arguments.Has("reload-interval")) {
    double seconds = 0;
    const std::string_view text = arguments.Text("reload-interval");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(seconds)) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--reload_interval takes seconds, or 0 to look once, not {}",
                              QuotedWord(text)));
    }
    request.follows = seconds > 0;
    if (request.follows) {
      request.remarks.emplace_back(
          "--reload_interval: new points are shown within a second, whatever it says");
    }
  }
  if (arguments.Has("samples-per-plugin")) {
    request.remarks.emplace_back("--samples_per_plugin: every point is kept, none is left out");
  }
  if (arguments.Text("reload-multifile") == "false") {
    request.remarks.emplace_back("--reload_multifile: all files of a run are followed");
  }
  if (ParseTruth(arguments.Text("detect-file-replacement")) == false) {
    request.remarks.emplace_back("--detect_file_replacement: a replaced file is always noticed");
  }
  if (arguments.Has("load-fast")) {
    request.remarks.emplace_back("--load_fast: there is one loader, and it is fast");
  }
  if (arguments.Has("max-reload-threads")) {
    request.remarks.emplace_back(
        "--max_reload_threads: all cores load; --threads says how many they may be");
  }
  return {};
}

// Of the machine, or of the container if that has less.
uint64_t MemoryBytes() {
  uint64_t bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace

CommandSpec ViewCommandSpec() {
  CommandSpec spec;
  spec.name = "view";
  spec.summary = "open profiles in the browser";
  spec.examples = {
      {"telltale view trace.json.gz", "prints an address to open in the browser"},
      {"telltale view --logdir runs --open",
       "all runs and profiles below a folder, new ones as they come"},
  };
  spec.positionals = "PATH...";
  spec.needs_positional = false;
  spec.options = {
      {.name = "logdir",
       .type = ParamType::kText,
       .value = "FOLDER",
       .help = "a folder to look through, as a PATH; one that is not there yet is waited for",
       .repeats = true},
      {.name = "logdir-spec",
       .type = ParamType::kText,
       .value = "NAME:PATH,...",
       .help = "several folders with the names they are shown by"},
      {.name = "port",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "listen on this port, and no other; 0 is any that is free",
       .default_text = "6006, or the next free one",
       .least = 0},
      {.name = "host",
       .type = ParamType::kText,
       .value = "HOST",
       .help = "listen on this name or address of the machine; beyond loopback, the address has a "
               "token in it without which nothing is shown",
       .default_text = "localhost"},
      {.name = "bind-all", .help = "listen on all addresses of the machine; with a token, too"},
      {.name = "path-prefix",
       .type = ParamType::kText,
       .value = "PATH",
       .help = "serve everything below this path, for a proxy"},
      {.name = "open", .help = "open the browser"},
      {.name = "window-title", .type = ParamType::kText, .value = "TEXT", .help = "of the page"},
      {.name = "certfile",
       .type = ParamType::kText,
       .value = "FILE",
       .help = "serve https with this certificate (PEM)"},
      {.name = "keyfile",
       .type = ParamType::kText,
       .value = "FILE",
       .help = "the certificate's private key (PEM)"},
      {.name = "token",
       .type = ParamType::kText,
       .value = "TEXT",
       .help = "ask everybody for this token instead of one made anew: the address stays the same "
               "after a restart; others see it in the list of processes, so rather:"},
      {.name = "token-file",
       .type = ParamType::kText,
       .value = "FILE",
       .help = "the same with the token in a file, or in the environment as TELLTALE_TOKEN"},
      {.name = "no-token",
       .help =
           "let every user of this machine in; not together with --host or --bind_all beyond it"},
      {.name = "allow-host",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "answer to this name as well, for a proxy; may be given several times",
       .repeats = true},
      {.name = "access-log",
       .type = ParamType::kText,
       .value = "FILE",
       .help = "add a line to this file for each answer; - is standard error"},
      {.name = "purge-orphaned-data",
       .type = ParamType::kText,
       .value = "BOOL",
       .help = "whether TensorBoard's API (/data/…) leaves out points that a restarted writer "
               "declared void; the page shows them either way",
       .default_text = "true"},
      {.name = "reload-interval",
       .type = ParamType::kText,
       .value = "SECONDS",
       .help = "0: look at the folders once, and do not follow them"},
      {.name = "samples-per-plugin",
       .type = ParamType::kText,
       .value = "LIST",
       .help = "taken for TensorBoard's sake: every point is kept"},
      {.name = "reload-multifile",
       .type = ParamType::kText,
       .value = "BOOL",
       .help = "taken for TensorBoard's sake: all files are followed"},
      {.name = "detect-file-replacement",
       .type = ParamType::kText,
       .value = "BOOL",
       .help = "taken for TensorBoard's sake: replaced files are noticed"},
      {.name = "load-fast",
       .type = ParamType::kChoice,
       .help = "taken for TensorBoard's sake: there is one loader",
       .choices = {"auto", "true", "false"},
       .list_choices = false},
      {.name = "max-reload-threads",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "taken for TensorBoard's sake: see --threads",
       .least = 1},
      {.name = "inspect", .help = "says which commands tell what is in event files"},
      {.name = "memory-budget",
       .type = ParamType::kText,
       .value = "SIZE",
       .help = "hold profiles of about so many bytes in memory: 4G, 512M; the least recently used "
               "go first, and one that alone takes more is read as far as it fits",
       .default_text = "half of the machine's"},
  };
  // The page has its own looks: of the common options only these.
  spec.options.push_back(ThreadsOption());
  spec.options.push_back({.name = "quiet", .help = "say nothing but the address and errors"});
  spec.letters = {{'p', "port"}, {'q', "quiet"}};
  spec.sections = {
      {"Safety",
       {{"",
         "Only this machine can connect unless --host or --bind_all says otherwise. From "
         "elsewhere, "
         "a tunnel is the simplest way: ssh -L 6006:localhost:6006 MACHINE. You need no token "
         "then; "
         "other users of the machine, and a proxy that runs as one, do. Only files below the paths "
         "given are ever read."}}},
      {"Exit codes",
       {{"0", "stopped by Ctrl-C or SIGTERM"},
        {"2", "wrong usage, or the port is taken"},
        {"3", "neither runs nor profiles there, or not enough memory to start"}}},
  };
  return spec;
}

Result<ViewRequest> MakeViewRequest(const Arguments& arguments) {
  ViewRequest request;
  for (const auto set : {SetPaths, SetAddress, SetSafety, SetTensorboardOptions}) {
    if (Result<void> done = set(arguments, request); !done) {
      return tl::unexpected<Error>(done.error());
    }
  }
  request.memory_budget_bytes = MemoryBytes() / 2;
  if (arguments.Has("memory-budget")) {
    const std::optional<uint64_t> budget = ParseSize(arguments.Text("memory-budget"));
    if (!budget) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--memory-budget takes a size such as 4G or 512M, not {}",
                              QuotedWord(arguments.Text("memory-budget"))));
    }
    request.memory_budget_bytes = *budget;
  }
  request.window_title = arguments.Text("window-title");
  request.threads = ThreadsOf(arguments);
  request.open = arguments.Has("open");
  request.quiet = arguments.Has("quiet");
  return request;
}

Result<std::vector<ViewPath>> ParseLogdirSpec(std::string_view text) {
  std::vector<ViewPath> paths;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    // A slash before the colon: the colon is part of the path.
    const size_t colon = part.find(':');
    const bool named = colon != std::string_view::npos && part.find('/') > colon;
    ViewPath path;
    path.name = named ? part.substr(0, colon) : "";
    path.path = named ? part.substr(colon + 1) : part;
    if (path.path.empty()) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--logdir_spec takes NAME:PATH,NAME:PATH…; in {} the path is missing",
                              QuotedWord(part)));
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

std::optional<uint64_t> ParseSize(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number <= 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty()) {
    const size_t power = std::string_view("kmgt").find(static_cast<char>(text.front() | 0x20));
    if (power == std::string_view::npos && text != "B" && text != "b") return std::nullopt;
    if (power != std::string_view::npos) {
      number *= std::exp2(10.0 * static_cast<double>(power + 1));
      text.remove_prefix(1);
      if (!text.empty() && text != "B" && text != "b" && text != "iB" && text != "ib") {
        return std::nullopt;
      }
    }
  }
  // An exabyte is more than any machine has, and fits.
  return number < 1e18 ? std::optional(static_cast<uint64_t>(number)) : std::nullopt;
}

}  // namespace telltale
