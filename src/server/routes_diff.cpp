// SPDX-License-Identifier: Apache-2.0
// Two profiles compared: the document of `telltale diff`.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "views/diff/request.h"

namespace telltale {

namespace {

std::span<const ParamSpec> Params() {
  static const std::vector<ParamSpec> specs = [] {
    std::vector<ParamSpec> all = DiffParams();
    for (const std::string_view side : {"before", "after"}) {
      all.push_back({.name = side,
                     .type = ParamType::kText,
                     .help = "before and after are the ids of two profiles",
                     .required = true});
    }
    return all;
  }();
  return specs;
}

// Rows of each table where none are asked for: a page shows fewer.
constexpr int64_t kRows = 500;

// As the page's list calls it.
Subject Named(const OpenProfile& profile, const Catalogue& catalogue) {
  Subject subject = profile.subject();
  if (const auto entry = catalogue.Find(profile.id())) {
    subject.name = RepairUtf8(entry->found.name);
  }
  return subject;
}

HttpResponse Compare(const Catalogue& catalogue, const OpenProfile& before,
                     const OpenProfile& after, const DiffRequest& request) {
  const auto side =
      [&](const OpenProfile& profile) -> Result<std::shared_ptr<const PreparedProfile>> {
    return profile.Prepared(request.analysis, request.rank);
  };
  // Kept with the profiles: comparing again with another limit costs little.
  const auto a = side(before);
  if (!a) return ErrorResponse(a.error());
  const auto b = side(after);
  if (!b) return ErrorResponse(b.error());
  const Subject first = Named(before, catalogue);
  const Subject second = Named(after, catalogue);
  const Result<DiffDocument> document =
      MakeDiff({first, std::span<const TraceContext>((*a)->contexts)},
               {second, std::span<const TraceContext>((*b)->contexts)}, request);
  if (!document) return ErrorResponse(document.error());
  const int64_t limit = request.limit.value_or(kRows);
  const auto write = [&](int64_t rows) { return DiffJson(*document, rows, false); };
  const std::string json = limit <= 0 ? write(0) : WriteWithin(limit, write);
  // The sentence goes in front of the document's own keys.
  JsonWriter answer(false);
  answer.BeginObject();
  answer.Field("answer", RepairUtf8(DiffAnswer(*document, true)));
  answer.EndObject();
  std::string head = answer.Take();
  while (head.ends_with('\n')) head.pop_back();
  head.back() = ',';
  return JsonResponse(head + json.substr(1));
}

HttpResponse Diff(const RouteContext& context, const RouteRequest& asked) {
  const std::string before(asked.params.Text("before"));
  const std::string after(asked.params.Text("after"));
  const Result<DiffRequest> request = MakeDiffRequest(asked.params);
  if (!request) return ErrorResponse(request.error());
  // Asks for both at once, so that they load one after the other.
  static_cast<void>(context.residency.Get(after));
  return WithProfile(context, before, [&](const OpenProfile& first) {
    return WithProfile(context, after, [&](const OpenProfile& second) {
      return Compare(context.catalogue, first, second, *request);
    });
  });
}

}  // namespace

std::span<const Route> DiffRoutes() {
  static constexpr std::array<Route, 1> kRoutes = {{
      {"GET", "/api/v1/diff", Diff, Params},
  }};
  return kRoutes;
}

}  // namespace telltale
