// SPDX-License-Identifier: Apache-2.0
// Layouts of custom charts, as one of all runs and as TensorBoard's JSON.
#pragma once

#include "base/json_writer.h"
#include "formats/tfevents/custom_layout.h"

namespace telltale {

// Charts of a category that is known go into it, unless it has them.
void JoinLayout(tfevents::CustomLayout&& other, tfevents::CustomLayout& layout);
// Into an object that is open: version, category.
void WriteLayout(const tfevents::CustomLayout& layout, JsonWriter& json);

}  // namespace telltale
