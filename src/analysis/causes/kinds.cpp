// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/work/copies.h"

namespace telltale {

namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace

std::string_view RuleOf(CauseKind kind) {
  static constexpr std::array<std::string_view, kCauseKindCount> kRules = {
      "dataloader_wait", "allocation_calls",   "synchronization",
      "runtime_call",    "host_code",          "host_operator",
      "launch_bound",    "host_device_copies", "garbage_collection",
      "compilation",     "profiler_overhead",  "uneven_work",
      "collective_wait", "late_rank",          "slow_steps",
      "communication",   "unexplained",        "work"};
  return kRules[static_cast<size_t>(kind)];
}

bool IsAllocationCall(std::string_view call) {
  // Longer than any call.
  if (call.size() > 64) return false;
  const std::string name = Lower(call);
  static constexpr std::array<std::string_view, 13> kParts = {
      "malloc",      "hostalloc",  "memalloc",     "memcreate",      "memmap",
      "memunmap",    "memrelease", "hostregister", "hostunregister", "addressreserve",
      "addressfree", "memfree",    "free"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool IsCompileRange(std::string_view name) {
  // dynamo_timed names every phase of a compilation so; the plain names are those of torch 2.13 on.
  return name.ends_with("(dynamo_timed)") || name == "dynamo" || name == "entire_frame_compile" ||
         name.starts_with("_compile.compile_inner") || name.starts_with("compile_fx");
}

bool BeginsCapture(std::string_view call) {
  return call.find("BeginCapture") != std::string_view::npos;
}

bool IsGarbageCollection(std::string_view name) {
  return name == "Python GC" || name == "gc" || name == "gc.collect" ||
         name == "garbage_collection" || name == "<built-in function collect>" ||
         (name.starts_with("<built-in ") && name.find(" collect") != std::string_view::npos);
}

bool IsProfilerFrame(std::string_view name) {
  return name.find("torch/profiler/") != std::string_view::npos ||
         name.find("torch/autograd/profiler") != std::string_view::npos;
}

bool IsHostCopy(std::string_view copy) {
  const std::string_view direction = CopyDirection(copy);
  return direction == "HtoD" || direction == "DtoH";
}

}  // namespace telltale
