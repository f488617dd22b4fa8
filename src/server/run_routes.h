// SPDX-License-Identifier: Apache-2.0
// What the routes about runs and series share: the workspace, whether its first look is done, and
// answers about all runs that are made once for a revision.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runs/catalogue.h"
#include "runs/workspace.h"
#include "server/log_shelf.h"
#include "server/route.h"

namespace telltale {

// Any number of threads.
class RunDesk {
 public:
  RunDesk(Workspace& workspace, std::function<bool()> searching)
      : workspace_(workspace), searching_(std::move(searching)) {}

  [[nodiscard]] Workspace& workspace() const { return workspace_; }
  [[nodiscard]] bool searching() const { return searching_(); }
  [[nodiscard]] LogShelf& logs() { return logs_; }

  // What make() gives, kept until the revision is another.
  [[nodiscard]] std::string Kept(std::string_view name, uint64_t revision,
                                 const std::function<std::string()>& make);

  // The profile in the catalogue that a file belongs to.
  struct ProfileName {
    std::string id;
    std::string name;
  };
  [[nodiscard]] std::optional<ProfileName> ProfileOf(const Catalogue& catalogue,
                                                     const std::string& path);

 private:
  struct Answer {
    uint64_t revision = 0;
    std::string text;
  };
  Workspace& workspace_;
  std::function<bool()> searching_;
  LogShelf logs_;
  std::mutex mutex_;  // of what follows
  std::map<std::string, Answer, std::less<>> kept_;
  uint64_t catalogue_revision_ = 0;
  bool knows_profiles_ = false;
  std::map<std::string, ProfileName, std::less<>> profiles_;  // by path
};

// The answer of a route where there are no runs at all, as in a server that was given files.
[[nodiscard]] HttpResponse NoRuns();
[[nodiscard]] HttpResponse NoSuchRun();

// The run that an id names; calls `answer` with it.
[[nodiscard]] HttpResponse WithRun(const RouteContext& context, std::string_view id, bool raw,
                                   const std::function<HttpResponse(const ListedRun&)>& answer);

// A path below the run's folder, if it stays there.
[[nodiscard]] std::optional<std::string> PathBelow(const std::string& folder,
                                                   std::string_view relative);
[[nodiscard]] HttpResponse NoSuchFile();

// "a,b" as its parts.
[[nodiscard]] std::vector<std::string> Listed(std::string_view text);

}  // namespace telltale
