// SPDX-License-Identifier: Apache-2.0
#include "server/assets.h"

#include <array>
#include <optional>
#include <utility>

#include "io/gzip_memory.h"
#include "server/page.h"
#include "server/respond.h"

namespace telltale {

namespace {

constexpr std::string_view kIndex = "/index.html";
// Vite puts what has a hash in its name there.
constexpr std::string_view kHashedFolder = "/assets/";
constexpr size_t kLargestIndex = size_t{1} << 20;

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kContentTypes = {{
    {".css", "text/css; charset=utf-8"},
    {".html", "text/html; charset=utf-8"},
    {".ico", "image/x-icon"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
    {".ttf", "font/ttf"},
    {".txt", "text/plain; charset=utf-8"},
    {".wasm", "application/wasm"},
    {".webmanifest", "application/manifest+json"},
    {".webp", "image/webp"},
    {".woff2", "font/woff2"},
}};

std::string WithPrefix(std::string_view html, std::string_view prefix) {
  constexpr std::string_view kRelative = "=\"./";
  std::string out;
  for (;;) {
    const size_t at = html.find(kRelative);
    out += html.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += "=\"";
    out += prefix;
    out += '/';
    html.remove_prefix(at + kRelative.size());
  }
}

bool HasExtension(std::string_view path) {
  const size_t slash = path.rfind('/');
  return path.find('.', slash == std::string_view::npos ? 0 : slash) != std::string_view::npos;
}

}  // namespace

Site::Site(std::span<const Asset> assets, std::string_view path_prefix) {
  for (const Asset& asset : assets) {
    File file;
    file.content_type = ContentTypeOf(asset.path);
    std::string gzip(asset.gzip);
    if (asset.path == kIndex) {
      if (const std::optional<std::string> html = Gunzip(asset.gzip, kLargestIndex)) {
        gzip = GzipFast(WithPrefix(*html, path_prefix));
      }
    }
    file.entity_tag = EntityTag(gzip);
    file.gzip = std::make_shared<const std::string>(std::move(gzip));
    files_.emplace(asset.path, std::move(file));
  }
}

HttpResponse Site::Get(const HttpRequest& request) const {
  if (request.method != "GET") {
    HttpResponse response =
        ErrorResponse(405, "method_not_allowed", "only GET and HEAD are known here");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (const auto at = files_.find(request.path); at != files_.end()) {
    return Serve(at->second, request.path.starts_with(kHashedFolder)
                                 ? "public, max-age=31536000, immutable"
                                 : "no-cache");
  }
  const auto index = files_.find(kIndex);
  if (HasExtension(request.path) || request.path.starts_with(kHashedFolder)) {
    return Refusal(request, 404, "not_found", "Nothing here", "There is no such file.");
  }
  if (index == files_.end()) {
    return MessagePage(200, "Telltale",
                       "This build of telltale has no page (it was made without web/ or npm). The "
                       "programming interface is there: api/v1/profiles.");
  }
  return Serve(index->second, "no-cache");
}

HttpResponse Site::Serve(const File& file, std::string_view cache_control) {
  HttpResponse response;
  response.content_type = file.content_type;
  response.body = file.gzip;
  response.gzipped = true;
  response.headers.emplace_back("ETag", file.entity_tag);
  response.headers.emplace_back("Cache-Control", cache_control);
  return response;
}

std::string_view ContentTypeOf(std::string_view path) {
  for (const auto& [extension, type] : kContentTypes) {
    if (path.ends_with(extension)) return type;
  }
  return "application/octet-stream";
}

}  // namespace telltale
