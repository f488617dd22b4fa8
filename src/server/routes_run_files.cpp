// SPDX-License-Identifier: Apache-2.0
// The files in a run's folder: what is there, and the bytes of one. Paths are below that folder,
// and the gate decides what is opened.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "io/folder_entries.h"
#include "server/blob_response.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/run_routes.h"

namespace telltale {

namespace {

constexpr size_t kMostEntries = 10'000;
// Of a file as a whole (limit=0).
constexpr uint64_t kLargestWhole = uint64_t{512} << 20;

struct Entry {
  std::string name;
  bool is_folder = false;
  std::optional<FileStamp> stamp;
};

std::span<const ParamSpec> FilesParams() {
  static const std::array<ParamSpec, 2> specs = {{
      {.name = "path", .type = ParamType::kText},
      {.name = "raw"},
  }};
  return specs;
}

HttpResponse Files(const RouteContext& context, const RouteRequest& request) {
  return WithRun(context, request.values[0], request.params.Has("raw"), [&](const ListedRun& run) {
    const FileGate& gate = context.runs->workspace().gate();
    const std::optional<std::string> folder = PathBelow(run.info.path, request.params.Text("path"));
    if (!folder || !gate.Allows(*folder)) return NoSuchFile();
    std::error_code error;
    FolderEntries entries(*folder, error);
    if (error) return NoSuchFile();
    std::vector<Entry> found;
    size_t total = 0;
    while (entries.Next(error)) {
      ++total;
      if (found.size() >= kMostEntries) continue;
      Entry entry;
      entry.name = entries.name();
      const std::string path = fmt::format("{}/{}", *folder, entry.name);
      if (entries.is_link() && !gate.Allows(path)) continue;
      entry.is_folder = entries.is_folder();
      if (!entry.is_folder) entry.stamp = StampOf(path);
      if (entry.is_folder || entry.stamp) found.push_back(std::move(entry));
    }
    std::ranges::sort(found, [](const Entry& left, const Entry& right) {
      return std::pair(!left.is_folder, std::string_view(left.name)) <
             std::pair(!right.is_folder, std::string_view(right.name));
    });
    JsonWriter json(false);
    json.BeginObject();
    json.Field("path", RepairUtf8(request.params.Text("path")));
    json.Field("total", total);
    json.Key("files");
    json.BeginArray();
    for (const Entry& entry : found) {
      if (json.size() > kLastRowBegins) break;
      json.BeginObject();
      json.Field("name", RepairUtf8(entry.name));
      json.Field("kind", entry.is_folder ? "folder" : "file");
      json.Field("bytes", entry.stamp ? std::optional(entry.stamp->bytes) : std::nullopt);
      json.Field("modified_ns", entry.stamp
                                    ? std::optional(std::to_string(entry.stamp->modified_ns))
                                    : std::nullopt);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return JsonResponse(json.Take());
  });
}

std::span<const ParamSpec> FileParams() {
  static const std::array<ParamSpec, 4> specs = {{
      {.name = "path",
       .type = ParamType::kText,
       .help = "a file below the run's folder",
       .required = true},
      {.name = "offset", .type = ParamType::kInteger, .least = 0, .usual = "0"},
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 0,
       .most = 1'000'000,
       .clamps = true,
       .usual = "200000"},
      {.name = "raw"},
  }};
  return specs;
}

HttpResponse OneFile(const RouteContext& context, const RouteRequest& request) {
  return WithRun(context, request.values[0], request.params.Has("raw"), [&](const ListedRun& run) {
    const std::string_view name = request.params.Text("path");
    const std::optional<std::string> path = PathBelow(run.info.path, name);
    if (!path) return NoSuchFile();
    const Result<OpenedFile> opened = context.runs->workspace().gate().Open(*path);
    if (!opened || !opened->stamp) return NoSuchFile();
    const uint64_t size = opened->stamp->bytes;
    const auto offset = std::min(size, static_cast<uint64_t>(request.params.Number("offset")));
    const auto limit = static_cast<uint64_t>(request.params.Number("limit"));
    if (limit == 0 && size - offset > kLargestWhole) {
      return ErrorResponse(413, "too_large",
                           "the file is too large to be sent as a whole; ask for parts of it");
    }
    std::string bytes(limit == 0 ? size - offset : std::min(limit, size - offset), '\0');
    size_t read = 0;
    while (read < bytes.size()) {
      const ssize_t got = ::pread(opened->descriptor.get(), bytes.data() + read,
                                  bytes.size() - read, static_cast<off_t>(offset + read));
      if (got <= 0) break;  // it became shorter meanwhile
      read += static_cast<size_t>(got);
    }
    bytes.resize(read);
    const bool text = IsPlainText(bytes);
    HttpResponse response = FileAnswer(std::move(bytes), name, text);
    response.headers.emplace_back("Telltale-File-Bytes", std::to_string(size));
    return response;
  });
}

}  // namespace

std::span<const Route> RunFileRoutes() {
  static constexpr std::array<Route, 2> kRoutes = {{
      {"GET", "/api/v1/runs/{id}/files", Files, FilesParams},
      {"GET", "/api/v1/runs/{id}/file", OneFile, FileParams},
  }};
  return kRoutes;
}

}  // namespace telltale
