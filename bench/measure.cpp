// SPDX-License-Identifier: Apache-2.0
// measure OUT ERR PROGRAM [ARGUMENT…]: runs one program with its output in two files and prints
// what it took.
//
// The kernel starts a new program's highest resident memory at that of the process that started it.
// The bench reads large answers in between and grows; this program stays at some 3 MB, and so is
// the floor of what can be measured.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: measure OUT ERR PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, argv[1], kWrite, 0644);
  posix_spawn_file_actions_addopen(&files, 2, argv[2], kWrite, 0644);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failure = posix_spawn(&child, argv[3], &files, nullptr, argv + 3, environ);
  if (failure != 0) {
    std::fprintf(stderr, "measure: %s: %s\n", argv[3], std::strerror(failure));
    return 2;
  }
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  std::printf(
      "{\"wall_seconds\": %.9f, \"cpu_seconds\": %.6f, \"peak_bytes\": %lld, \"status\": %d}\n",
      wall.count(), Seconds(usage.ru_utime) + Seconds(usage.ru_stime),
      static_cast<long long>(usage.ru_maxrss) * 1024, code);
  return 0;
}
