// SPDX-License-Identifier: Apache-2.0
#include "cli/quick_run.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace telltale {

namespace {

enum class Kind : uint8_t { kBatches, kInteger, kTime, kSubjects, kSwitch, kSwitchOrCount, kLevel };

constexpr std::string_view kNoLoader = "no DataLoader of torch was read for it";
constexpr std::string_view kNoTraining = "no training with torch was seen";
constexpr std::string_view kNoTorch = "no Python program with torch was seen";

struct Flag {
  std::string_view name;
  Kind kind;
  std::string_view value;  // how help calls it
  std::string_view help;
  std::vector<std::string_view> aliases;
  int64_t least = 0;
  std::string_view why_not;  // if nobody in the program takes it up
};

const std::vector<Flag>& Flags() {
  static const std::vector<Flag> flags = {
      {"fast-dev-run",
       Kind::kSwitchOrCount,
       "N",
       "N batches (1) of each loop and one epoch: training, validation and test all run, and no "
       "checkpoint is written over an older one",
       {"pl-fast-dev-run"},
       1,
       kNoLoader},
      {"limit-train-batches",
       Kind::kBatches,
       "N",
       "batches of a training epoch: 4, or a share of them: 0.25, 25%",
       {"pl-limit-train-batches"},
       0,
       kNoLoader},
      {"limit-val-batches",
       Kind::kBatches,
       "N",
       "batches of a validation, in the same way",
       {"pl-limit-val-batches"},
       0,
       kNoLoader},
      {"limit-test-batches",
       Kind::kBatches,
       "N",
       "batches of a test",
       {"pl-limit-test-batches"},
       0,
       kNoLoader},
      {"overfit-batches",
       Kind::kBatches,
       "N",
       "the same few batches in every epoch: can the model learn them by heart?",
       {"pl-overfit-batches"},
       0,
       kNoLoader},
      {"max-epochs",
       Kind::kInteger,
       "N",
       "epochs, then the program goes on to its end",
       {"num-epochs", "pl-max-epochs"},
       1,
       kNoTraining},
      {"max-steps",
       Kind::kInteger,
       "N",
       "optimizer steps, then the program goes on to its end",
       {"num-steps", "pl-max-steps"},
       1,
       kNoTraining},
      {"max-time",
       Kind::kTime,
       "TIME",
       "training time, then the program goes on to its end: 90, 10s, 5m, 00:00:10:00",
       {"pl-max-time"},
       0,
       kNoTraining},
      {"num-sanity-val-steps",
       Kind::kInteger,
       "N",
       "batches of Lightning's validation before the training; -1 for all",
       {"pl-num-sanity-val-steps"},
       -1,
       "only Lightning has a validation before the training"},
      {"restrict-subjects",
       Kind::kSubjects,
       "N,N,N",
       "the first samples of the training, validation and test sets, and no others",
       {"pl-restrict-subjects"},
       0,
       kNoLoader},
      {"detect-anomaly",
       Kind::kSwitch,
       {},
       "end at the first NaN or Inf, and name the operator and the line",
       {"pl-detect-anomaly"},
       0,
       kNoTorch},
      {"deterministic",
       Kind::kSwitch,
       {},
       "the same result in every run, where that is possible",
       {"pl-deterministic"},
       0,
       kNoTorch},
      {"seed",
       Kind::kInteger,
       "N",
       "for Python, numpy and torch, before the program's first line",
       {"random-seed", "pl-seed"},
       0,
       "no Python program was seen"},
      {"num-workers",
       Kind::kInteger,
       "N",
       "worker processes of each DataLoader",
       {"num-dataload-workers", "pl-num-workers"},
       0,
       "no DataLoader of torch was made"},
      {"debug-ddp",
       Kind::kLevel,
       "LEVEL",
       "what torch says of its process groups: OFF, INFO, DETAIL (usual)",
       {"pl-debug-ddp"},
       0,
       "no process group of torch was made"},
      {"pdb",
       Kind::kSwitch,
       {},
       "open Python's debugger where an exception ends the program",
       {},
       0,
       "no exception ended a Python program"},
  };
  return flags;
}

std::string Underscored(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

std::optional<double> Number(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// 4, 4.0: so many; 0.25, 1.0, 25%: a share; none: neither.
std::optional<JsonValue> Batches(std::string_view text) {
  if (const std::optional<int64_t> count = ParseInteger(text)) {
    if (*count < 0) return std::nullopt;
    return JsonValue::Int(*count);
  }
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.remove_suffix(1);
  const std::optional<double> number = Number(text);
  if (!number || *number < 0) return std::nullopt;
  const double share = is_percent ? *number / 100 : *number;
  if (share <= 1) return JsonValue::Double(share);
  if (is_percent || share != std::floor(share) || share > 1e9) return std::nullopt;
  return JsonValue::Int(static_cast<int64_t>(share));
}

// Seconds.
std::optional<int64_t> Time(std::string_view text) {
  if (text.find(':') != std::string_view::npos) {  // [[DD:]HH:]MM:SS
    constexpr std::array<int64_t, 4> kSeconds = {1, 60, 3600, 86400};
    int64_t sum = 0;
    size_t part = 0;
    for (; part < kSeconds.size(); ++part) {
      const size_t colon = text.rfind(':');
      const std::string_view digits =
          colon == std::string_view::npos ? text : text.substr(colon + 1);
      const std::optional<int64_t> number = ParseInteger(digits);
      if (!number || *number < 0 || *number > 100'000'000) return std::nullopt;
      sum += *number * kSeconds[part];
      if (colon == std::string_view::npos) return sum > 0 ? std::optional(sum) : std::nullopt;
      text = text.substr(0, colon);
    }
    return std::nullopt;
  }
  int64_t unit = 1;
  switch (text.empty() ? ' ' : text.back()) {
    case 'd':
      unit = 86400;
      break;
    case 'h':
      unit = 3600;
      break;
    case 'm':
      unit = 60;
      break;
    case 's':
      break;
    default:
      unit = 0;
  }
  if (unit != 0) text.remove_suffix(1);
  const std::optional<double> number = Number(text);
  const double seconds = number.value_or(0) * static_cast<double>(std::max<int64_t>(unit, 1));
  if (seconds <= 0 || seconds > 1e9) return std::nullopt;
  return std::max<int64_t>(1, std::llround(seconds));
}

// "4", "4,1,2", "4,,2": an empty one leaves its set as it is.
std::optional<JsonValue> Subjects(std::string_view text) {
  JsonValue out = JsonValue::Array();
  const bool is_one = text.find(',') == std::string_view::npos;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const std::optional<int64_t> count = ParseInteger(word);
    if (!word.empty() && (!count || *count < 0)) return std::nullopt;
    out.Add(count ? JsonValue::Int(*count) : JsonValue());
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  if (is_one) {
    if (out.elements().front().IsNull()) return std::nullopt;
    const JsonValue each = out.elements().front();
    out.Add(each);
    out.Add(each);
  }
  if (out.elements().size() != 3) return std::nullopt;
  return out;
}

// The words that hi-ml's parser takes.
std::optional<bool> Switch(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 7> kOn = {"", "on", "t", "true", "y", "yes", "1"};
  constexpr std::array<std::string_view, 6> kOff = {"off", "f", "false", "n", "no", "0"};
  if (std::ranges::find(kOn, word) != kOn.end()) return true;
  if (std::ranges::find(kOff, word) != kOff.end()) return false;
  return std::nullopt;
}

std::string Upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// Null: it was said, and means that nothing is asked for.
Result<JsonValue> ValueOf(const Flag& flag, const ParamValues& arguments) {
  const std::string_view text = arguments.Text(flag.name);
  const auto wrong = [&](std::string_view takes) {
    return arguments.Wrong(flag.name, fmt::format("takes {}, not {}", takes, QuotedWord(text)));
  };
  switch (flag.kind) {
    case Kind::kBatches: {
      const auto batches = Batches(text);
      if (!batches) return wrong("a number of batches (4) or a share of them (0.25, 25%)");
      return *batches;
    }
    case Kind::kInteger:
      return JsonValue::Int(arguments.Number(flag.name));
    case Kind::kTime: {
      const auto seconds = Time(text);
      if (!seconds) return wrong("a time: 90, 10s, 5m, 2h or 00:00:10:00 (days first)");
      return JsonValue::Int(*seconds);
    }
    case Kind::kSubjects: {
      const auto subjects = Subjects(text);
      if (!subjects) return wrong("one number of samples, or three: training, validation, test");
      return *subjects;
    }
    case Kind::kSwitchOrCount: {
      if (const auto count = ParseInteger(text); count && *count > 1) {
        return JsonValue::Int(*count);
      }
      const auto is_on = Switch(text);
      if (!is_on) return wrong("a number of batches");
      return *is_on ? JsonValue::Int(1) : JsonValue();
    }
    case Kind::kSwitch: {
      const auto is_on = Switch(text);
      if (!is_on) return wrong("on or off");
      return *is_on ? JsonValue::Bool(true) : JsonValue();
    }
    case Kind::kLevel: {
      const std::string level = text.empty() ? "DETAIL" : Upper(text);
      if (level != "OFF" && level != "INFO" && level != "DETAIL") {
        return wrong("OFF, INFO or DETAIL");
      }
      return JsonValue::String(level);
    }
  }
  return JsonValue();
}

// As Python reads it: a share has a point even where it is all of them.
std::string AsJson(const JsonValue& value) {
  std::string text = ToJsonText(value);
  if (value.kind() == JsonValue::Kind::kDouble && text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string Spelled(std::string_view key, const JsonValue& value) {
  std::string out = fmt::format("--{}", key);
  std::ranges::replace(out, '_', '-');
  if (value.kind() == JsonValue::Kind::kBool) return out;
  if (value.IsArray()) {
    out += '=';
    for (const JsonValue& each : value.elements()) {
      if (&each != &value.elements().front()) out += ',';
      if (!each.IsNull()) out += ToJsonText(each);
    }
    return out;
  }
  return fmt::format("{}={}", out, value.IsString() ? value.AsString() : AsJson(value));
}

}  // namespace

std::vector<ParamSpec> QuickRunOptions() {
  std::vector<ParamSpec> out;
  for (const Flag& flag : Flags()) {
    ParamSpec spec;
    spec.name = flag.name;
    spec.help = flag.help;
    spec.aliases = flag.aliases;
    spec.type = flag.kind == Kind::kInteger ? ParamType::kInteger : ParamType::kText;
    spec.value = flag.value.empty() ? std::string_view("on|off") : flag.value;
    spec.value_optional = flag.kind == Kind::kSwitch || flag.kind == Kind::kSwitchOrCount ||
                          flag.kind == Kind::kLevel;
    if (flag.kind == Kind::kInteger) spec.least = flag.least;
    out.push_back(std::move(spec));
  }
  return out;
}

HelpSection QuickRunHelp() {
  return {"Quick runs",
          {{"",
            "A Python training becomes short without a change to it: Lightning and Hugging Face by "
            "their Trainers, plain loops by loaders that end early and an epoch loop that ends "
            "after its turn. What is in force is said before the program starts and stands in "
            "args.txt; what could not be applied to this program is said at the end. Words as "
            "trainer.max_epochs=1 before the -- are taken, too."}}};
}

Result<JsonValue> MakeQuickRun(const ParamValues& arguments) {
  JsonValue out;
  for (const Flag& flag : Flags()) {
    if (!arguments.Has(flag.name)) continue;
    Result<JsonValue> value = ValueOf(flag, arguments);
    if (!value) return value;
    if (value->IsNull()) continue;
    if (out.IsNull()) out = JsonValue::Object();
    out.Set(Underscored(flag.name), std::move(*value));
  }
  return out;
}

void SetQuickRun(Environment& environment, const JsonValue& values) {
  if (values.IsNull()) {
    environment.Unset("TELLTALE_QUICK");  // of a run around this one
    return;
  }
  std::string text = "{";
  for (const auto& [key, value] : values.members()) {
    text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", key, AsJson(value));
  }
  environment.Set("TELLTALE_QUICK", text + "}");
  if (const JsonValue& level = values["debug_ddp"]; level.IsString()) {
    environment.Set("TORCH_DISTRIBUTED_DEBUG", level.AsString());
    // Its messages are of this level, and are not printed otherwise.
    if (level.AsString() != "OFF") environment.Set("TORCH_CPP_LOG_LEVEL", "INFO");
  }
  if (values["deterministic"].AsBool()) environment.Set("CUBLAS_WORKSPACE_CONFIG", ":4096:8");
  if (!values["seed"].IsNull() && values["seed"].AsInt() <= std::numeric_limits<uint32_t>::max()) {
    environment.Set("PYTHONHASHSEED", ToJsonText(values["seed"]));
  }
  // The operators of a compiled graph could not be looked at.
  if (values["detect_anomaly"].AsBool()) environment.Set("TORCHDYNAMO_DISABLE", "1");
}

std::string QuickRunLine(const JsonValue& values) {
  std::string out;
  for (const auto& [key, value] : values.members()) {
    out += fmt::format("{}{}", out.empty() ? "quick run: " : ", ", Spelled(key, value));
  }
  return out;
}

std::string QuickRunArgs(const JsonValue& values) {
  std::string out;
  for (const auto& [key, value] : values.members()) {
    out += fmt::format("quick_run.{}: {}\n", key,
                       value.kind() == JsonValue::Kind::kBool ? "True"
                       : value.IsString()                     ? value.AsString()
                                                              : AsJson(value));
  }
  return out;
}

JsonValue QuickRunAtStart(const JsonValue& values) {
  if (values.IsNull()) return {};
  JsonValue not_applied = JsonValue::Object();
  for (const Flag& flag : Flags()) {
    const std::string key = Underscored(flag.name);
    if (!values[key].IsNull()) not_applied.Set(key, JsonValue::String(std::string(flag.why_not)));
  }
  JsonValue out = JsonValue::Object();
  out.Set("applied", JsonValue::Object());
  out.Set("not_applied", std::move(not_applied));
  return out;
}

std::vector<std::string> QuickRunRemarks(const JsonValue& quick_run) {
  std::vector<std::string> out;
  std::string line;
  for (const auto& [key, why] : quick_run["not_applied"].members()) {
    if (key == "pdb") continue;  // that no exception came is nothing that is missing
    line += fmt::format("{}{} ({})", line.empty() ? "not applied to this program: " : "; ",
                        Spelled(key, JsonValue::Bool(true)), why.AsString());
  }
  if (!line.empty()) out.push_back(std::move(line));
  for (const auto& [about, sentence] : quick_run["said"].members()) {
    out.push_back(fmt::format("{}: {}", about, sentence.AsString()));
  }
  return out;
}

}  // namespace telltale
