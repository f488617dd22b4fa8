// SPDX-License-Identifier: Apache-2.0
// Why a query was not answered, for a person: the sentence, what was probably meant, and the place
// in the SQL with a caret below it.
#pragma once

#include <string>
#include <string_view>

#include "query/database.h"
#include "views/params.h"

namespace telltale {

[[nodiscard]] std::string QueryMessage(const QueryError& error, std::string_view sql, bool unicode,
                                       Spelling spelling);

}  // namespace telltale
