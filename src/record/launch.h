// SPDX-License-Identifier: Apache-2.0
// What surrounds the process: its place among ranks, as launchers tell it by the environment, and
// the collector.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/layout.h"

namespace telltale::record {

struct Launch {
  int32_t rank = -1;
  int32_t local_rank = -1;
  int32_t world_size = 0;
  Role role = Role::kMain;
};

// `was_forked`: by a process that records.
Launch FindLaunch(bool was_forked);

// One packet to RUN/.live/socket. Nothing depends on its arrival: the collector also looks into the
// folder.
void SayHello(const Launch& launch);

bool AbsolutePath(const char* path, char* out, size_t size);
// `telltale collect FOLDER`, as a process that nobody waits for, where $TELLTALE_PROGRAM or the
// path has the program.
void StartCollector(const char* folder);

}  // namespace telltale::record
