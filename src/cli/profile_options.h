// SPDX-License-Identifier: Apache-2.0
// The command line of `telltale profile`: the parameters of the views, and what is about terminals
// and files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "formats/load.h"
#include "views/profile_request.h"
#include "views/render/terminal.h"

namespace telltale {

struct ProfileOptions {
  ProfileRequest request;
  std::vector<std::string> paths;
  StyleRequest style;
  bool quiet = false;
};

[[nodiscard]] CommandSpec ProfileCommandSpec();
[[nodiscard]] Result<ProfileOptions> MakeProfileOptions(const Arguments& arguments);
// Turns to what the input holds, unless something else was asked. An Error if it cannot be shown.
[[nodiscard]] Result<void> FitToInput(const Subject& subject, ProfileRequest& request);

}  // namespace telltale
