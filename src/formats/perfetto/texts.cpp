// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/texts.h"

#include "base/json/text.h"
#include "formats/perfetto/dialect.h"

namespace telltale::perfetto {

void AnnotationTexts::SetName(uint64_t iid, std::string_view text) {
  names_.Set(iid, Quoted(text), static_cast<uint8_t>(trace_rows::FindArgKey(text)));
  has_extra_fields_ |= text == kExtraFields;
}

void AnnotationTexts::SetString(uint64_t iid, std::string_view text) {
  strings_.Set(iid, Quoted(text));
}

}  // namespace telltale::perfetto
