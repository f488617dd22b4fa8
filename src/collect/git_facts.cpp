// SPDX-License-Identifier: Apache-2.0
#include "collect/git_facts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "collect/clock.h"
#include "collect/environment.h"
#include "io/file_gate.h"

namespace telltale {

namespace {

// Takes at most `most` bytes of what a command prints; nothing: it failed or took too long.
std::optional<std::string> OutputOf(std::vector<std::string> words, size_t most, int64_t until_ns) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  Environment environment = Environment::Own();
  environment.Set("GIT_OPTIONAL_LOCKS", "0");
  environment.Set("GIT_TERMINAL_PROMPT", "0");
  environment.Set("LC_ALL", "C");
  const std::vector<char*> pointers = environment.Pointers();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int problem =
      ::posix_spawnp(&pid, "git", &actions, &attributes, arguments.data(), pointers.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return std::nullopt;
  write_end = {};

  std::string out;
  bool ended = false;
  while (!ended && out.size() <= most) {
    const int64_t left_ns = until_ns - SteadyNow();
    if (left_ns <= 0) break;
    pollfd wait = {read_end.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left_ns / 1'000'000) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(read_end.get(), buffer.data(), buffer.size());
    if (count > 0) out.append(buffer.data(), static_cast<size_t>(count));
    ended = count == 0 || (count < 0 && errno != EINTR);
  }
  if (!ended) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended && out.size() > most) return out;
  if (!ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return out;
}

std::vector<std::string> Git(const std::string& folder, std::vector<std::string> words) {
  std::vector<std::string> out = {"git",
                                  "-C",
                                  folder,
                                  "-c",
                                  "core.hooksPath=/dev/null",
                                  "-c",
                                  "core.fsmonitor=false",
                                  "-c",
                                  "core.pager=cat"};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

}  // namespace

GitFacts ReadGitStatus(std::string_view text) {
  GitFacts out;
  out.dirty = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view kCommit = "# branch.oid ";
    constexpr std::string_view kBranch = "# branch.head ";
    if (line.starts_with(kCommit)) {
      if (line.substr(kCommit.size()) != "(initial)") out.commit = line.substr(kCommit.size());
    } else if (line.starts_with(kBranch)) {
      if (line.substr(kBranch.size()) != "(detached)") out.branch = line.substr(kBranch.size());
    } else if (!line.empty() && !line.starts_with('#')) {
      out.dirty = true;
    }
  }
  return out;
}

GitAnswer AskGit(const std::string& folder, size_t most_diff_bytes, int64_t patience_ns) {
  GitAnswer out;
  constexpr size_t kMostStatus = size_t{4} << 20;
  const int64_t until_ns = SteadyNow() + patience_ns;
  // Files that git does not know are no change of what it knows.
  const std::optional<std::string> status =
      OutputOf(Git(folder, {"status", "--porcelain=v2", "--branch", "--untracked-files=no",
                            "--ignore-submodules=dirty"}),
               kMostStatus, until_ns);
  if (!status) return out;
  out.facts = ReadGitStatus(*status);
  if (!out.facts->dirty.value_or(false) || out.facts->commit.empty()) return out;
  std::optional<std::string> diff =
      OutputOf(Git(folder, {"diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color"}),
               most_diff_bytes, until_ns);
  if (diff && diff->size() > most_diff_bytes) {
    out.diff_too_large = true;
  } else if (diff) {
    out.diff = std::move(*diff);
  }
  return out;
}

}  // namespace telltale
