// SPDX-License-Identifier: Apache-2.0
// The timeline's routes: which profile is meant, and its index, made when it is first asked for.
#include <memory>

#include "analysis/timeline/index.h"
#include "server/route.h"
#include "server/timeline_of.h"
#include "server/timeline_routes.h"

namespace telltale {

namespace {

using TimelineFunction = HttpResponse (*)(const TimelineInput& input, const HttpRequest& request);

template <TimelineFunction answer>
HttpResponse Run(const RouteContext& context, const HttpRequest& request,
                 std::span<const std::string> values) {
  return WithProfile(context, values[0], [&](const OpenProfile& profile) {
    if (profile.contexts().empty()) {
      return ErrorResponse(404, "no_timeline",
                           "this profile holds functions or memory, no events in time: it has no "
                           "timeline");
    }
    const std::shared_ptr<const TimelineIndex> index = TimelineOf(profile);
    return answer({profile.contexts(), *index, context.catalogue.gate()}, request);
  });
}

}  // namespace

std::span<const Route> TimelineRoutes() {
  static constexpr Route kRoutes[] = {
      {"GET", "/api/v1/profiles/{id}/timeline", &Run<&TimelineLayout>},
      {"GET", "/api/v1/profiles/{id}/timeline/spans", &Run<&TimelineSpans>},
      {"GET", "/api/v1/profiles/{id}/timeline/counter", &Run<&TimelineCounter>},
      {"GET", "/api/v1/profiles/{id}/timeline/event", &Run<&TimelineEvent>},
      {"GET", "/api/v1/profiles/{id}/timeline/search", &Run<&TimelineSearch>},
      {"GET", "/api/v1/profiles/{id}/timeline/matching", &Run<&TimelineMatching>},
      {"GET", "/api/v1/profiles/{id}/timeline/selection", &Run<&TimelineSelection>},
  };
  return kRoutes;
}

}  // namespace telltale
