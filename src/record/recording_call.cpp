// SPDX-License-Identifier: Apache-2.0
// telltale_recording for who has no header (ctypes, dlsym): there it is inline. A file of its own,
// because the inline one has the same name.
#include <cstdint>

extern "C" {
extern uint32_t telltale_recording_now;
__attribute__((visibility("default"))) int telltale_recording(void);
}

int telltale_recording(void) {
  return __atomic_load_n(&telltale_recording_now, __ATOMIC_RELAXED) != 0 ? 1 : 0;
}
