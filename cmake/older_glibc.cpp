// SPDX-License-Identifier: Apache-2.0
// The two functions that GCC's static libraries take from a glibc newer than 2.34: with these in
// the program it starts on that one, too. Only for programs that must run on machines older than
// the one that builds them (portable.cmake).
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#pragma GCC visibility push(hidden)

// For std::random_device.
extern "C" uint32_t arc4random() {
  uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) std::abort();  // as glibc does
  return number;
}

namespace {

struct Search {
  uintptr_t place;
  dl_find_object* found;
};

int LookInto(dl_phdr_info* object, size_t /*size*/, void* data) {
  auto* search = static_cast<Search*>(data);
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool has_place = false;
  void* frames = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) frames = reinterpret_cast<void*>(start);
    if (part.p_type != PT_LOAD) continue;
    if (begin == end) begin = start;
    end = start + part.p_memsz;
    has_place = has_place || (search->place >= start && search->place < end);
  }
  if (!has_place || frames == nullptr) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_map_start = reinterpret_cast<void*>(begin);
  search->found->dlfo_map_end = reinterpret_cast<void*>(end);
  search->found->dlfo_link_map = nullptr;
  search->found->dlfo_eh_frame = frames;
  return 1;
}

}  // namespace

// For exceptions: where the tables of the code at an address are. 0: found.
extern "C" int _dl_find_object(void* place, dl_find_object* found) noexcept {
  Search search{reinterpret_cast<uintptr_t>(place), found};
  return dl_iterate_phdr(LookInto, &search) == 1 ? 0 : -1;
}

#pragma GCC visibility pop
