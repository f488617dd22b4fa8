// SPDX-License-Identifier: Apache-2.0
// Bytes that somebody logged, or a file of theirs, on the way to a browser: pictures, sounds,
// videos and plain text as what they are, everything else as something to download. Nothing of it
// can run here: no type that a browser would interpret, and a policy that forbids what is left.
#pragma once

#include <string>
#include <string_view>

#include "server/http.h"

namespace telltale {

[[nodiscard]] HttpResponse BlobAnswer(std::string bytes);
// With a name to save it by. `text`: the bytes are a part of a text.
[[nodiscard]] HttpResponse FileAnswer(std::string bytes, std::string_view name, bool text);

// UTF-8 without control characters other than white space.
[[nodiscard]] bool IsPlainText(std::string_view bytes);

}  // namespace telltale
