// SPDX-License-Identifier: Apache-2.0
// The timeline's routes: which profile is meant, and its index, made when it is first asked for.
#include <memory>

#include "analysis/timeline/index.h"
#include "server/route.h"
#include "server/timeline_of.h"
#include "server/timeline_routes.h"

namespace telltale {

namespace {

using TimelineFunction = HttpResponse (*)(const TimelineInput& input, const ParamValues& params);

template <TimelineFunction answer>
HttpResponse Run(const RouteContext& context, const RouteRequest& request) {
  return WithProfile(context, request.values[0], [&](const OpenProfile& profile) {
    if (profile.contexts().empty()) {
      return ErrorResponse(404, "no_timeline",
                           "this profile holds functions or memory, no events in time: it has no "
                           "timeline");
    }
    const std::shared_ptr<const TimelineIndex> index = TimelineOf(profile);
    return answer({profile.contexts(), *index, context.catalogue.gate()}, request.params);
  });
}

}  // namespace

std::span<const Route> TimelineRoutes() {
  static constexpr Route kRoutes[] = {
      {"GET", "/api/v1/profiles/{id}/timeline", &Run<&TimelineLayout>},
      {"GET", "/api/v1/profiles/{id}/timeline/spans", &Run<&TimelineSpans>, TimelineSpansParams},
      {"GET", "/api/v1/profiles/{id}/timeline/counter", &Run<&TimelineCounter>,
       TimelineCounterParams},
      {"GET", "/api/v1/profiles/{id}/timeline/event", &Run<&TimelineEvent>, TimelineEventParams},
      {"GET", "/api/v1/profiles/{id}/timeline/search", &Run<&TimelineSearch>, TimelineSearchParams},
      {"GET", "/api/v1/profiles/{id}/timeline/matching", &Run<&TimelineMatching>,
       TimelineMatchingParams},
      {"GET", "/api/v1/profiles/{id}/timeline/selection", &Run<&TimelineSelection>,
       TimelineSelectionParams},
  };
  return kRoutes;
}

}  // namespace telltale
