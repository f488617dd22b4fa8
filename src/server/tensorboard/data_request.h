// SPDX-License-Identifier: Apache-2.0
// A request to TensorBoard's API, and its answers. Its parameters come with the address or, where
// it is posted, as a form; those that a route does not know are ignored, as TensorBoard does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http.h"
#include "server/tensorboard/board.h"

namespace telltale {

struct DataOptions {
  std::string logdir;  // as it was given
  std::string window_title;
  bool purge = true;  // what a writer declared void is left out (--purge_orphaned_data)
};

struct DataContext {
  Board board;
  DataOptions options;
};

using FormFields = std::vector<std::pair<std::string, std::string>>;
// application/x-www-form-urlencoded or multipart/form-data; nullopt: neither, or damaged.
[[nodiscard]] std::optional<FormFields> ReadForm(const HttpRequest& request);

class DataRequest {
 public:
  DataRequest(const HttpRequest& http, FormFields form) : http_(http), form_(std::move(form)) {}

  [[nodiscard]] const HttpRequest& http() const { return http_; }
  [[nodiscard]] bool posted() const { return http_.method == "POST"; }
  // Of the address.
  [[nodiscard]] std::optional<std::string_view> Argument(std::string_view name) const {
    return http_.Query(name);
  }
  [[nodiscard]] std::vector<std::string_view> Arguments(std::string_view name) const;
  // Of the form.
  [[nodiscard]] std::vector<std::string_view> Posted(std::string_view name) const;
  // A whole number; `usual` where none is given, nullopt where it is none.
  [[nodiscard]] std::optional<int64_t> Number(std::string_view name, int64_t usual) const;

 private:
  const HttpRequest& http_;
  FormFields form_;
};

// "Not found: No scalar data for run='x', tag='y'": a sentence, as text.
[[nodiscard]] HttpResponse PlainResponse(unsigned status, std::string_view message);
[[nodiscard]] HttpResponse NotFound(std::string_view message);
[[nodiscard]] HttpResponse InvalidArgument(std::string_view message);
[[nodiscard]] HttpResponse BodyResponse(std::string body, std::string_view content_type);

using DataFunction = HttpResponse (*)(const DataContext& context, const DataRequest& request);

enum class DataMethod : uint8_t { kGet, kPost, kBoth };

struct DataRoute {
  std::string_view path;  // below /data/
  DataFunction run;
  DataMethod method = DataMethod::kGet;
  bool whole = false;  // answers with all there is: large
};

// In groups, one for each file.
[[nodiscard]] std::span<const DataRoute> CoreDataRoutes();
[[nodiscard]] std::span<const DataRoute> ScalarDataRoutes();
[[nodiscard]] std::span<const DataRoute> TimeSeriesDataRoutes();
[[nodiscard]] std::span<const DataRoute> HistogramDataRoutes();
[[nodiscard]] std::span<const DataRoute> MediaDataRoutes();
[[nodiscard]] std::span<const DataRoute> TextDataRoutes();
[[nodiscard]] std::span<const DataRoute> GraphDataRoutes();
[[nodiscard]] std::span<const DataRoute> HparamDataRoutes();
[[nodiscard]] std::span<const DataRoute> CurveDataRoutes();
[[nodiscard]] std::span<const DataRoute> LayoutDataRoutes();
[[nodiscard]] std::span<const DataRoute> MeshDataRoutes();
[[nodiscard]] std::span<const DataRoute> ProjectorDataRoutes();

}  // namespace telltale
