// SPDX-License-Identifier: Apache-2.0
#include "record/launch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "record/state.h"

extern "C" char** environ;

namespace telltale::record {

namespace {

// A whole number of the environment; `otherwise` where there is none.
int32_t Number(const char* variable, int32_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return *end == '\0' && number <= INT32_MAX ? static_cast<int32_t>(number) : otherwise;
}

struct Launcher {
  const char* rank;
  const char* local_rank;
  const char* world_size;
};
// The first that names a rank counts: torchrun inside a Slurm job is torchrun.
constexpr Launcher kLaunchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
};

const char* NameOf(Role role) {
  switch (role) {
    case Role::kMain:
      return "main";
    case Role::kRank:
      return "rank";
    case Role::kWorker:
      return "worker";
    case Role::kOther:
      break;
  }
  return "other";
}

char* AppendField(char* at, const char* end, const char* name, int32_t number) {
  if (number < 0) return at;
  at = AppendText(at, end, ", \"");
  at = AppendText(at, end, name);
  at = AppendText(at, end, "\": ");
  return AppendNumber(at, static_cast<uint64_t>(number));
}

bool IsProgram(const char* path) { return access(path, X_OK) == 0; }

// Its absolute path; empty: there is none.
void FindProgram(char* out, size_t size) {
  *out = '\0';
  const char* const given = std::getenv("TELLTALE_PROGRAM");
  if (given != nullptr && *given == '/' && std::strlen(given) < size && IsProgram(given)) {
    AppendText(out, out + size, given);
    return;
  }
  const char* at = std::getenv("PATH");
  while (at != nullptr && *at != '\0') {
    const char* const end = strchrnul(at, ':');
    const auto length = static_cast<size_t>(end - at);
    if (*at == '/' && length + 10 < size) {
      std::memcpy(out, at, length);
      std::memcpy(out + length, "/telltale", 10);
      if (IsProgram(out)) return;
    }
    at = *end == '\0' ? end : end + 1;
  }
  *out = '\0';
}

}  // namespace

Launch FindLaunch(bool was_forked) {
  Launch launch;
  for (const Launcher& launcher : kLaunchers) {
    const int32_t rank = Number(launcher.rank, -1);
    if (rank < 0) continue;
    launch.rank = rank;
    launch.local_rank = Number(launcher.local_rank, -1);
    launch.world_size = Number(launcher.world_size, 0);
    launch.role = Role::kRank;
    break;
  }
  if (was_forked) launch.role = Role::kWorker;
  return launch;
}

void SayHello(const Launch& launch) {
  // A path may be longer than an address holds: through the folder's descriptor.
  const int folder = ::open(process->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const int hello = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (hello >= 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const char* end = address.sun_path + sizeof address.sun_path;
    char* at = AppendText(address.sun_path, end, "/proc/self/fd/");
    at = AppendNumber(at, static_cast<uint64_t>(folder));
    AppendText(at, end, "/socket");
    if (connect(hello, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      char text[512];
      end = text + sizeof text - 24;
      at = AppendText(text, end, "{\"hello\": 1, \"pid\": ");
      at = AppendNumber(at, process->header->pid);
      at = AppendText(at, end, ", \"region\": \"");
      at = AppendText(at, end, process->stem);
      at = AppendText(at, end, ".ring\"");
      at = AppendField(at, end, "rank", launch.rank);
      at = AppendField(at, end, "local_rank", launch.local_rank);
      at = AppendField(at, end, "world_size", launch.world_size > 0 ? launch.world_size : -1);
      at = AppendText(at, end, ", \"role\": \"");
      at = AppendText(at, end, NameOf(launch.role));
      at = AppendText(at, end, "\"}");
      send(hello, text, static_cast<size_t>(at - text), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    ::close(hello);
  }
  ::close(folder);
}

bool AbsolutePath(const char* path, char* out, size_t size) {
  const size_t length = std::strlen(path);
  size_t before = 0;
  if (*path != '/') {
    if (getcwd(out, size) == nullptr || *out != '/') return false;
    before = std::strlen(out);
    if (before + 1 < size && before > 1) out[before++] = '/';
  }
  // Room for "/.live".
  if (before + length + 8 > size) return false;
  std::memcpy(out + before, path, length + 1);
  return true;
}

void StartCollector(const char* folder) {
  char program[4096];
  FindProgram(program, sizeof program);
  if (*program == '\0') return;
  // The shell leaves it behind in the background: nobody has to wait for it, and no copy of a large
  // process is made, as fork would.
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char script[] = "\"$1\" collect \"$2\" </dev/null >/dev/null 2>&1 &";
  char name[] = "telltale-record";
  char folder_copy[sizeof run_folder];
  AppendText(folder_copy, folder_copy + sizeof folder_copy, folder);
  char* const words[] = {shell, option, script, name, program, folder_copy, nullptr};
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  if (posix_spawnattr_init(&attributes) != 0) return;
  if (posix_spawn_file_actions_init(&actions) == 0) {
    // A session of its own: Ctrl-C is for the program. No signal blocked or ignored, no file of the
    // program open.
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    pid_t child = 0;
    if (posix_spawn(&child, shell, &actions, &attributes, words, environ) == 0) {
      int status = 0;
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
    }
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attributes);
}

}  // namespace telltale::record
