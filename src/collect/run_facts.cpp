// SPDX-License-Identifier: Apache-2.0
#include "collect/run_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "collect/run_name.h"

namespace telltale {

namespace {

constexpr size_t kMostSettings = 10'000;

template <typename Value>
void SetIn(std::vector<std::pair<std::string, Value>>& list, std::string_view name, Value value) {
  const auto at = std::ranges::find_if(list, [&](const auto& item) { return item.first == name; });
  if (at != list.end()) {
    at->second = std::move(value);
  } else if (list.size() < kMostSettings) {
    list.emplace_back(name, std::move(value));
  }
}

// NOLINTNEXTLINE(misc-no-recursion): the depth of a JsonValue is bounded
void Flatten(const JsonValue& value, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, member] : value.members()) {
    std::string name = prefix.empty() ? key : fmt::format("{}.{}", prefix, key);
    // A line has no other line in it, and its key no colon.
    std::ranges::replace_if(name, [](char c) { return c == '\n' || c == '\r' || c == ':'; }, '_');
    if (member.IsObject() && !member.members().empty()) {
      Flatten(member, name, out);
    } else {
      SetIn(out, name, IsSecretName(name) ? std::string("***") : ConfigText(member));
    }
  }
}

void Merge(JsonValue& into, const JsonValue& more) {
  if (!into.IsObject()) into = JsonValue::Object();
  for (const auto& [key, value] : more.members()) into.Set(key, value);
}

// {"applied": {flag: value}, "not_applied": {flag: why}, "said": {about: sentence}}: of what
// several processes say about a flag, the last word counts.
void MergeQuickRun(JsonValue& into, const JsonValue& note) {
  const auto merged = [&](std::string_view part, std::string_view opposite) {
    JsonValue out = JsonValue::Object();
    for (const auto& [key, value] : into[part].members()) {
      if (note[opposite][key].IsNull()) out.Set(key, value);
    }
    for (const auto& [key, value] : note[part].members()) out.Set(key, value);
    return out;
  };
  JsonValue fresh = JsonValue::Object();
  fresh.Set("applied", merged("applied", "not_applied"));
  fresh.Set("not_applied", merged("not_applied", "applied"));
  if (JsonValue said = merged("said", ""); !said.members().empty()) fresh.Set("said", said);
  into = std::move(fresh);
}

// What the program calls its run, where the command line of `telltale run` did not say otherwise.
void ApplyNames(const JsonValue& said, RunRecord& record) {
  const auto fill = [&](const char* key, std::optional<std::string>& field) {
    if (!field && said[key].IsString() && !said[key].AsString().empty()) {
      field = said[key].AsString();
    }
  };
  const std::string name = said["name"].AsString();
  if (!name.empty() && record.name == NameOfCommand(record.command)) record.name = name;
  fill("experiment", record.experiment);
  fill("group", record.group);
  fill("note", record.note);
  for (const JsonValue& tag : said["tags"].elements()) {
    if (std::ranges::find(record.tags, tag.AsString()) == record.tags.end()) {
      record.tags.push_back(tag.AsString());
    }
  }
}

}  // namespace

std::string ConfigText(const JsonValue& value) {
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return "None";
    case JsonValue::Kind::kBool:
      return value.AsBool() ? "True" : "False";
    case JsonValue::Kind::kString: {
      std::string text = WithoutPassword(value.AsString());
      if (text.find_first_of("\r\n") == std::string::npos) return text;
      return ToJsonText(value);
    }
    default:
      return ToJsonText(value);
  }
}

RunFacts::RunFacts(const RunRecord& record, std::string_view args)
    : versions_(record.versions),
      error_(record.error),
      quick_run_(record.quick_run),
      summary_(record.summary),
      metrics_(record.metrics),
      artifacts_(record.artifacts) {
  while (!args.empty()) {
    const size_t end = std::min(args.find('\n'), args.size());
    const std::string_view line = args.substr(0, end);
    args.remove_prefix(std::min(end + 1, args.size()));
    const size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    SetIn(config_, line.substr(0, colon), std::string(line.substr(colon + 2)));
  }
}

void RunFacts::Remark(std::string sentence) {
  constexpr size_t kMostRemarks = 100;
  if (remarks_.size() < kMostRemarks && std::ranges::find(remarks_, sentence) == remarks_.end()) {
    remarks_.push_back(std::move(sentence));
  }
}

bool RunFacts::Take(std::string_view key, std::string_view json, int64_t wall_ns,
                    ProcessFacts& process) {
  const Result<JsonValue> parsed = ParseJson(json);
  if (!parsed) return false;
  const JsonValue& note = *parsed;
  process.last_wall_ns = std::max(process.last_wall_ns, wall_ns);
  if (key == "config") {
    Flatten(note, {}, config_);
  } else if (key == "versions") {
    for (const auto& [name, value] : note.members()) {
      SetIn(versions_, name, value.IsString() ? value.AsString() : ToJsonText(value));
    }
  } else if (key == "rank") {
    process.rank = note["rank"].WholeNumber();
    process.local_rank = note["local_rank"].WholeNumber();
    // A process that was forked is taken for a worker until it knows better.
    if (const JsonValue& role = note["role"]; role.IsString()) {
      process.is_worker = role.AsString() == "worker";
      process.is_main = role.AsString() == "main";
    }
  } else if (key == "exception") {
    process.has_failed = true;
    // The first one counts, and of a rank or the main process before that of a helper.
    if (error_.IsNull() || (error_is_workers_ && !process.is_worker)) {
      error_ = note;
      error_is_workers_ = process.is_worker;
    }
  } else if (key == "quick_run") {
    MergeQuickRun(quick_run_, note);
  } else if (key == "summary") {
    Merge(summary_, note);
  } else if (key == "hooks") {
    for (const auto& [tool, said] : note.members()) SetIn(hooks_, tool, said.AsString());
  } else if (key == "finish") {
    if (const std::optional<int64_t> code = note["exit_code"].WholeNumber()) {
      process.exit_code = static_cast<int>(*code);
    }
  } else if (key == "run") {
    Merge(run_, note);
  } else if (key == "define_metric") {
    Merge(metrics_, note);
  } else if (key == "artifact") {
    JsonValue one = JsonValue::Object();
    one.Set(note["name"].AsString(), note);
    Merge(artifacts_, one);
  } else if (key == "thread_exception") {
    Remark(fmt::format("thread {} of process {} ended by {}: {}", note["thread"].AsString(),
                       process.pid, note["type"].AsString(), note["message"].AsString()));
  } else if (key == "preempting") {
    Remark("the program said that it is about to be preempted");
  } else if (key != "alert") {  // which is a text of the run, too
    Remark(fmt::format("a note '{}' of process {} was not understood", key, process.pid));
  }
  changed_ = true;
  return true;
}

void RunFacts::ApplyTo(RunRecord& record) const {
  for (const auto& [name, version] : versions_) SetVersion(record, name, version);
  record.error = error_;
  record.quick_run = quick_run_;
  record.summary = summary_;
  record.metrics = metrics_;
  record.artifacts = artifacts_;
  ApplyNames(run_, record);
  for (const std::string& remark : remarks_) {
    if (std::ranges::find(record.remarks, remark) == record.remarks.end()) {
      record.remarks.push_back(remark);
    }
  }
  for (const auto& [tool, said] : hooks_) {
    const std::string head = tool + ": ";
    std::erase_if(record.remarks,
                  [&](const std::string& remark) { return remark.starts_with(head); });
    record.remarks.push_back(head + said);
  }
}

std::string RunFacts::Args() const {
  std::string out;
  for (const auto& [name, value] : config_) out += fmt::format("{}: {}\n", name, value);
  return out;
}

}  // namespace telltale
