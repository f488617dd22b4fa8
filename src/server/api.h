// SPDX-License-Identifier: Apache-2.0
// The HTTP API (docs/http-api.md) as one handler over a catalogue. No sockets here.
#pragma once

#include <string>
#include <vector>

#include "server/catalogue.h"
#include "server/http.h"
#include "server/route.h"

namespace telltale {

// Answers every path below /api/v1 except the stream of changes, which needs a connection of its
// own. HEAD is answered as GET, with the body: whoever speaks the protocol leaves that out. The
// catalogue must outlive the handler.
[[nodiscard]] HttpHandler MakeApi(Catalogue& catalogue, ApiOptions options = {});

// Whose workers answer it: of everything there is (limit=0), those of Lane::kWhole.
[[nodiscard]] Lane LaneOf(const HttpRequest& request);

// The whole table, for the check against docs/openapi.json.
[[nodiscard]] std::vector<Route> ApiRoutes();

// The events of the stream: `profiles` and `progress`.
[[nodiscard]] std::string ProfilesJson(const Catalogue& catalogue, const ApiOptions& options);
[[nodiscard]] std::string ProgressJson(const ProfileStatus& status);

}  // namespace telltale
