// SPDX-License-Identifier: Apache-2.0
// The HTTP API (docs/http-api.md) as one handler over a catalogue and what is in memory of it. No
// sockets here.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/event_stream.h"
#include "server/http.h"
#include "server/residency.h"
#include "server/route.h"

namespace telltale {

// Answers every path below /api/v1 except the stream of changes, which needs a connection of its
// own. HEAD is answered as GET, with the body: whoever speaks the protocol leaves that out. What
// it answers about must outlive the handler.
[[nodiscard]] HttpHandler MakeApi(Catalogue& catalogue, Residency& residency,
                                  ApiOptions options = {}, RunDesk* runs = nullptr);

// Whose workers answer it: of everything there is (limit=0), those of Lane::kWhole.
[[nodiscard]] Lane LaneOf(const HttpRequest& request);

// The whole table, for the check against docs/openapi.json.
[[nodiscard]] std::vector<Route> ApiRoutes();

// The event `profiles`: how the list changed since the one before. Any thread.
class ListTeller {
 public:
  explicit ListTeller(EventStream& events) : events_(events) {}
  void Tell(const Catalogue& catalogue, const Residency& residency, const ApiOptions& options);

 private:
  EventStream& events_;
  std::mutex mutex_;   // of what follows, and of the order of the events
  uint64_t told_ = 0;  // revision
};

// The event `progress`.
[[nodiscard]] std::string ProgressJson(std::string_view id, uint64_t loaded_bytes,
                                       uint64_t total_bytes);

}  // namespace telltale
