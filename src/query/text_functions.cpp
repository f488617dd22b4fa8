// SPDX-License-Identifier: Apache-2.0
#include "query/text_functions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/defenses.h"

namespace telltale {

namespace {

bool ContinuesCharacter(char byte) { return (static_cast<uint8_t>(byte) & 0xc0U) == 0x80U; }

// As text, whatever it is; of a blob its bytes. Nothing for NULL.
std::optional<std::string_view> BytesOf(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return std::nullopt;
  // The bytes first: asking for their number may convert them.
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

// Linear, which std::string_view::find is not where it is looked for long texts; and memmem begins
// slowly, which matters where short ones are found often.
size_t Find(std::string_view text, std::string_view wanted) {
  constexpr size_t kShort = 16;
  if (wanted.size() <= kShort) return text.find(wanted);
  const void* const found = ::memmem(text.data(), text.size(), wanted.data(), wanted.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// The place, from 1, in characters, or in bytes if both are blobs; 0 if there is none.
void Instr(sqlite3_context* context, int, sqlite3_value** arguments) {
  const bool in_bytes = sqlite3_value_type(arguments[0]) == SQLITE_BLOB &&
                        sqlite3_value_type(arguments[1]) == SQLITE_BLOB;
  const auto text = BytesOf(arguments[0]);
  const auto wanted = BytesOf(arguments[1]);
  if (!text || !wanted) return;
  if (wanted->empty()) return sqlite3_result_int(context, 1);
  // Characters begin at the start and wherever a byte continues none: a text that begins in the
  // middle of a character is found at the start only.
  size_t found = 0;
  if (!in_bytes && ContinuesCharacter(wanted->front())) {
    if (!text->starts_with(*wanted)) found = std::string_view::npos;
  } else {
    found = Find(*text, *wanted);
  }
  if (found == std::string_view::npos) return sqlite3_result_int(context, 0);
  int64_t place = 1;
  for (size_t i = 1; i <= found; ++i) place += in_bytes || !ContinuesCharacter((*text)[i]) ? 1 : 0;
  sqlite3_result_int64(context, place);
}

// replace(text, wanted, instead)
void Replace(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto text = BytesOf(arguments[0]);
  const auto wanted = BytesOf(arguments[1]);
  const auto instead = BytesOf(arguments[2]);
  if (!text || !wanted) return;
  if (wanted->empty() || wanted->front() == '\0') {
    (void)sqlite3_value_text(arguments[0]);  // makes a text of a blob
    return sqlite3_result_value(context, arguments[0]);
  }
  if (!instead) return;
  const auto limit = static_cast<size_t>(
      sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  size_t size = text->size();
  for (size_t at = 0, found = 0;
       (found = Find(text->substr(at), *wanted)) != std::string_view::npos;
       at += found + wanted->size()) {
    size = size - wanted->size() + instead->size();
    if (instead->size() > wanted->size() && size > limit)
      return sqlite3_result_error_toobig(context);
  }
  auto* const out = static_cast<char*>(sqlite3_malloc64(size + 1));
  if (out == nullptr) return sqlite3_result_error_nomem(context);
  char* end = out;
  const auto append = [&](std::string_view part) {
    if (!part.empty()) std::memcpy(end, part.data(), part.size());
    end += part.size();
  };
  size_t at = 0;
  for (size_t found = 0; (found = Find(text->substr(at), *wanted)) != std::string_view::npos;
       at += found + wanted->size()) {
    append(text->substr(at, found));
    append(*instead);
  }
  append(text->substr(at));
  sqlite3_result_text64(context, out, size, sqlite3_free, SQLITE_UTF8);
}

// A character as SQLite cuts texts into them: a byte, or one from 0xc0 on with all that continue
// it.
std::string_view FirstCharacter(std::string_view text) {
  size_t size = 1;
  if (static_cast<uint8_t>(text[0]) >= 0xc0) {
    while (size < text.size() && ContinuesCharacter(text[size])) ++size;
  }
  return text.substr(0, size);
}

// As SQLite reads it, of whatever length.
uint32_t CodePointOf(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (first < 0xc0) return first;
  uint32_t value = first < 0xe0 ? first & 0x1fU : first < 0xf0 ? first & 0x0fU : first & 0x07U;
  for (const char byte : character.substr(1))
    value = value << 6U | (static_cast<uint8_t>(byte) & 0x3fU);
  return value;
}

constexpr size_t kLongestCharacter = 4;  // of UTF-8

// The same from the other end. What is longer than UTF-8 allows is taken as single bytes.
std::string_view LastCharacter(std::string_view text) {
  for (size_t size = 1; size <= kLongestCharacter && size <= text.size(); ++size) {
    const char first = text[text.size() - size];
    if (ContinuesCharacter(first)) continue;
    if (static_cast<uint8_t>(first) >= 0xc0) return text.substr(text.size() - size);
    break;
  }
  return text.substr(text.size() - 1);
}

class CharacterSet {
 public:
  explicit CharacterSet(std::string_view characters) {
    // SQLite's ends at a zero byte.
    characters = characters.substr(0, characters.find('\0'));
    while (!characters.empty()) {
      const std::string_view character = FirstCharacter(characters);
      characters.remove_prefix(character.size());
      if (character.size() == 1) {
        bytes_[static_cast<uint8_t>(character[0])] = true;
      } else if (character.size() <= kLongestCharacter) {
        longer_.push_back(BytesAsNumber(character));
      }
    }
    std::sort(longer_.begin(), longer_.end());
  }

  [[nodiscard]] bool Has(std::string_view character) const {
    if (character.size() == 1) return bytes_[static_cast<uint8_t>(character[0])];
    return character.size() <= kLongestCharacter &&
           std::binary_search(longer_.begin(), longer_.end(), BytesAsNumber(character));
  }

 private:
  static uint32_t BytesAsNumber(std::string_view character) {
    uint32_t number = 0;
    for (const char byte : character) number = number << 8U | static_cast<uint8_t>(byte);
    return number;
  }

  std::array<bool, 256> bytes_ = {};
  std::vector<uint32_t> longer_;
};

// trim(text), trim(text, characters)
template <bool kLeft, bool kRight>
void Trim(sqlite3_context* context, int count, sqlite3_value** arguments) {
  const auto text = BytesOf(arguments[0]);
  const auto characters = count == 2 ? BytesOf(arguments[1]) : std::string_view(" ");
  if (!text || !characters) return;
  try {
    const CharacterSet set(*characters);
    std::string_view rest = *text;
    if (kLeft) {
      while (!rest.empty() && set.Has(FirstCharacter(rest)))
        rest.remove_prefix(FirstCharacter(rest).size());
    }
    if (kRight) {
      while (!rest.empty() && set.Has(LastCharacter(rest)))
        rest.remove_suffix(LastCharacter(rest).size());
    }
    // Without a pointer it would be NULL.
    sqlite3_result_text64(context, rest.empty() ? "" : rest.data(), rest.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// Long patterns on long texts take so long that the clock is looked at before each. False: there is
// no answer but an error.
bool MayMatch(sqlite3_context* context, sqlite3_value* pattern, sqlite3_value* text) {
  constexpr size_t kLongWork = 100'000;  // bytes times bytes: some hundred microseconds
  const auto pattern_bytes = static_cast<size_t>(sqlite3_value_bytes(pattern));
  const auto text_bytes = static_cast<size_t>(sqlite3_value_bytes(text));
  if (pattern_bytes > kLongestLikePattern) {
    sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
    return false;
  }
  if (pattern_bytes * text_bytes < kLongWork ||
      !static_cast<Allowance*>(sqlite3_user_data(context))->Spent()) {
    return true;
  }
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return false;
}

const char* TerminatedText(sqlite3_value* value) {
  return reinterpret_cast<const char*>(sqlite3_value_text(value));
}

bool IsBlob(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_BLOB; }

// text GLOB pattern calls glob(pattern, text).
void Glob(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (IsBlob(arguments[0]) || IsBlob(arguments[1])) return sqlite3_result_int(context, 0);
  if (!MayMatch(context, arguments[0], arguments[1])) return;
  const char* const pattern = TerminatedText(arguments[0]);
  const char* const text = TerminatedText(arguments[1]);
  if (pattern == nullptr || text == nullptr) return;
  sqlite3_result_int(context, sqlite3_strglob(pattern, text) == 0 ? 1 : 0);
}

// A pattern whose escape character is % or _, which then is no wildcard, with another one.
constexpr char kOtherEscape = '\x01';
std::string WithOtherEscape(std::string_view pattern, char escape) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool escaped = pattern[i] == escape;
    if (escaped && ++i == pattern.size()) return out + kOtherEscape;
    if (escaped || pattern[i] == kOtherEscape) out += kOtherEscape;
    out += pattern[i];
  }
  return out;
}

// text LIKE pattern calls like(pattern, text), or like(pattern, text, escape).
void Like(sqlite3_context* context, int count, sqlite3_value** arguments) {
  if (IsBlob(arguments[0]) || IsBlob(arguments[1])) return sqlite3_result_int(context, 0);
  if (!MayMatch(context, arguments[0], arguments[1])) return;
  uint32_t escape = 0;
  if (count == 3) {
    const char* const given = TerminatedText(arguments[2]);
    if (given == nullptr) return;
    const std::string_view character(given);
    if (character.empty() || FirstCharacter(character).size() != character.size()) {
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    }
    escape = CodePointOf(character);
  }
  const char* pattern = TerminatedText(arguments[0]);
  const char* const text = TerminatedText(arguments[1]);
  if (pattern == nullptr || text == nullptr) return;
  try {
    std::string other;
    if (escape == '%' || escape == '_') {
      other = WithOtherEscape(pattern, static_cast<char>(escape));
      pattern = other.c_str();
      escape = kOtherEscape;
    }
    sqlite3_result_int(context, sqlite3_strlike(pattern, text, escape) == 0 ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

int RegisterTextFunctions(sqlite3* connection, Allowance& allowance) {
  struct TextFunction {
    const char* name;
    int arguments;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
  };
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const TextFunction& function : std::to_array<TextFunction>({
           {"instr", 2, Instr},
           {"replace", 3, Replace},
           {"trim", 1, Trim<true, true>},
           {"trim", 2, Trim<true, true>},
           {"ltrim", 1, Trim<true, false>},
           {"ltrim", 2, Trim<true, false>},
           {"rtrim", 1, Trim<false, true>},
           {"rtrim", 2, Trim<false, true>},
           {"like", 2, Like},
           {"like", 3, Like},
           {"glob", 2, Glob},
       })) {
    const int code =
        sqlite3_create_function_v2(connection, function.name, function.arguments, kFlags,
                                   &allowance, function.call, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace telltale
