// SPDX-License-Identifier: Apache-2.0
// Several files are read side by side, as many as there are threads: what they hold at a time are
// their columns and a few blocks of text each.
#include "formats/load.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "formats/memory_meter.h"
#include "formats/registry.h"
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

// Bytes over all files, as one count that only grows. Files may report from several threads.
class Progress {
 public:
  Progress(const std::vector<const InputFile*>& files, const LoadOptions& options)
      : options_(options), done_bytes_(files.size(), 0) {
    if (!options.progress) return;
    for (const InputFile* file : files) {
      const uint64_t size = SizeOf(file->path);
      if (size == 0) {
        total_bytes_ = 0;  // a pipe: no total
        return;
      }
      total_bytes_ += size;
    }
  }
  void Report(size_t file, uint64_t done_bytes) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    sum_bytes_ += done_bytes - done_bytes_[file];
    done_bytes_[file] = done_bytes;
    options_.progress(sum_bytes_, total_bytes_);
  }

 private:
  const LoadOptions& options_;
  uint64_t total_bytes_ = 0;
  std::mutex mutex_;
  std::vector<uint64_t> done_bytes_;  // of each file
  uint64_t sum_bytes_ = 0;
};

Error WithPath(Error error, const std::string& path) {
  const std::string shown = ShownPath(path);
  if (error.message.find(shown) == std::string::npos) {
    error.message.insert(0, shown + ": ");
  }
  return error;
}

std::string OverBudget(const FileMemory& memory) {
  return "takes the " + std::to_string(memory.limit_bytes()) +
         " bytes that --memory-budget allows; raise it, or record fewer steps";
}

// The reader took the early end of its source for that of the file.
void DescribeStop(const ByteSource& source, const FileMemory& memory, Diagnostics& diagnostics) {
  diagnostics.Remove(DiagnosticKind::kTruncated);
  std::string message = "reading stopped after " + std::to_string(source.consumed_bytes());
  if (const auto total = source.total_bytes()) message += " of " + std::to_string(*total);
  message += " bytes: what was read so far " + OverBudget(memory);
  diagnostics.AddWithDetail(DiagnosticKind::kMemoryLimit, memory.offset(), std::move(message));
}

void DescribeSource(const InputFile& file, const ByteSource& source, std::string_view format,
                    int64_t rank_inside, const FileMemory* memory, Artifact& artifact) {
  const bool stopped = memory != nullptr && memory->stopped();
  const uint64_t consumed = source.consumed_bytes();
  const uint64_t total = source.total_bytes().value_or(consumed);
  const bool compressed = std::string_view(source.compression()) != "none";
  // A decoder may stop before text behind its stream's end.
  const bool changed = consumed > total || (consumed < total && !compressed && !stopped);
  ProfileSource& described = artifact.source();
  described.path = file.path;
  described.stamp = source.stamp().value_or(FileStamp());
  described.format = format;
  described.compression = source.compression();
  described.bytes = changed ? consumed : total;
  described.worker = file.worker;
  described.span = file.span.value_or(kNoInt);
  described.rank = rank_inside != kNoInt ? rank_inside : file.rank.value_or(kNoInt);

  if (stopped) DescribeStop(source, *memory, artifact.diagnostics());
  if (changed) {
    artifact.diagnostics().AddWithDetail(
        DiagnosticKind::kGrowing, consumed,
        "the file " + std::string(consumed > total ? "grew" : "shrank") + " from " +
            std::to_string(total) + " to " + std::to_string(consumed) +
            " bytes while it was read; what was there was used");
  }
}

// `source` is replaced by one that fits what it holds.
Result<Artifact> ReadOne(const InputFile& file, std::unique_ptr<ByteSource>& source,
                         const ReadOptions& read) {
  const Result<std::string> head = Peek(source, kHeadBytes);
  if (!head) return tl::unexpected(head.error());
  if (read.memory != nullptr) source = WithinMemory(std::move(source), *read.memory);
  const Format& format = FormatToRead(*head, file.path);
  Result<Artifact> artifact = format.read(*source, read);
  if (!artifact) {
    Error error = std::move(artifact.error());
    const auto problem = source->problem();
    if (problem && format.kind == ContentKind::kTrace && error.code == ErrorCode::kUnreadable) {
      error.message = problem->message +
                      "; what could be decoded before that is no trace; copy or record the "
                      "file again";
      error.offset = problem->offset;
    }
    return tl::unexpected(std::move(error));
  }
  const Trace* const trace = artifact->As<Trace>();
  const int64_t rank_inside =
      trace != nullptr && trace->distributed.present ? trace->distributed.rank : kNoInt;
  DescribeSource(file, *source, format.name, rank_inside, read.memory, *artifact);
  return artifact;
}

Result<Artifact> LoadOne(const InputFile& file, const LoadOptions& options, unsigned threads,
                         const std::function<void(uint64_t)>& progress) {
  try {
    std::optional<FileMemory> memory;
    if (options.memory != nullptr) memory.emplace(*options.memory);
    if (options.memory != nullptr && options.memory->full()) {
      return Fail(ErrorCode::kUnreadable, ShownPath(file.path) +
                                              ": was not read: what was read of the others " +
                                              OverBudget(*memory));
    }
    Result<std::unique_ptr<ByteSource>> source = OpenSource(file.path, options.gate);
    if (!source) return tl::unexpected(WithPath(source.error(), file.path));
    ReadOptions read;
    read.threads = threads;
    read.call_pairs = options.call_pairs;
    read.canceled = options.canceled;
    read.memory = memory ? &*memory : nullptr;
    read.progress = progress;
    Result<Artifact> artifact = ReadOne(file, *source, read);
    if (memory) {
      memory->Set(artifact ? artifact->memory_bytes() : 0);
      if (!artifact && memory->stopped() && artifact.error().code == ErrorCode::kUnreadable) {
        artifact.error().message =
            "too little could be read of it: that alone " + OverBudget(*memory);
      }
    }
    if (!artifact) return tl::unexpected(WithPath(std::move(artifact.error()), file.path));
    return artifact;
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kUnreadable,
                ShownPath(file.path) +
                    ": there is not enough memory to read it; close other programs, or record "
                    "fewer steps");
  }
}

// Says it once for each file beyond the first.
void MarkDuplicateRanks(std::vector<Artifact>& artifacts) {
  std::map<std::pair<int64_t, int64_t>, const Trace*> first;
  for (Artifact& artifact : artifacts) {
    Trace* const trace = artifact.As<Trace>();
    if (trace == nullptr || trace->source.rank == kNoInt) continue;
    const auto [at, is_new] =
        first.try_emplace(std::pair(trace->source.rank, trace->source.span), trace);
    if (is_new) continue;
    trace->diagnostics.AddWithDetail(DiagnosticKind::kDuplicateRank, std::nullopt,
                                     trace->source.path + " and " + at->second->source.path +
                                         " both claim rank " + std::to_string(trace->source.rank) +
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

// In the order of `files`. Each file has a share of the threads, but never less than two: one file
// may be much larger than the others.
std::vector<Result<Artifact>> LoadSideBySide(const std::vector<const InputFile*>& files,
                                             const LoadOptions& options) {
  const unsigned threads = ThreadCount(options.threads);
  const auto workers = static_cast<unsigned>(std::min<size_t>(threads, files.size()));
  const unsigned threads_of_file = std::min(threads, std::max(2U, threads / std::max(1U, workers)));
  Progress progress(files, options);
  std::vector<Result<Artifact>> artifacts(files.size());
  ForEachOnThreads(workers, files.size(), [&](size_t file) {
    artifacts[file] = LoadOne(*files[file], options, threads_of_file,
                              [&, file](uint64_t done) { progress.Report(file, done); });
  });
  return artifacts;
}

}  // namespace

Result<Subject> LoadFiles(std::span<const InputFile> files, std::vector<Error> failures,
                          const LoadOptions& options) {
  Subject subject;
  subject.failures = std::move(failures);
  std::vector<Artifact> wanted;
  size_t read_count = 0;
  std::set<int64_t> ranks;

  const auto load = [&](const std::vector<const InputFile*>& some) -> Result<void> {
    for (Result<Artifact>& artifact : LoadSideBySide(some, options)) {
      if (!artifact) {
        if (artifact.error().code == ErrorCode::kCanceled) return tl::unexpected(artifact.error());
        subject.failures.push_back(std::move(artifact.error()));
        continue;
      }
      ++read_count;
      if (const Trace* const trace = artifact->As<Trace>()) {
        if (trace->source.rank != kNoInt) ranks.insert(trace->source.rank);
        if (options.rank && trace->source.rank != *options.rank) continue;
      }
      wanted.push_back(std::move(*artifact));
    }
    return {};
  };
  // Names that promise another rank than the wanted one are opened only if the others had none, for
  // a name may be wrong and gigabytes take their time.
  std::vector<const InputFile*> likely;
  std::vector<const InputFile*> unlikely;
  for (const InputFile& file : files) {
    const bool promises_other = options.rank && file.rank.value_or(*options.rank) != *options.rank;
    (promises_other ? unlikely : likely).push_back(&file);
  }
  if (const Result<void> done = load(likely); !done) return tl::unexpected(done.error());
  if (wanted.empty()) {
    if (const Result<void> done = load(unlikely); !done) return tl::unexpected(done.error());
  }

  if (read_count == 0) return tl::unexpected(std::move(subject.failures.front()));
  if (wanted.empty()) return tl::unexpected(NoSuchRank(*options.rank, ranks, files.size()));
  MarkDuplicateRanks(wanted);
  for (Artifact& artifact : wanted) subject.Add(std::move(artifact));
  return subject;
}

}  // namespace telltale
