// SPDX-License-Identifier: Apache-2.0
// The page of `telltale view`: the files of web/dist, packed and inside the program
// (cmake/web.cmake), and how they are served. Addresses without a file behind them are the page's
// own (client-side routing) and get index.html.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/http.h"

namespace telltale {

struct Asset {
  std::string_view path;  // "/assets/index-4f3a.js"
  std::string_view gzip;  // its bytes, packed
};

// Those of this build; none if it was made without the page. In a generated file.
[[nodiscard]] std::span<const Asset> EmbeddedAssets();

// Any thread.
class Site {
 public:
  // In index.html, addresses that begin with "./" become absolute ones below the prefix
  // (normalised), so that the page works at any depth: ="./assets/x.js" is ="/prefix/assets/x.js".
  Site(std::span<const Asset> assets, std::string_view path_prefix);

  [[nodiscard]] HttpResponse Get(const HttpRequest& request) const;

 private:
  struct File {
    std::string content_type;
    std::shared_ptr<const std::string> gzip;
    std::string entity_tag;
  };
  [[nodiscard]] static HttpResponse Serve(const File& file, std::string_view cache_control);

  std::map<std::string, File, std::less<>> files_;
};

[[nodiscard]] std::string_view ContentTypeOf(std::string_view path);

}  // namespace telltale
