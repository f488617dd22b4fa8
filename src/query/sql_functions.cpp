// SPDX-License-Identifier: Apache-2.0
#include "query/sql_functions.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "base/pattern.h"
#include "query/counted_pattern.h"

namespace telltale {

namespace {

// In SQLite's memory, which is counted and plain: all zero at first.
struct Sample {
  double* values;
  size_t count;
  size_t capacity;
  double percent;
  bool percent_known;

  [[nodiscard]] bool Add(double value) {
    if (count == capacity) {
      const size_t wanted = std::max<size_t>(64, 2 * capacity);
      auto* const grown = static_cast<double*>(sqlite3_realloc64(values, wanted * sizeof(double)));
      if (grown == nullptr) return false;
      values = grown;
      capacity = wanted;
    }
    values[count++] = value;
    return true;
  }
};

void Fail(sqlite3_context* context, const std::string& message) {
  sqlite3_result_error(context, message.c_str(), static_cast<int>(message.size()));
}

void AddToSample(sqlite3_context* context, int count, sqlite3_value** arguments) {
  auto* const sample =
      static_cast<Sample*>(sqlite3_aggregate_context(context, static_cast<int>(sizeof(Sample))));
  if (sample == nullptr) return sqlite3_result_error_nomem(context);
  if (count == 2) {
    const int type = sqlite3_value_numeric_type(arguments[1]);
    const double percent = sqlite3_value_double(arguments[1]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(percent >= 0 && percent <= 100))
      return Fail(context, "percentile(x, p) takes a p from 0 to 100");
    if (sample->percent_known && sample->percent != percent)
      return Fail(context, "percentile(x, p) takes the same p for all rows");
    sample->percent = percent;
    sample->percent_known = true;
  }
  const int type = sqlite3_value_numeric_type(arguments[0]);
  if (type == SQLITE_NULL) return;
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return Fail(context, "median and percentile take numbers");
  if (!sample->Add(sqlite3_value_double(arguments[0]))) sqlite3_result_error_nomem(context);
}

// Between two values: in proportion, as numpy's default.
void FinishSample(sqlite3_context* context) {
  auto* const sample = static_cast<Sample*>(sqlite3_aggregate_context(context, 0));
  if (sample == nullptr || sample->count == 0) return sqlite3_result_null(context);
  const std::unique_ptr<double, decltype(&sqlite3_free)> owned(sample->values, sqlite3_free);
  const std::span<double> values(sample->values, sample->count);
  const double percent = sample->percent_known ? sample->percent : 50;
  const double place = percent / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double low = *at;
  const double part = place - static_cast<double>(below);
  if (part <= 0 || below + 1 >= values.size()) return sqlite3_result_double(context, low);
  const double high = *std::min_element(at + 1, values.end());
  sqlite3_result_double(context, low + part * (high - low));
}

std::string_view TextOf(sqlite3_value* value) {
  // The text first: asking for the bytes may convert a number.
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

// x REGEXP p calls regexp(p, x).
void Regexp(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
      sqlite3_value_type(arguments[1]) == SQLITE_NULL) {
    return sqlite3_result_null(context);
  }
  try {
    auto* pattern = static_cast<CountedPattern*>(sqlite3_get_auxdata(context, 0));
    std::unique_ptr<CountedPattern> fresh;
    if (pattern == nullptr) {
      Result<Pattern> compiled = Pattern::Compile(TextOf(arguments[0]));
      if (!compiled) {
        return Fail(context, "the pattern of REGEXP is not valid: " + compiled.error().message +
                                 " (character " +
                                 std::to_string(compiled.error().offset.value_or(0) + 1) + ")");
      }
      fresh = std::make_unique<CountedPattern>(
          std::move(*compiled), *static_cast<Allowance*>(sqlite3_user_data(context)));
      pattern = fresh.get();
    }
    // Text from a table is read in place; anything else is converted.
    const bool is_text = sqlite3_value_type(arguments[1]) == SQLITE_TEXT;
    const std::string_view text =
        is_text ? std::string_view(static_cast<const char*>(sqlite3_value_blob(arguments[1])),
                                   static_cast<size_t>(sqlite3_value_bytes(arguments[1])))
                : TextOf(arguments[1]);
    const bool matches = pattern->Matches(text);
    if (pattern->gave_up()) {
      return Fail(context, "the pattern of REGEXP is too much work on a text of " +
                               std::to_string(text.size()) + " bytes; shorten its repetitions");
    }
    sqlite3_result_int(context, matches ? 1 : 0);
    if (fresh != nullptr) {
      sqlite3_set_auxdata(context, 0, fresh.release(),
                          [](void* p) { delete static_cast<CountedPattern*>(p); });
    }
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const QueryStopped&) {
    sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  }
}

}  // namespace

int RegisterFunctions(sqlite3* connection, Allowance& allowance) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int code = sqlite3_create_function_v2(connection, "median", 1, kFlags, nullptr, nullptr,
                                        AddToSample, FinishSample, nullptr);
  if (code != SQLITE_OK) return code;
  code = sqlite3_create_function_v2(connection, "percentile", 2, kFlags, nullptr, nullptr,
                                    AddToSample, FinishSample, nullptr);
  if (code != SQLITE_OK) return code;
  return sqlite3_create_function_v2(connection, "regexp", 2, kFlags, &allowance, Regexp, nullptr,
                                    nullptr, nullptr);
}

}  // namespace telltale
