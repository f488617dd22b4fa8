// SPDX-License-Identifier: Apache-2.0
#include "formats/discover.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/digits.h"
#include "io/folder_entries.h"

namespace telltale {

namespace {

namespace fs = std::filesystem;

bool RemoveSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// A file with what decides its place among the others.
struct Found {
  fs::path path;
  TraceName name;
};

InputFile ToInput(const Found& found) {
  InputFile input;
  input.path = found.path.string();
  if (found.name.is_pt_trace) input.worker = found.name.worker;
  input.rank = RankFromPath(input.path);
  return input;
}

// Spans count the digit strings of one worker in one folder, in the order of their text.
void AddFiles(const std::vector<Found>& found, Discovery& discovery) {
  std::map<std::pair<fs::path, std::string>, std::set<std::string>> digits_of;
  const auto key = [](const Found& f) { return std::pair(f.path.parent_path(), f.name.worker); };
  for (const Found& f : found) {
    if (!f.name.digits.empty()) digits_of[key(f)].insert(f.name.digits);
  }
  for (const Found& f : found) {
    InputFile input = ToInput(f);
    if (!f.name.digits.empty()) {
      const std::set<std::string>& digits = digits_of[key(f)];
      input.span = 1 + std::distance(digits.begin(), digits.find(f.name.digits));
    }
    discovery.files.push_back(std::move(input));
  }
}

void SortWithinFolders(std::vector<Found>& found) {
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (const auto o = NaturalOrder(a.path.parent_path().native(), b.path.parent_path().native());
        o != 0) {
      return o < 0;
    }
    if (const auto o = NaturalOrder(a.name.worker, b.name.worker); o != 0) return o < 0;
    if (a.name.digits != b.name.digits) return a.name.digits < b.name.digits;
    return a.path.native() < b.path.native();
  });
}

struct FolderContent {
  std::vector<Found> pt_traces;
  std::vector<Found> other_traces;  // JSON files and Perfetto traces
  std::vector<Found> function_profiles;
  size_t other_files = 0;
};

// Real folders come before linked ones, and no folder twice: a link that leads back ends the way
// there.
FolderContent Walk(const fs::path& top, std::vector<Error>& failures) {
  FolderContent content;
  std::deque<fs::path> folders = {top};
  std::deque<fs::path> linked;
  std::set<fs::path> visited;
  std::error_code error;
  while (!folders.empty() || !linked.empty()) {
    std::deque<fs::path>& next = folders.empty() ? linked : folders;
    const fs::path folder = std::move(next.front());
    next.pop_front();
    const fs::path real = fs::canonical(folder, error);
    if (!error && !visited.insert(real).second) continue;

    FolderEntries entry(folder, error);
    if (error) {
      failures.push_back({ErrorCode::kUnreadable,
                          "cannot look into the folder " + folder.string() + ": " +
                              error.message() + "; its traces are missing here",
                          std::nullopt});
      continue;
    }
    while (entry.Next(error)) {
      const std::string_view name = entry.name();
      if (entry.is_folder()) {
        if (name.starts_with('.')) continue;
        (entry.is_link() ? linked : folders).push_back(entry.path());
      } else if (entry.is_regular_file()) {
        TraceName trace = ParseTraceName(name);
        if (trace.is_pt_trace) {
          content.pt_traces.push_back({entry.path(), std::move(trace)});
        } else if ((trace.is_json || trace.is_perfetto) && !name.starts_with('.')) {
          content.other_traces.push_back({entry.path(), std::move(trace)});
        } else if (IsFunctionProfileName(name) && !name.starts_with('.')) {
          content.function_profiles.push_back({entry.path(), std::move(trace)});
        } else {
          ++content.other_files;
        }
      }
    }
  }
  return content;
}

// rank0.pftrace beside rank0.json is the same trace in another format.
void LeaveOutConversions(std::vector<Found>& found) {
  std::set<std::pair<fs::path, std::string>> json;
  for (const Found& f : found) {
    if (f.name.is_json) json.insert({f.path.parent_path(), f.name.worker});
  }
  std::erase_if(found, [&](const Found& f) {
    return f.name.is_perfetto && json.contains({f.path.parent_path(), f.name.worker});
  });
}

void AddFolder(const fs::path& folder, Discovery& discovery) {
  const size_t failures_before = discovery.failures.size();
  FolderContent content = Walk(folder, discovery.failures);
  LeaveOutConversions(content.other_traces);
  std::vector<Found>& found = !content.pt_traces.empty()      ? content.pt_traces
                              : !content.other_traces.empty() ? content.other_traces
                                                              : content.function_profiles;
  if (found.empty()) {
    if (discovery.failures.size() > failures_before) return;  // said already
    const size_t others = content.other_files;
    const std::string there = others == 0   ? "no file"
                              : others == 1 ? "one other file"
                                            : std::to_string(others) + " other files";
    discovery.failures.push_back(
        {ErrorCode::kUnreadable,
         "the folder " + folder.string() +
             " holds no trace: expected <worker>.<digits>.pt.trace.json[.gz|.zst], other .json, "
             ".pftrace, .perfetto-trace or .prof files, found " +
             there +
             "; name the folder that torch.profiler.tensorboard_trace_handler wrote to, or the "
             "trace file itself",
         std::nullopt});
    return;
  }
  SortWithinFolders(found);
  AddFiles(found, discovery);
}

}  // namespace

std::strong_ordering NaturalOrder(std::string_view a, std::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j]) {
        return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[j]);
      }
      ++i, ++j;
      continue;
    }
    const auto number = [](std::string_view text, size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const size_t start = at;
      while (at < text.size() && IsDigit(text[at])) ++at;
      return text.substr(start, at - start);
    };
    const std::string_view m = number(a, i);
    const std::string_view n = number(b, j);
    if (m.size() != n.size()) return m.size() <=> n.size();
    if (m != n) return m <=> n;
  }
  if (const auto order = (a.size() - i) <=> (b.size() - j); order != 0) return order;
  return a <=> b;
}

std::optional<RankInText> FindRank(std::string_view text) {
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), lower);
  constexpr std::string_view kWord = "rank";
  for (size_t at = folded.find(kWord); at != std::string::npos; at = folded.find(kWord, at + 1)) {
    if (at > 0 && std::isalpha(static_cast<unsigned char>(folded[at - 1])) != 0) continue;
    const std::string_view before = std::string_view(folded).substr(0, at);
    if (before.ends_with("local_") || before.ends_with("local-")) continue;
    size_t digits = at + kWord.size();
    if (digits < folded.size() &&
        std::string_view("-_=").find(folded[digits]) != std::string::npos) {
      ++digits;
    }
    int64_t rank = 0;
    const char* begin = folded.data() + digits;
    const char* end = folded.data() + folded.size();
    if (begin == end || !IsDigit(*begin)) continue;
    const auto [last, error] = std::from_chars(begin, end, rank);
    if (error != std::errc()) continue;
    return RankInText{digits, static_cast<size_t>(last - begin), rank};
  }
  return std::nullopt;
}

TraceName ParseTraceName(std::string_view file_name) {
  TraceName name;
  std::string_view stem = file_name;
  if (!RemoveSuffix(stem, ".gz")) RemoveSuffix(stem, ".zst");
  name.is_json = RemoveSuffix(stem, ".json");
  name.is_perfetto =
      !name.is_json && (RemoveSuffix(stem, ".pftrace") || RemoveSuffix(stem, ".perfetto-trace"));
  if (name.is_json && RemoveSuffix(stem, ".pt.trace")) {
    size_t digits = stem.size();
    while (digits > 0 && IsDigit(stem[digits - 1])) --digits;
    if (digits < stem.size() && digits > 1 && stem[digits - 1] == '.') {
      name.digits = stem.substr(digits);
      stem.remove_suffix(stem.size() - digits + 1);
    }
    name.is_pt_trace = !stem.empty();
  }
  name.worker = stem.empty() ? file_name : stem;
  return name;
}

bool IsFunctionProfileName(std::string_view file_name) {
  if (!RemoveSuffix(file_name, ".gz")) RemoveSuffix(file_name, ".zst");
  return file_name.ends_with(".prof") || file_name.ends_with(".pstats") ||
         file_name.ends_with(".cprof");
}

std::optional<int64_t> RankFromPath(std::string_view path) {
  const fs::path whole(path);
  if (const auto found = FindRank(whole.filename().string())) return found->rank;
  const auto found = FindRank(whole.parent_path().filename().string());
  return found ? std::optional(found->rank) : std::nullopt;
}

Discovery Discover(std::span<const std::string> paths) {
  Discovery discovery;
  std::vector<Found> named;  // files named one after the other share their spans
  const auto add_named = [&] {
    AddFiles(named, discovery);
    named.clear();
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-") {
      add_named();
      discovery.files.push_back({path, "", std::nullopt, std::nullopt});
    } else if (fs::is_directory(path, error)) {
      add_named();
      AddFolder(path, discovery);
    } else {
      // Whether it exists and may be read shows when it is opened.
      named.push_back({path, ParseTraceName(fs::path(path).filename().string())});
    }
  }
  add_named();
  return discovery;
}

}  // namespace telltale
