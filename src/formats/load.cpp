// SPDX-License-Identifier: Apache-2.0
// Files are read one after the other, each with all threads: the columns of one are done before the
// next one's text takes memory.
#include "formats/load.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "formats/discover.h"
#include "formats/function_format.h"
#include "formats/kineto_json/reader.h"
#include "io/byte_source.h"

namespace telltale {

namespace {

// Shown instead of "-".
std::string ShownPath(const std::string& path) { return path == "-" ? "standard input" : path; }

uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const uintmax_t size =
      std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
  return error ? 0 : size;
}

// Bytes over all files, as one count that only grows.
class Progress {
 public:
  Progress(const std::vector<InputFile>& files, const LoadOptions& options) : options_(options) {
    if (!options.progress) return;
    for (const InputFile& file : files) {
      const uint64_t size = SizeOf(file.path);
      if (size == 0) {
        total_bytes_ = 0;  // a pipe: no total
        return;
      }
      total_bytes_ += size;
    }
  }
  void Report(uint64_t of_this_file) const {
    if (options_.progress) options_.progress(done_bytes_ + of_this_file, total_bytes_);
  }
  void FileDone(uint64_t bytes) { done_bytes_ += bytes; }

 private:
  const LoadOptions& options_;
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
};

Error WithPath(Error error, const std::string& path) {
  const std::string shown = ShownPath(path);
  if (error.message.find(shown) == std::string::npos) {
    error.message.insert(0, shown + ": ");
  }
  return error;
}

void DescribeSource(const InputFile& file, const ByteSource& source, std::string_view format,
                    int64_t rank_inside, ProfileSource& described, Diagnostics& diagnostics) {
  const uint64_t consumed = source.consumed_bytes();
  const uint64_t total = source.total_bytes().value_or(consumed);
  const bool compressed = std::string_view(source.compression()) != "none";
  // A decoder may stop before text behind its stream's end.
  const bool changed = consumed > total || (consumed < total && !compressed);
  described.path = file.path;
  described.format = format;
  described.compression = source.compression();
  described.bytes = changed ? consumed : total;
  described.worker = file.worker;
  described.span = file.span.value_or(kNoInt);
  described.rank = rank_inside != kNoInt ? rank_inside : file.rank.value_or(kNoInt);

  if (changed) {
    diagnostics.AddWithDetail(DiagnosticKind::kGrowing, consumed,
                              "the file " + std::string(consumed > total ? "grew" : "shrank") +
                                  " from " + std::to_string(total) + " to " +
                                  std::to_string(consumed) +
                                  " bytes while it was read; what was there was used");
  }
}

using AnyProfile = std::variant<Trace, FunctionProfile>;

Result<AnyProfile> LoadOne(const InputFile& file, const LoadOptions& options, Progress& progress) {
  try {
    Result<std::unique_ptr<ByteSource>> source = OpenSource(file.path);
    if (!source) return tl::unexpected(WithPath(source.error(), file.path));
    const Result<std::string> head = Peek(*source, kHeadBytes);
    if (!head) return tl::unexpected(WithPath(head.error(), file.path));
    ReadOptions read;
    read.threads = options.threads;
    read.canceled = options.canceled;
    if (options.progress) {
      read.progress = [&](uint64_t consumed_bytes) { progress.Report(consumed_bytes); };
    }
    if (const FunctionFormat* format = FindFunctionFormat(*head, file.path)) {
      Result<FunctionProfile> functions = format->read(**source, read);
      progress.FileDone((*source)->consumed_bytes());
      if (!functions) return tl::unexpected(WithPath(std::move(functions.error()), file.path));
      DescribeSource(file, **source, format->name, kNoInt, functions->source,
                     functions->diagnostics);
      return AnyProfile(std::move(*functions));
    }
    Result<Trace> trace = ReadKinetoJson(**source, read);
    progress.FileDone((*source)->consumed_bytes());
    if (!trace) {
      Error error = std::move(trace.error());
      const auto problem = (*source)->problem();
      if (problem && error.code == ErrorCode::kUnreadable) {
        error.message = problem->message +
                        "; what could be decoded before that is no trace; copy or record the "
                        "file again";
        error.offset = problem->offset;
      }
      return tl::unexpected(WithPath(std::move(error), file.path));
    }
    DescribeSource(file, **source, "kineto_json",
                   trace->distributed.present ? trace->distributed.rank : kNoInt, trace->source,
                   trace->diagnostics);
    return AnyProfile(std::move(*trace));
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kUnreadable,
                ShownPath(file.path) +
                    ": there is not enough memory to read it; close other programs, or record "
                    "fewer steps");
  }
}

// Says it once for each file beyond the first.
void MarkDuplicateRanks(std::vector<Trace>& traces) {
  std::map<std::pair<int64_t, int64_t>, const Trace*> first;
  for (Trace& trace : traces) {
    if (trace.source.rank == kNoInt) continue;
    const auto [at, is_new] =
        first.try_emplace(std::pair(trace.source.rank, trace.source.span), &trace);
    if (is_new) continue;
    trace.diagnostics.AddWithDetail(DiagnosticKind::kDuplicateRank, std::nullopt,
                                    trace.source.path + " and " + at->second->source.path +
                                        " both claim rank " + std::to_string(trace.source.rank) +
                                        "; all of them were used");
  }
}

Error NoSuchRank(int64_t wanted, const std::set<int64_t>& ranks, size_t file_count) {
  std::string message = "there is no trace of rank " + std::to_string(wanted) + ": ";
  if (ranks.empty()) {
    message += file_count == 1 ? "the file does" : "the files do";
    message += " not say which rank it is, neither inside (distributedInfo) nor by name (rank0)";
  } else {
    message += ranks.size() == 1 ? "the only rank here is" : "the ranks here are";
    for (const int64_t rank : ranks) {
      message += (rank == *ranks.begin() ? " " : ", ") + std::to_string(rank);
    }
  }
  return {ErrorCode::kUsage, std::move(message), std::nullopt};
}

// Names that promise the wanted rank, or say nothing, come first: the others are opened only if
// those had none, for a name may be wrong and gigabytes take their time.
std::vector<const InputFile*> OrderForRank(const std::vector<InputFile>& files, int64_t rank) {
  std::vector<const InputFile*> order;
  for (const InputFile& file : files) order.push_back(&file);
  std::stable_partition(order.begin(), order.end(),
                        [&](const InputFile* file) { return file->rank.value_or(rank) == rank; });
  return order;
}

}  // namespace

Result<std::vector<InputFile>> FindInputs(std::span<const std::string> paths) {
  Discovery discovery = Discover(paths);
  if (!discovery.failures.empty()) return tl::unexpected(std::move(discovery.failures.front()));
  for (const InputFile& file : discovery.files) {
    // Opening a pipe would take bytes from it.
    std::error_code error;
    if (std::filesystem::exists(file.path, error) &&
        !std::filesystem::is_regular_file(file.path, error)) {
      continue;
    }
    if (file.path == "-") continue;
    if (auto source = OpenSource(file.path); !source) {
      return tl::unexpected(std::move(source.error()));
    }
  }
  return std::move(discovery.files);
}

Result<Loaded> LoadTraces(std::span<const std::string> paths, const LoadOptions& options) {
  if (paths.empty()) return Fail(ErrorCode::kUsage, "expected a trace file or a folder of traces");
  Discovery discovery = Discover(paths);
  Loaded loaded;
  loaded.failures = std::move(discovery.failures);
  Progress progress(discovery.files, options);
  std::set<int64_t> ranks;
  size_t read_count = 0;

  std::vector<const InputFile*> order;
  if (options.rank) {
    order = OrderForRank(discovery.files, *options.rank);
  } else {
    for (const InputFile& file : discovery.files) order.push_back(&file);
  }
  for (const InputFile* file : order) {
    const bool promises_other = options.rank && file->rank.value_or(*options.rank) != *options.rank;
    if (promises_other && !loaded.traces.empty()) break;
    Result<AnyProfile> profile = LoadOne(*file, options, progress);
    if (!profile) {
      if (profile.error().code == ErrorCode::kCanceled) return tl::unexpected(profile.error());
      loaded.failures.push_back(std::move(profile.error()));
      continue;
    }
    ++read_count;
    if (auto* functions = std::get_if<FunctionProfile>(&*profile)) {
      loaded.functions.push_back(std::move(*functions));
      continue;
    }
    Trace* const trace = &std::get<Trace>(*profile);
    if (trace->source.rank != kNoInt) ranks.insert(trace->source.rank);
    if (options.rank && trace->source.rank != *options.rank) continue;
    loaded.traces.push_back(std::move(*trace));
  }

  if (read_count == 0) return tl::unexpected(std::move(loaded.failures.front()));
  if (loaded.traces.empty() && loaded.functions.empty()) {
    return tl::unexpected(NoSuchRank(*options.rank, ranks, discovery.files.size()));
  }
  MarkDuplicateRanks(loaded.traces);
  return loaded;
}

}  // namespace telltale
