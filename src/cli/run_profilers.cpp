// SPDX-License-Identifier: Apache-2.0
#include "cli/run_profilers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/operators_report.h"
#include "views/part.h"
#include "views/suggest.h"

namespace telltale {

namespace {

constexpr std::string_view kAll = "all";
constexpr std::string_view kGroup = "profiler";
constexpr int64_t kMostSteps = 1'000'000'000;

ParamSpec StepsParam(std::string_view name, std::string_view help, int64_t least = 0) {
  return {.name = name,
          .type = ParamType::kInteger,
          .value = "N",
          .help = help,
          .least = least,
          .most = kMostSteps};
}

ParamSpec FlagParam(std::string_view name, std::string_view help,
                    std::vector<std::string_view> aliases = {}) {
  return {.name = name,
          .type = ParamType::kChoice,
          .help = help,
          .choices = {"true", "false"},
          .list_choices = false,
          .aliases = std::move(aliases)};
}

// As people and configuration files write it.
std::string FlagText(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  constexpr std::array<std::string_view, 3> kTrueWords = {"1", "yes", "on"};
  constexpr std::array<std::string_view, 3> kFalseWords = {"0", "no", "off"};
  if (std::ranges::find(kTrueWords, lower) != kTrueWords.end()) return "true";
  if (std::ranges::find(kFalseWords, lower) != kFalseWords.end()) return "false";
  return lower;
}

std::vector<std::string_view> NamesOf(std::span<const RunProfiler> profilers) {
  std::vector<std::string_view> names;
  for (const RunProfiler& profiler : profilers) names.push_back(profiler.name);
  names.push_back(kAll);
  return names;
}

const RunProfiler* FindProfiler(std::span<const RunProfiler> profilers, std::string_view name) {
  for (const RunProfiler& profiler : profilers) {
    if (profiler.name == name ||
        std::ranges::find(profiler.aliases, name) != profiler.aliases.end())
      return &profiler;
  }
  return nullptr;
}

class Chooser {
 public:
  Chooser(const Arguments& arguments, std::span<const RunProfiler> profilers)
      : arguments_(arguments), profilers_(profilers) {}

  Result<ProfilerChoice> Choose() {
    for (const std::string& list : arguments_.All("profile")) {
      if (Result<void> taken = TakeNames(list); !taken) return tl::unexpected(taken.error());
    }
    for (const auto& [name, value] : arguments_.settings()) {
      if (name != kGroup && !name.starts_with(fmt::format("{}.", kGroup))) continue;
      Result<void> taken = name == kGroup ? TakeNames(value) : TakeSetting(name, value);
      if (!taken) return tl::unexpected(taken.error());
    }
    if (IsChosen("ops")) {
      for (const std::string_view without : {"no-python", "no-steps"}) {
        if (!arguments_.Has(without)) continue;
        return arguments_.Wrong(without,
                                "excludes --profile ops, which follows the steps from inside");
      }
    }
    if (IsChosen("advanced") && arguments_.Has("no-python")) {
      return arguments_.Wrong("no-python",
                              "excludes --profile advanced, which counts calls from inside");
    }
    ProfilerChoice out;
    for (const RunProfiler& profiler : profilers_) {
      if (IsChosen(profiler.name)) out.names.emplace_back(profiler.name);
    }
    if (Result<void> taken = TakeSteps(); !taken) return tl::unexpected(taken.error());
    for (const RunProfilerSetting& setting : RunProfilerSettings()) {
      if (values_.Has(setting.spec.name) && !IsChosen(setting.profiler)) {
        return values_.Wrong(setting.spec.name, fmt::format("is a setting of '{0}', which is not "
                                                            "asked for; add --profile {0}",
                                                            setting.profiler));
      }
      if (!IsChosen(setting.profiler)) continue;
      out.settings.Set(setting.Key(), ValueOf(setting));
    }
    return out;
  }

 private:
  [[nodiscard]] bool IsChosen(std::string_view name) const {
    return std::ranges::find(chosen_, name) != chosen_.end();
  }

  Result<void> TakeNames(std::string_view list) {
    if (list.empty()) {
      return arguments_.Wrong(
          "profile", fmt::format("needs a name\nvalid: {}", fmt::join(NamesOf(profilers_), ", ")));
    }
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      if (Result<void> taken = TakeName(list.substr(begin, end - begin)); !taken) return taken;
      begin = end + 1;
    }
    return {};
  }

  Result<void> TakeName(std::string_view name) {
    if (name == kAll) {
      for (const RunProfiler& profiler : profilers_) chosen_.push_back(profiler.name);
      return {};
    }
    const RunProfiler* const profiler = FindProfiler(profilers_, name);
    if (profiler == nullptr) {
      const std::vector<std::string_view> names = NamesOf(profilers_);
      return arguments_.Wrong("profile",
                              fmt::format("{} is not known{}\nvalid: {}", QuotedWord(name),
                                          DidYouMean(name, names), fmt::join(names, ", ")));
    }
    chosen_.push_back(profiler->name);
    return {};
  }

  Result<void> TakeSetting(std::string_view name, std::string_view value) {
    const auto settings = RunProfilerSettings();
    const auto found = std::ranges::find_if(settings, [&](const RunProfilerSetting& setting) {
      return FindParam(std::span(&setting.spec, 1), name) != nullptr;
    });
    if (found == settings.end()) {
      std::vector<std::string_view> names;
      for (const RunProfilerSetting& setting : settings) names.push_back(setting.spec.name);
      return Fail(ErrorCode::kUsage,
                  fmt::format("no profiler has a setting {}{}\nvalid: {}", QuotedWord(name),
                              DidYouMean(name, names), fmt::join(names, ", ")));
    }
    if (found->spec.name == "profiler.sort_by_key") {
      if (const Result<void> valid = CheckOperatorSort(value); !valid) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("{}: {}", found->spec.name, valid.error().message));
      }
    }
    return values_.Add(found->spec, found->is_flag ? FlagText(value) : std::string(value));
  }

  // The schedule that records the steps asked for, and nothing else.
  Result<void> TakeSteps() {
    if (!arguments_.Has("profile-steps")) return {};
    if (!IsChosen("ops")) {
      return arguments_.Wrong("profile-steps", "says which steps 'ops' records; add --profile ops");
    }
    const Result<StepRange> range = ParseStepRange(arguments_.Text("profile-steps"));
    if (!range) return arguments_.Wrong("profile-steps", range.error().message);
    if (!range->last) {
      return arguments_.Wrong("profile-steps",
                              "needs an end: all of the steps are held in memory at once");
    }
    constexpr std::array<std::string_view, 5> kSchedule = {"profiler.skip_first", "profiler.wait",
                                                           "profiler.warmup", "profiler.active",
                                                           "profiler.repeat"};
    for (const std::string_view name : kSchedule) {
      if (values_.Has(name)) {
        return arguments_.Wrong("profile-steps",
                                fmt::format("and {} say the same thing; give one of them", name));
      }
    }
    const int64_t first = range->first.value_or(0);
    const int64_t warmup = std::min<int64_t>(first, 1);
    const std::array<int64_t, 5> values = {first - warmup, 0, warmup, *range->last - first + 1, 1};
    for (size_t i = 0; i < values.size(); ++i) {
      const auto settings = RunProfilerSettings();
      const auto found = std::ranges::find(settings, kSchedule[i],
                                           [](const auto& setting) { return setting.spec.name; });
      if (Result<void> added = values_.Add(found->spec, std::to_string(values[i])); !added) {
        return arguments_.Wrong("profile-steps", "names steps that no program reaches");
      }
    }
    return {};
  }

  [[nodiscard]] JsonValue ValueOf(const RunProfilerSetting& setting) const {
    const std::string_view text =
        values_.Has(setting.spec.name) ? values_.Text(setting.spec.name) : setting.usual;
    if (setting.is_flag) return JsonValue::Bool(text == "true");
    if (setting.spec.type == ParamType::kInteger) {
      return JsonValue::Int(ParseInteger(text).value_or(0));
    }
    return JsonValue::String(std::string(text));
  }

  const Arguments& arguments_;
  std::span<const RunProfiler> profilers_;
  std::vector<std::string_view> chosen_;
  ParamValues values_{Spelling::kParameter};
};

}  // namespace

std::span<const RunProfiler> RunProfilers() {
  static const std::array<RunProfiler, 4> profilers = {{
      {
          .name = "simple",
          .what = "wall time per action: data, forward, backward, optimizer and the like",
      },

      {
          .name = "advanced",
          .what = "every Python function and C call, exactly counted, with whole call paths",
      },

      {
          .name = "ops",
          .what = "every operator of a few steps, by PyTorch's own profiler",
          .aliases = {"pytorch"},
      },

      {
          .name = "sample",
          .what = "the stacks of all threads, looked at from outside; on unless --no-sample",
      },
  }};
  return profilers;
}

std::span<const RunProfilerSetting> RunProfilerSettings() {
  static const std::vector<RunProfilerSetting> settings = {
      // ops. Ten steps are over before it looks: data loaders have started, caches are filled,
      // algorithms are chosen.
      {"ops", StepsParam("profiler.skip_first", "steps before all else"), "10"},
      {"ops", StepsParam("profiler.wait", "steps left out in each round"), "0"},
      {"ops",
       StepsParam("profiler.warmup", "steps recorded and thrown away, as the first ones cost more"),
       "1"},
      {"ops", StepsParam("profiler.active", "steps recorded", 1), "3"},
      {"ops", StepsParam("profiler.repeat", "rounds, one trace each; 0: to the end"), "1"},
      {"ops", FlagParam("profiler.record_shapes", "shapes of the inputs", {"profiler.shapes"}),
       "true", true},
      {"ops",
       FlagParam("profiler.profile_memory", "what is allocated and freed", {"profiler.memory"}),
       "false", true},
      {"ops", FlagParam("profiler.with_stack", "the Python calls around", {"profiler.stack"}),
       "false", true},
      {"ops",
       FlagParam("profiler.with_modules", "the module an operator is of", {"profiler.modules"}),
       "false", true},
      {"ops",
       {.name = "profiler.sort_by_key",
        .type = ParamType::kText,
        .value = "KEY",
        .help = "the order of operators.txt, by torch's names",
        .aliases = {"profiler.sort"}},
       kSortByItself},
      {"ops",
       {.name = "profiler.row_limit",
        .type = ParamType::kInteger,
        .value = "N",
        .help = "rows of operators.txt; -1: all",
        .least = -1,
        .most = kMostSteps},
       "100"},
      {"ops",
       FlagParam("profiler.group_by_input_shapes",
                 "one row in operators.txt for each set of shapes"),
       "false", true},
  };
  return settings;
}

std::string RunProfilerSetting::Key() const {
  return std::string(spec.name.substr(kGroup.size() + 1));
}

std::vector<ParamSpec> RunProfilerOptions() {
  return {
      {.name = "profile",
       .type = ParamType::kText,
       .value = "NAME[,NAME]",
       .help = "profilers to turn on, see below; may be given several times",
       .aliases = {"profiler", "pl-profiler"},
       .repeats = true},
      {.name = "profile-steps",
       .type = ParamType::kText,
       .value = "A..B",
       .help = "the steps that 'ops' records, both ends included",
       .default_text = "11..13"},
  };
}

std::vector<HelpSection> RunProfilerHelp() {
  HelpSection profilers = {"Profilers (--profile)", {}};
  for (const RunProfiler& profiler : RunProfilers()) {
    profilers.rows.emplace_back(profiler.name, profiler.what);
  }
  profilers.rows.emplace_back(kAll, "all of them");
  // Views of texts that live as long as the program.
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> out;
    for (const RunProfilerSetting& setting : RunProfilerSettings()) {
      out.push_back(fmt::format("{} (default: {})", setting.spec.help, setting.usual));
    }
    return out;
  }();
  HelpSection settings = {"Settings of profilers (NAME=VALUE, before the --)", {}};
  for (size_t i = 0; i < texts.size(); ++i) {
    settings.rows.emplace_back(RunProfilerSettings()[i].spec.name, texts[i]);
  }
  return {profilers, settings};
}

Result<ProfilerChoice> ChooseProfilers(const Arguments& arguments) {
  return Chooser(arguments, RunProfilers()).Choose();
}

bool ProfilerChoice::Has(std::string_view name) const {
  return std::ranges::find(names, name) != names.end();
}

std::string TextOfSetting(const JsonValue& value) {
  return value.IsString() ? value.AsString() : ToJsonText(value);
}

std::string ProfilerChoice::Names() const { return fmt::format("{}", fmt::join(names, ",")); }

JsonValue ProfilerChoice::ToRecord() const {
  if (names.empty()) return {};
  JsonValue list = JsonValue::Array();
  for (const std::string& name : names) list.Add(JsonValue::String(name));
  JsonValue out = JsonValue::Object();
  out.Set("profilers", std::move(list));
  out.Set("settings", settings);
  return out;
}

std::vector<std::pair<std::string, std::string>> ProfilerChoice::ToArgs() const {
  if (names.empty()) return {};
  std::vector<std::pair<std::string, std::string>> out = {{"telltale.profile", Names()}};
  for (const auto& [key, value] : settings.members()) {
    out.emplace_back("telltale.profiler." + key, TextOfSetting(value));
  }
  return out;
}

}  // namespace telltale
