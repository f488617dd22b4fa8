// SPDX-License-Identifier: Apache-2.0
#include "collect/run_name.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace telltale {

namespace {

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool LooksLikeScript(std::string_view word) {
  constexpr std::array<std::string_view, 7> kEnds = {".py", ".pyw", ".sh", ".bash",
                                                     ".jl", ".R",   ".lua"};
  return !word.starts_with('-') &&
         std::ranges::any_of(kEnds, [&](std::string_view end) { return word.ends_with(end); });
}

bool IsPython(std::string_view program) {
  const std::string_view name = BaseName(program);
  return name.starts_with("python") || name.starts_with("pypy");
}

// The words of a name: api_key, apiKey and API-KEY are "api", "key".
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> out;
  bool begin = true;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsAlphanumeric(c)) {
      begin = true;
      continue;
    }
    if (i > 0 && IsUpper(c) && !IsUpper(name[i - 1])) begin = true;
    if (begin) out.emplace_back();
    begin = false;
    out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace

std::string ScriptOfCommand(std::span<const std::string> command) {
  for (size_t i = 0; i < command.size(); ++i) {
    // What comes behind -m or -c of Python, or -c of a shell, belongs to that program.
    if (i > 0 && (command[i] == "-m" || command[i] == "-c") && IsPython(command[i - 1])) return {};
    if (i > 0 && command[i].starts_with('-') && command[i].ends_with('c') &&
        BaseName(command[i - 1]).ends_with("sh")) {
      return {};
    }
    if (LooksLikeScript(command[i])) return command[i];
  }
  return {};
}

std::string NameOfCommand(std::span<const std::string> command) {
  if (command.empty()) return "run";
  std::string_view name = BaseName(command[0]);
  const std::string script = ScriptOfCommand(command);
  if (!script.empty()) {
    name = BaseName(script);
    name = name.substr(0, name.rfind('.'));
  } else {
    for (size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "-m" && !command[i + 1].starts_with('-')) name = command[i + 1];
    }
  }
  return name.empty() ? "run" : std::string(name);
}

std::string FileNameOf(std::string_view name) {
  constexpr size_t kMost = 100;  // a file system takes 255 bytes, with time and number
  std::string out;
  for (const char c : name.substr(0, kMost)) {
    const bool kept = IsAlphanumeric(c) || std::string_view("._-=+").find(c) != std::string::npos;
    out += kept && static_cast<unsigned char>(c) < 0x80 ? c : '_';
  }
  return out.empty() ? "run" : out;
}

bool IsSecretName(std::string_view name) {
  constexpr std::array<std::string_view, 9> kSecret = {"password",    "passwd",  "passphrase",
                                                       "secret",      "secrets", "credential",
                                                       "credentials", "apikey",  "netrc"};
  constexpr std::array<std::string_view, 8> kKinds = {"api",    "access",  "private", "auth",
                                                      "secret", "license", "signing", "encryption"};
  constexpr std::array<std::string_view, 15> kTokens = {
      "api",   "auth",   "access", "hf",      "hub",     "github", "gh", "gitlab",
      "wandb", "bearer", "id",     "session", "refresh", "slack",  "bot"};
  const std::vector<std::string> words = WordsOf(name);
  const auto is_one = [](const auto& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
  };
  for (size_t i = 0; i < words.size(); ++i) {
    if (is_one(kSecret, words[i])) return true;
    if (words[i] == "key" && i > 0 && is_one(kKinds, words[i - 1])) return true;
    // Of a language model there are other tokens.
    if (words[i] == "token" && i + 1 == words.size() && (i == 0 || is_one(kTokens, words[i - 1]))) {
      return true;
    }
  }
  return false;
}

std::string WithoutPassword(std::string_view value) {
  const size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return std::string(value);
  const size_t end = std::min(value.find_first_of("/ ", scheme + 3), value.size());
  const size_t at = value.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < scheme) return std::string(value);
  return std::string(value.substr(0, scheme + 3)) + "***" + std::string(value.substr(at));
}

std::vector<std::string> WithoutSecrets(std::span<const std::string> command) {
  std::vector<std::string> out;
  bool is_value = false;
  for (const std::string& word : command) {
    const size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    if (is_value && !word.starts_with('-')) {
      out.emplace_back("***");
      is_value = false;
      continue;
    }
    is_value = false;
    // --api-key=X, API_KEY=X and --api-key X.
    if (equals != std::string::npos && name.find_first_of(" /") == std::string_view::npos &&
        IsSecretName(name)) {
      out.push_back(std::string(name) + "=***");
      continue;
    }
    is_value = equals == std::string::npos && word.starts_with("--") && IsSecretName(name);
    out.push_back(WithoutPassword(word));
  }
  return out;
}

}  // namespace telltale
