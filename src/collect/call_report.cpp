// SPDX-License-Identifier: Apache-2.0
#include "collect/call_report.h"

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "collect/call_reader.h"
#include "collect/files.h"
#include "collect/run_name.h"
#include "formats/pprof/writer.h"
#include "formats/pstats/writer.h"
#include "io/byte_sink.h"

namespace telltale {

namespace {

constexpr size_t kMostBytes = size_t{record::kMostCallExtents} * record::kCallExtentBytes;
// Lightning alone has some seventy hooks. Those that took next to nothing are in the whole.
constexpr size_t kMostActions = 24;
constexpr double kLeastShare = 0.01;  // of the one that took most
constexpr int kMostNames = 10'000;

std::string NameOf(const ProcessFacts& process) {
  if (process.is_worker) return fmt::format("worker-{}", process.pid);
  if (process.rank) return fmt::format("rank{}", *process.rank);
  return process.is_main ? "main" : fmt::format("process-{}", process.pid);
}

// A stem that no file has yet.
std::string FreeStem(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  for (int number = 1; number < kMostNames; ++number) {
    std::string stem = number == 1 ? fmt::format("{}/{}", folder, name)
                                   : fmt::format("{}/{}-{}", folder, name, number);
    if (!std::filesystem::exists(stem + ".prof", ignored)) return stem;
  }
  return fmt::format("{}/{}", folder, name);
}

Result<void> WritePstatsFile(const FunctionProfile& profile, const std::string& path) {
  const Result<std::string> bytes = WritePstats(profile);
  if (!bytes) return tl::unexpected(bytes.error());
  return WriteWhole(path, *bytes, false);
}

Result<void> WritePprofFile(const FunctionProfile& profile, const std::string& path) {
  const Result<std::string> bytes = WritePprof(profile);
  if (!bytes) return tl::unexpected(bytes.error());
  std::string packed;
  const std::unique_ptr<ByteSink> sink =
      MakeCompressingSink(MakeStringSink(packed), SinkCompression::kGzip);
  sink->Write(*bytes);
  if (Result<void> closed = sink->Close(); !closed) return closed;
  return WriteWhole(path, packed, false);
}

Result<void> WriteActions(const RecordedCalls& calls, const std::string& folder) {
  const std::vector<ActionProfile> actions = ActionProfilesOf(calls, kMostActions, kLeastShare);
  if (!actions.empty()) ::mkdir(folder.c_str(), 0755);
  std::set<std::string> taken;
  for (const ActionProfile& action : actions) {
    if (action.profile.tree.size() == 0) continue;
    std::string name = FileNameOf(action.name);
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = fmt::format("{}-{}", FileNameOf(action.name), number);
    }
    Result<void> written = WritePstatsFile(action.profile, fmt::format("{}/{}.prof", folder, name));
    if (!written) return written;
  }
  return {};
}

}  // namespace

Result<void> WriteCalls(const std::string& live, const std::string& profiler_folder,
                        const ProcessFacts& process, int64_t end_ns, std::string& remark) {
  const Result<std::string> bytes = ReadFile(live, kMostBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  const Result<RecordedCalls> calls = ReadCalls(*bytes, end_ns);
  if (!calls) return tl::unexpected(calls.error());
  const FunctionProfile whole = ProfileOf(*calls, false);
  // A process that ended before its program began.
  if (whole.tree.size() == 0) return {};
  const std::string folder = profiler_folder + "/advanced";
  ::mkdir(folder.c_str(), 0755);
  const std::string stem = FreeStem(folder, NameOf(process));
  Result<void> written = WriteActions(*calls, stem);
  if (written) written = WritePprofFile(ProfileOf(*calls, true), stem + ".pprof.gz");
  // The last: with it the name is taken.
  if (written) written = WritePstatsFile(whole, stem + ".prof");
  if (calls->uncounted > 0) {
    remark = fmt::format(
        "advanced: {} calls of process {} are counted by function only: it has more call paths "
        "than there is room for",
        calls->uncounted, process.pid);
  } else if (calls->damaged > 0) {
    remark = fmt::format("advanced: {} call paths of process {} made no sense and are left out",
                         calls->damaged, process.pid);
  }
  return written;
}

}  // namespace telltale
