// SPDX-License-Identifier: Apache-2.0
// Beginning and ending: which folder, the region's file and header, the word to the collector, and
// a collector where there is none.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include <telltale/telltale.h>
#include "record/clock.h"
#include "record/launch.h"
#include "record/state.h"

uint32_t telltale_recording_now = 0;

namespace telltale::record {

uint64_t region_pid = 0;
char run_folder[4096] = {};

namespace {

// Counts up with every beginning, so that threads notice.
uint32_t generation_count = 0;

// Where a shared mapping is no good: file systems of other machines, and those that write to a new
// place each time, so that blocks which were reserved once do not help.
bool IsUnfit(const char* folder) {
  constexpr unsigned long kUnfit[] = {
      0x6969,      // NFS
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB 2
      0x517b,      // SMB
      0x65735546,  // FUSE
      0x01021997,  // 9P
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x00c36400,  // Ceph
      0x5346414f,  // AFS
      0x19830326,  // BeeGFS
      0x2fc12fc1,  // ZFS
      0x9123683e,  // btrfs
      0xca451a4e,  // bcachefs
  };
  struct statfs about{};
  if (statfs(folder, &about) != 0) return false;
  for (const unsigned long type : kUnfit) {
    if ((static_cast<unsigned long>(about.f_type) & 0xffffffff) == type) return true;
  }
  return false;
}

bool MakeFolder(const char* path, mode_t mode) {
  if (mkdir(path, mode) != 0 && errno != EEXIST) return false;
  struct stat about{};
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// A folder of ours alone in a place where anyone may make one.
bool MakePrivateFolder(const char* path) {
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  struct stat about{};
  return lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
         (about.st_mode & 077) == 0;
}

// /dev/shm/telltale-UID-RUN; RUN is $TELLTALE_RUN_ID, or else a number made of the folder's path.
bool SharedMemoryFolder(char* path, const char* end) {
  char* at = AppendText(path, end, "/dev/shm/telltale-");
  at = AppendNumber(at, geteuid());
  at = AppendText(at, end, "-");
  const char* const id = std::getenv("TELLTALE_RUN_ID");
  if (id != nullptr && *id != '\0' && std::strchr(id, '/') == nullptr && std::strlen(id) <= 128) {
    AppendText(at, end, id);
  } else {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char* letter = run_folder; *letter != '\0'; ++letter) {
      hash = (hash ^ static_cast<unsigned char>(*letter)) * 0x100000001b3;
    }
    *AppendNumber(at, hash) = '\0';
  }
  return MakePrivateFolder(path);
}

// Field 22 of /proc/self/stat.
uint64_t StartTicks() {
  const int file = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[1024] = {};
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (size <= 0) return 0;
  const char* at = std::strrchr(text, ')');  // the name may hold anything
  for (int field = 2; at != nullptr && field < 22; ++field) {
    at = std::strchr(at + 1, ' ');
  }
  return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

int OpenNew(const char* path) {
  return ::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// Whether files that are mapped have to be in /dev/shm, with a link beside the run.
bool IsElsewhere() {
  const char* const wanted = std::getenv("TELLTALE_REGIONS");
  return (wanted != nullptr && std::strcmp(wanted, "memory") == 0) || IsUnfit(process->folder);
}

// A new file STEM.ENDING beside the run, or in /dev/shm with a link from there; -1: errno says why.
int MakeFile(const char* stem, const char* ending) {
  constexpr size_t kPath = sizeof(Process::folder) + sizeof(Process::stem) + 16;
  const auto path_in = [&](const char* folder, char* path) {
    char* at = AppendText(path, path + kPath, folder);
    at = AppendText(at, path + kPath, "/");
    at = AppendText(at, path + kPath, stem);
    AppendText(at, path + kPath, ending);
  };
  char path[kPath];
  path_in(process->folder, path);
  if (!IsElsewhere()) return OpenNew(path);
  char elsewhere[512] = {};
  if (!SharedMemoryFolder(elsewhere, elsewhere + sizeof elsewhere)) return -1;
  char target[kPath];
  path_in(elsewhere, target);
  const int file = OpenNew(target);
  if (file < 0 || symlink(target, path) == 0) return file;
  const int why = errno;
  ::unlink(target);
  ::close(file);
  errno = why;
  return -1;
}

// Another one of this process (before exec, or before telltale_stop) may be there already.
int MakeRegionFile(uint64_t pid, uint64_t start) {
  for (uint64_t number = 1; number < 10000; ++number) {
    char* at = AppendNumber(process->stem, pid);
    *at++ = '-';
    at = AppendNumber(at, start);
    if (number > 1) {
      *at++ = '-';
      at = AppendNumber(at, number);
    }
    *at = '\0';
    const int file = MakeFile(process->stem, ".ring");
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

// When recording began, and in which process: a forked one has not begun yet.
uint64_t begun_ticks = 0;
pid_t begun_pid = 0;

bool OpenRegion() {
  char* const end = process->folder + sizeof process->folder;
  char* at = AppendText(process->folder, end, run_folder);
  if (!MakeFolder(process->folder, 0777)) return false;
  at = AppendText(at, end, "/");
  // One of several collectors in a run's folder has one of its own.
  const char* const live = std::getenv("TELLTALE_LIVE");
  const char* const given = std::getenv("TELLTALE_RUN_DIR");
  const bool is_named = live != nullptr && given != nullptr &&
                        std::strcmp(given, run_folder) == 0 &&
                        std::strncmp(live, ".live", 5) == 0 && std::strchr(live, '/') == nullptr;
  AppendText(at, end, is_named ? live : ".live");
  if (!MakeFolder(process->folder, 0700)) return false;
  const auto pid = static_cast<uint64_t>(getpid());
  const uint64_t start = StartTicks();
  process->file = MakeRegionFile(pid, start);
  if (process->file < 0) return false;
  const ClockKind clock = ChooseClock();
  const ClockPair first = ReadBothClocks();
  if (!GrowRegion()) {
    ::close(process->file);
    return false;
  }
  auto* const header = reinterpret_cast<RegionHeader*>(process->extent[0]);
  process->header = header;
  header->version = kLayoutVersion;
  header->header_bytes = kHeaderBytes;
  header->chunk_bytes = kChunkBytes;
  header->state = static_cast<uint32_t>(RegionState::kOpen);
  header->pid = pid;
  header->process_start = start;
  header->started_wall_ns = first.wall_ns;
  header->parent_pid = region_pid != 0 && region_pid != pid ? region_pid : 0;
  const Launch launch = FindLaunch(header->parent_pid != 0);
  header->rank = launch.rank;
  header->local_rank = launch.local_rank;
  header->world_size = launch.world_size;
  header->role = static_cast<uint32_t>(launch.role);
  header->clock_kind = static_cast<uint32_t>(clock);
  header->pairs[0] = first;
  header->clock_pair_count = 1;
  prctl(PR_GET_NAME, header->program);
  CompareClocks();
  // Who sees the magic sees the header.
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header->magic, kMagic, sizeof kMagic);
  process->is_open = 1;
  process->first_step_ticks = static_cast<pid_t>(pid) == begun_pid ? begun_ticks : first.ticks;
  region_pid = pid;
  WriteAllNames();
  SayHello(launch);
  return true;
}

void Begin() {
  ChooseClock();
  begun_ticks = Ticks();
  begun_pid = getpid();
  if (++generation_count == 0) ++generation_count;
  __atomic_store_n(&telltale_recording_now, generation_count, __ATOMIC_RELEASE);
}

// Only this: no file is made before something is recorded.
__attribute__((constructor(101))) void BeginByEnvironment() {
  const char* const folder = std::getenv("TELLTALE_RUN_DIR");
  if (folder == nullptr || *folder != '/' || std::strlen(folder) + 8 > sizeof run_folder) return;
  std::memcpy(run_folder, folder, std::strlen(folder) + 1);
  Begin();
}

__attribute__((destructor(101))) void EndWithProcess() {
  telltale_stop();
  // Where the library itself is unloaded, threads must not look for its code when they end.
  DeleteThreadKey();
}

}  // namespace

int MakeFileBesideRegion(const char* ending) {
  const Locked locked;
  return EnsureRegion() ? MakeFile(process->stem, ending) : -1;
}

bool EnsureRegion() {
  if (process == nullptr) return false;
  if (telltale_recording_now == 0) return false;
  if (process->is_open != 0) return true;
  if (OpenRegion()) return true;
  __atomic_store_n(&telltale_recording_now, 0, __ATOMIC_RELEASE);
  return false;
}

char* AppendNumber(char* at, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *at++ = digits[--count];
  return at;
}

char* AppendText(char* at, const char* end, const char* text) {
  while (*text != '\0' && at + 1 < end) *at++ = *text++;
  *at = '\0';
  return at;
}

}  // namespace telltale::record

using namespace telltale::record;  // NOLINT: the C functions are this file's own

int telltale_start(const char* run_dir) {
  char folder[sizeof run_folder] = {};
  const char* const given = std::getenv("TELLTALE_RUN_DIR");
  bool is_new = false;
  const WithoutSignals quiet;
  {
    const Locked locked;
    if (process == nullptr) return 0;
    if (telltale_recording_now != 0 && (process->is_open != 0 || run_dir == nullptr))
      return EnsureRegion() ? 1 : 0;
    if (run_dir == nullptr) run_dir = given;
    if (run_dir == nullptr || *run_dir == '\0') return 0;
    if (!AbsolutePath(run_dir, folder, sizeof folder)) return 0;
    // In a child of fork(), which has no region yet: its parent started the collector.
    if (telltale_recording_now != 0 && std::strcmp(folder, run_folder) == 0)
      return EnsureRegion() ? 1 : 0;
    is_new = given == nullptr || std::strcmp(given, folder) != 0;
    std::memcpy(run_folder, folder, sizeof folder);
    Begin();
    if (!EnsureRegion()) return 0;
  }
  if (is_new) StartCollector(folder);
  return 1;
}

void telltale_stop(void) {
  if (telltale_recording() == 0) return;
  // What waits for room on the disk is written by a thread.
  const bool is_held = process != nullptr && process->is_open != 0 && process->held != nullptr;
  Thread* const thread = is_held ? BoundThread() : nullptr;
  const Locked locked;
  if (process == nullptr || telltale_recording_now == 0) return;
  __atomic_store_n(&telltale_recording_now, 0, __ATOMIC_RELEASE);
  if (process->is_open == 0) return;
  BringInAll(thread);
  __atomic_store_n(&process->header->state, static_cast<uint32_t>(RegionState::kClosed),
                   __ATOMIC_RELEASE);
  ::close(process->file);
  ForgetRegion();
}
