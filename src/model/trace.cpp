// SPDX-License-Identifier: Apache-2.0
#include "model/trace.h"

#include <algorithm>
#include <array>

#include "model/trace_columns.h"

namespace telltale {

namespace {

struct KnownCategory {
  std::string_view text;  // lower case
  Category category;
};

constexpr auto kKnownCategories = std::to_array<KnownCategory>({
    {"cpu_op", Category::kOperator},
    {"operator", Category::kOperator},
    {"user_annotation", Category::kAnnotation},
    {"runtime", Category::kRuntime},
    {"kernel", Category::kKernel},
    {"mtia_ccp_events", Category::kKernel},
    {"gpu_memcpy", Category::kMemcpy},
    {"memcpy", Category::kMemcpy},
    {"gpu_memset", Category::kMemset},
    {"memset", Category::kMemset},
    {"python_function", Category::kPython},
    {"python", Category::kPython},
    {"gpu_user_annotation", Category::kGpuAnnotation},
    {"cuda_sync", Category::kSync},
    {"xpu_sync", Category::kSync},
    {"overhead", Category::kOverhead},
    {"trace", Category::kTraceSpan},
});

constexpr std::array<std::string_view, kCategoryCount> kCategoryNames = {
    "operator",       "annotation", "runtime",  "kernel", "memcpy", "memset",   "python",
    "gpu_annotation", "sync",       "overhead", "trace",  "other",  "unmatched"};

}  // namespace

std::string_view NameOf(Category category) { return kCategoryNames[static_cast<size_t>(category)]; }

Category CategoryOf(std::string_view cat_text) {
  std::string lower(cat_text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const KnownCategory& known : kKnownCategories) {
    if (known.text == lower) return known.category;
  }
  if (lower.ends_with("_runtime") || lower.ends_with("_driver")) return Category::kRuntime;
  return Category::kOther;
}

std::string_view Trace::Metadata(std::string_view key) const {
  for (const auto& [name, value] : metadata) {
    if (name == key) return value;
  }
  return {};
}

size_t Trace::memory_bytes() const {
  size_t rest = tracks.capacity() * sizeof(Track) + processes.capacity() * sizeof(Process) +
                categories.capacity() * sizeof(CategoryEntry) +
                devices.capacity() * sizeof(DeviceProperties) +
                metadata.capacity() * sizeof(metadata[0]);
  for (const auto& [key, value] : metadata) rest += key.size() + value.size();
  return rest + ColumnBytes(*this) + strings.memory_bytes();
}

}  // namespace telltale
