// SPDX-License-Identifier: Apache-2.0
#include "formats/redact.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/json/text.h"

namespace telltale {

namespace {

constexpr std::string_view kRemoved = "(removed)";

// Everything else may name people, machines or jobs.
constexpr auto kTechnicalKeys = std::to_array<std::string_view>({
    "schemaVersion",
    "deviceProperties",
    "computeProperties",
    "distributedInfo",
    "baseTimeNanoseconds",
    "displayTimeUnit",
    "record_shapes",
    "with_stack",
    "with_flops",
    "with_modules",
    "profile_memory",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "hip_runtime_version",
    "hip_driver_version",
    "roctracer_version",
    "nccl_version",
    "cudaGraphInlineAnnotated",
    "telltale_merged_ranks",
});

bool IsSlash(char c) { return c == '/' || c == '\\'; }

// What a path is made of. A backslash stands doubled in JSON.
bool IsPathCharacter(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || u >= 0x80 ||
         IsSlash(c) || c == '.' || c == '_' || c == '-' || c == '+' || c == '~' || c == '@' ||
         c == '%' || c == '$' || c == '#' || c == '=';
}

// Escapes such as \n and \" of JSON end a word.
bool IsEscape(std::string_view text, size_t i) {
  return text[i] == '\\' && i + 1 < text.size() &&
         std::string_view("nrtbfu\"/").find(text[i + 1]) != std::string_view::npos &&
         !(i > 0 && text[i - 1] == '\\');
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Where the scheme begins that `word` ends in, as http does in url=http; npos if it ends in none.
// One letter is a drive.
size_t SchemeIn(std::string_view word) {
  size_t begin = word.size();
  while (begin > 0 &&
         (IsLetter(word[begin - 1]) || (word[begin - 1] >= '0' && word[begin - 1] <= '9') ||
          std::string_view("+-.").find(word[begin - 1]) != std::string_view::npos)) {
    --begin;
  }
  while (begin < word.size() && !IsLetter(word[begin])) ++begin;
  return word.size() - begin >= 2 ? begin : std::string_view::npos;
}

// How much of the text behind a scheme belongs to the URL: "://host/path?query". 0: it is none. All
// of it is private, so in doubt a character belongs to it.
size_t UrlLength(std::string_view text) {
  const size_t mark = text.starts_with("://") ? 3 : text.starts_with(R"(:\/\/)") ? 5 : 0;
  if (mark == 0) return 0;
  size_t end = mark;
  int open = 0;
  while (end < text.size()) {
    const char c = text[end];
    if (c == '\\') {
      const char next = end + 1 < text.size() ? text[end + 1] : '\0';
      if (next != '/' && next != 'u') break;
      end += 2;
      continue;
    }
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>')
      break;
    if (c == '(' || c == '[') ++open;
    if ((c == ')' || c == ']') && --open < 0) break;
    ++end;
  }
  // What ends the sentence around it.
  while (end > mark && std::string_view(".,;:!?").find(text[end - 1]) != std::string_view::npos) {
    --end;
  }
  return end > mark ? end : 0;
}

bool LooksLikeFile(std::string_view word) {
  const size_t dot = word.rfind('.');
  return dot != std::string_view::npos && dot + 1 < word.size() && word.size() - dot <= 8;
}

void ReplaceAll(std::string& text, std::string_view what) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += kRemoved.size()) {
    text.replace(at, what.size(), kRemoved);
  }
}

std::string StripPaths(std::string_view text, bool is_code) {
  std::string out;
  out.reserve(text.size());
  bool after_path = false;
  for (size_t i = 0; i < text.size();) {
    if (IsEscape(text, i)) {
      out += text.substr(i, 2);
      i += 2;
      after_path = false;
      continue;
    }
    if (!IsPathCharacter(text[i])) {
      if (text[i] != ' ') after_path = false;
      out += text[i++];
      continue;
    }
    const size_t begin = i;
    while (i < text.size() && IsPathCharacter(text[i]) && !IsEscape(text, i)) ++i;
    const std::string_view word = text.substr(begin, i - begin);
    if (const size_t scheme = SchemeIn(word); scheme != std::string_view::npos) {
      if (const size_t length = UrlLength(text.substr(i)); length > 0) {
        out += StripPaths(word.substr(0, scheme), is_code);
        out += word.substr(scheme);
        out += "://";
        out += kRemoved;
        i += length;
        after_path = false;
        continue;
      }
    }
    const size_t slash = word.find_last_of("/\\");
    const bool has_slash = slash != std::string_view::npos && word.size() > 1;
    // /home/x, ~/x, ./x, ../x, and what follows C: in C:\x
    const bool drive = begin >= 2 && text[begin - 1] == ':' && IsSlash(word[0]) && out.size() >= 2;
    const bool absolute = has_slash && (IsSlash(word[0]) || word[0] == '~' || word[0] == '.');
    const bool several = has_slash && word.find_first_of("/\\") != slash;
    if (!absolute && !(has_slash && (is_code || after_path || (several && LooksLikeFile(word))))) {
      out += word;
      after_path = false;
      continue;
    }
    if (drive) out.resize(out.size() - 2);
    const std::string_view file = word.substr(slash + 1);
    const bool is_file =
        LooksLikeFile(file) || (i < text.size() && (text[i] == '(' || text[i] == ':'));
    out += is_file ? file : kRemoved;
    after_path = true;
  }
  return out;
}

}  // namespace

Redactor::Redactor(const Trace& trace) {
  // Values of private keys may stand elsewhere too.
  for (const auto& [key, value] : trace.metadata) {
    if (KeepsMetadata(key) || key == "traceName") continue;
    const bool word = value.size() >= 4 && value.size() <= 256 &&
                      value.find_first_of("{}[]\"\n") == std::string::npos &&
                      value.find_first_not_of("0123456789.-") != std::string::npos;
    if (word && value != "true" && value != "false" && value != "null") secrets_.push_back(value);
  }
  std::sort(secrets_.begin(), secrets_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
}

bool Redactor::KeepsMetadata(std::string_view key) {
  return std::find(kTechnicalKeys.begin(), kTechnicalKeys.end(), key) != kTechnicalKeys.end();
}

std::string Redactor::Clean(std::string_view text, bool is_code) const {
  const bool has_path = text.find_first_of("/\\") != std::string_view::npos;
  std::string out = has_path ? StripPaths(text, is_code) : std::string(text);
  for (const std::string& secret : secrets_) ReplaceAll(out, secret);
  return out;
}

std::string Redactor::CleanFile(std::string_view path) const {
  // What is known to be a file needs no look at its ending.
  const bool is_url = path.find("://") != std::string_view::npos;
  const size_t slash = path.find_last_of("/\\");
  if (is_url || slash == std::string_view::npos || slash + 1 == path.size()) {
    return Clean(path, true);
  }
  return Clean(path.substr(slash + 1), true);
}

void Redactor::Clean(FunctionProfile& profile) const {
  std::set<std::tuple<StringId, int64_t, StringId, StringId>> taken;
  StringPool& strings = profile.strings;
  for (Function& function : profile.functions) {
    if (function.file != kNoString) {
      function.file = strings.Intern(CleanFile(profile.Text(function.file)));
    }
    if (function.module != kNoString) {
      function.module = strings.Intern(CleanFile(profile.Text(function.module)));
    }
    function.name = strings.Intern(Clean(profile.Text(function.name), false));
    // Two files of one name in different folders stay two.
    StringId& told_apart = function.file != kNoString ? function.file : function.name;
    const std::string shown(profile.Text(told_apart));
    for (int number = 2;
         !taken.emplace(function.file, function.line, function.name, function.module).second;
         ++number) {
      told_apart = strings.Intern(shown + " (" + std::to_string(number) + ")");
    }
  }
  for (std::string& thread : profile.threads) thread = Clean(thread, true);
  profile.source.path = CleanFile(profile.source.path);
}

void Redactor::Clean(TraceEvent& event) {
  texts_.clear();
  const auto clean = [&](std::string_view& json, bool is_code) {
    if (json.find_first_of("/\\") == std::string_view::npos && secrets_.empty()) return;
    if (json.find('"') == std::string_view::npos) return;  // no text in it
    std::string cleaned = Clean(json, is_code);
    if (cleaned != json) json = texts_.emplace_back(std::move(cleaned));
  };
  const bool python = event.category == "\"python_function\"" || event.category == "\"python\"";
  if (event.phase == 'M' && event.name == "\"process_name\"") {
    for (JsonField& arg : event.args) {
      if (arg.key == "name") arg.json = texts_.emplace_back(Quoted("process"));
    }
  }
  if (event.phase != 'C') clean(event.name, python);  // series are known by it
  clean(event.pid, true);
  clean(event.tid, true);
  for (JsonField& arg : event.args) {
    const bool is_code = arg.key == "Call stack" || arg.key == "CallFrom" ||
                         arg.key == "Python stack" ||
                         arg.key.find("file") != std::string_view::npos;
    clean(arg.json, is_code);
  }
  for (JsonField& field : event.others) clean(field.json, false);
  clean(event.odd_args, false);
}

void Redactor::Clean(TracePlan& plan) const {
  for (PlannedProcess& process : plan.processes) {
    // A process is often named after its command line.
    if (!process.name.empty()) process.name = "process";
    process.labels = Clean(process.labels, true);
    process.pid = Clean(process.pid, true);
  }
  for (PlannedTrack& track : plan.tracks) {
    track.name = Clean(track.name, true);
    track.tid = Clean(track.tid, true);
  }
}

}  // namespace telltale
