// SPDX-License-Identifier: Apache-2.0
// `telltale runs`: lists the runs below folders, shows and compares them, and changes what the
// sidecar says of them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/leftover_notice.h"
#include "cli/progress.h"
#include "cli/runs_verbs.h"
#include "runs/workspace.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/table_json.h"
#include "views/render/table_text.h"
#include "views/runs/run_field.h"
#include "views/runs/runs_table.h"
#include "views/runs/sentence.h"
#include "views/runs/where.h"
#include "views/suggest.h"
#include "views/table_data.h"

namespace telltale {

namespace {

constexpr std::array<std::string_view, 9> kVerbs = {"list",   "show", "compare", "tag",   "note",
                                                    "rename", "rm",   "restore", "export"};

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// A path, or name:path where there is nothing at the whole text.
Result<Root> RootAt(const std::string& text) {
  std::error_code ignored;
  const size_t colon = text.find(':');
  if (colon != std::string::npos && colon > 0 && text[0] != '/' && text[0] != '.' &&
      !std::filesystem::exists(std::filesystem::path(text), ignored)) {
    return MakeRoot(text.substr(0, colon), text.substr(colon + 1));
  }
  return MakeRoot("", text);
}

Result<std::vector<Root>> RootsOf(const Arguments& arguments, std::span<const std::string> paths) {
  std::vector<std::string> texts(paths.begin(), paths.end());
  for (const std::string& root : arguments.All("root")) texts.push_back(root);
  if (texts.empty()) {
    // Nobody changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char* const set = std::getenv("TELLTALE_ROOT");
    texts.emplace_back(set != nullptr && *set != '\0' ? set : "runs");
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::path(texts[0]), ignored)) {
      return Fail(ErrorCode::kUnreadable,
                  fmt::format("there is no folder {}; name one: telltale runs PATH, --root PATH or "
                              "TELLTALE_ROOT",
                              Printable(texts[0], true)));
    }
  }
  std::vector<Root> roots;
  for (const std::string& text : texts) {
    Result<Root> root = RootAt(text);
    if (!root) return tl::unexpected(root.error());
    roots.push_back(std::move(*root));
  }
  return roots;
}

using Context = RunsContext;

// The run of that id, name or path, or the only one whose id or name begins so.
Result<std::shared_ptr<const ListedRun>> FindRun(const RunList& list, std::string_view word) {
  std::vector<std::shared_ptr<const ListedRun>> exact, begins;
  for (const auto& run : list.runs) {
    const std::string_view title = run->title ? std::string_view(*run->title) : run->info.name;
    if (run->info.id == word || run->info.name == word || run->info.path == word || title == word) {
      exact.push_back(run);
    } else if (!word.empty() && (run->info.id.starts_with(word) ||
                                 run->info.name.starts_with(word) || title.starts_with(word))) {
      begins.push_back(run);
    }
  }
  // An id means one run, whatever others are called.
  for (const auto& run : exact) {
    if (run->info.id == word) return run;
  }
  const auto& found = exact.empty() ? begins : exact;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    std::vector<std::string_view> names;
    for (const auto& run : list.runs) names.push_back(run->info.name);
    return Fail(ErrorCode::kUsage,
                fmt::format("there is no run {}{}; there are {}", QuotedWord(word),
                            DidYouMean(word, names), names.empty() ? "none" : ListOf(names, 20)));
  }
  std::vector<std::string> ids;
  for (const auto& run : found) ids.push_back(run->info.id + " (" + run->info.name + ")");
  return Fail(ErrorCode::kUsage,
              fmt::format("{} may be {}: name it by its id", QuotedWord(word),
                          ListOf(std::vector<std::string_view>(ids.begin(), ids.end()), 10)));
}

Result<std::vector<std::shared_ptr<const ListedRun>>> FindRuns(const RunList& list,
                                                               std::span<const std::string> words) {
  std::vector<std::shared_ptr<const ListedRun>> runs;
  for (const std::string& word : words) {
    Result<std::shared_ptr<const ListedRun>> run = FindRun(list, word);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

// The rows that the options leave, in their order.
Result<std::vector<RunRow>> Select(const Context& context) {
  const Arguments& arguments = context.arguments;
  std::vector<RunRow> rows;
  for (const auto& run : context.list->runs) {
    if (run->info.deleted == arguments.Has("deleted")) rows.push_back({run});
  }
  if (arguments.Has("experiment")) {
    const std::string_view wanted = arguments.Text("experiment");
    std::set<std::string> known;
    for (const RunRow& row : rows) {
      if (row.run->info.experiment) known.insert(*row.run->info.experiment);
    }
    if (!known.contains(std::string(wanted))) {
      const std::vector<std::string_view> valid(known.begin(), known.end());
      return Fail(ErrorCode::kUsage,
                  fmt::format("no run belongs to the experiment {}{}; {}", QuotedWord(wanted),
                              DidYouMean(wanted, valid),
                              valid.empty() ? std::string("no run here belongs to any")
                                            : "valid are " + ListOf(valid)));
    }
    std::erase_if(rows, [&](const RunRow& row) { return row.run->info.experiment != wanted; });
  }
  if (arguments.Has("run-ids")) {
    std::set<const ListedRun*> wanted;
    for (const std::string_view word : Split(arguments.Text("run-ids"))) {
      const Result<std::shared_ptr<const ListedRun>> run = FindRun(*context.list, word);
      if (!run) return tl::unexpected(run.error());
      wanted.insert(run->get());
    }
    std::erase_if(rows, [&](const RunRow& row) { return !wanted.contains(row.run.get()); });
  }
  if (arguments.Has("filters")) {
    const Result<std::vector<RunStatus>> statuses = ParseStatuses(arguments.Text("filters"));
    if (!statuses) return arguments.Wrong("filters", statuses.error().message);
    std::erase_if(rows, [&](const RunRow& row) {
      return !row.run->info.status ||
             std::ranges::find(*statuses, *row.run->info.status) == statuses->end();
    });
  }
  if (arguments.Has("where")) {
    const std::string_view text = arguments.Text("where");
    const Result<RunFilter> filter = RunFilter::Parse(text, context.names);
    if (!filter) {
      const size_t offset = filter.error().offset.value_or(0);
      const std::string before = Printable(text.substr(0, offset), true);
      return Fail(
          ErrorCode::kUsage,
          fmt::format("--where: {} (at byte {})\n  {}\n  {}^", filter.error().message, offset,
                      Printable(text, true), std::string(DisplayWidth(before), ' ')));
    }
    std::erase_if(rows, [&](const RunRow& row) { return !filter->Matches(*row.run); });
  }
  if (arguments.Has("sort")) {
    // Numbers from the largest on unless it says otherwise, names from A.
    std::string_view key = arguments.Text("sort");
    std::optional<bool> down;
    if (key.starts_with('-') || key.starts_with('+')) {
      down = key[0] == '-';
      key.remove_prefix(1);
    }
    const Result<RunField> field = RunField::Find(key, context.names);
    if (!field) return arguments.Wrong("sort", field.error().message);
    const bool is_number = std::ranges::any_of(rows, [&](const RunRow& row) {
      const FieldValue value = field->Get(*row.run);
      return std::holds_alternative<double>(value) || std::holds_alternative<int64_t>(value) ||
             std::holds_alternative<uint64_t>(value);
    });
    SortRuns(rows, *field, down.value_or(is_number));
  }
  return rows;
}

int List(const Context& context) {
  const Arguments& arguments = context.arguments;
  const auto usage = [](const Error& error) { return WrongUsage("runs", error); };
  Result<std::vector<RunRow>> selected = Select(context);
  if (!selected) return usage(selected.error());
  std::vector<RunRow> rows = std::move(*selected);
  const size_t total = rows.size();
  const std::vector<RunRow> everything = rows;
  const int64_t limit = arguments.Integer("limit").value_or(0);
  if (limit > 0 && rows.size() > static_cast<size_t>(limit))
    rows.resize(static_cast<size_t>(limit));
  std::vector<RunField> fields;
  for (const std::string_view name : Split(arguments.Text("columns"))) {
    Result<RunField> field = RunField::Find(name, context.names);
    if (!field)
      return usage(
          tl::unexpected<Error>(arguments.Wrong("columns", field.error().message)).value());
    fields.push_back(std::move(*field));
  }
  DescriptorOutput output(STDOUT_FILENO);
  if (arguments.Has("json")) {
    JsonWriter json;
    json.BeginObject();
    json.Field("schema", 1);
    json.Key("runs");
    WriteTableJson(RowTable<RunRow>(RunObjects(), std::span<const RunRow>(rows)), {}, json);
    json.EndObject();
    output.Write(json.Take());
    return Finish(output);
  }
  if (arguments.Has("csv")) {
    if (fields.empty()) fields = AllFields(context.names);
    WriteTableCsv(RowTable<RunRow>(RunColumns(fields), std::span<const RunRow>(rows)), 0, output);
    return Finish(output);
  }
  if (fields.empty()) fields = UsualFields(rows, context.names);
  const auto all =
      static_cast<size_t>(std::ranges::count_if(context.list->runs, [&](const auto& run) {
        return run->info.deleted == arguments.Has("deleted");
      }));
  output.Write(Paragraph(RunsSentence(everything, all, context.style), context.style, 0));
  if (!rows.empty()) {
    output.Write("\n");
    output.Write(TableText(RowTable<RunRow>(RunColumns(fields), std::span<const RunRow>(rows)), {},
                           context.style));
  }
  size_t deleted = 0, damaged = 0;
  for (const auto& run : context.list->runs) {
    deleted += run->info.deleted ? 1U : 0U;
    damaged += std::ranges::any_of(
                   run->info.diagnostics.entries(),
                   [](const Diagnostic& d) { return InfoOf(d.kind).severity != Severity::kInfo; })
                   ? 1U
                   : 0U;
  }
  std::vector<std::string> notes;
  if (rows.size() < total) {
    notes.push_back(fmt::format("{} of {} runs shown; --limit 0 shows all", rows.size(), total));
  }
  if (deleted > 0 && !arguments.Has("deleted")) {
    notes.push_back(
        fmt::format("{} deleted: --deleted lists them, `telltale runs restore` brings "
                    "them back",
                    deleted));
  }
  if (damaged > 0) {
    notes.push_back(
        fmt::format("{} with damage or loss in {} files: `telltale runs show RUN` "
                    "tells what",
                    damaged, damaged == 1 ? "its" : "their"));
  }
  for (const SkippedFile& folder : context.workspace.closed_folders()) {
    notes.push_back(
        fmt::format("{} could not be looked into: {}", Printable(folder.path, true), folder.why));
  }
  if (context.workspace.cut())
    notes.emplace_back("there is more than is looked at: name a smaller folder");
  if (!notes.empty()) output.Write("\n");
  for (const std::string& note : notes) {
    output.Write(Paragraph(note, context.style, 2, Ink::kDim));
  }
  return Finish(output);
}

int Change(const Context& context, std::string_view verb, std::span<const std::string> words) {
  const auto usage = [](const Error& error) { return WrongUsage("runs", error); };
  const auto wrong = [&](std::string message) {
    return usage({ErrorCode::kUsage, std::move(message), std::nullopt});
  };
  const bool many = verb == "rm" || verb == "restore";
  if (words.empty()) return wrong(fmt::format("name the run: telltale runs {} RUN", verb));
  RunEdit edit;
  if (verb == "tag") {
    edit.add_tags.assign(words.begin() + 1, words.end());
    for (const std::string_view tag : Split(context.arguments.Text("remove"))) {
      edit.remove_tags.emplace_back(tag);
    }
    if (edit.add_tags.empty() && edit.remove_tags.empty()) {
      return wrong("name tags: telltale runs tag RUN TAG..., or --remove TAG,...");
    }
  } else if (verb == "note" || verb == "rename") {
    if (words.size() > 2) return wrong(fmt::format("{} takes a run and one text, in quotes", verb));
    const std::string text = words.size() == 2 ? words[1] : "";
    (verb == "note" ? edit.note : edit.name) = text;
  } else {
    edit.deleted = verb == "rm";
  }
  // A deleted run may have the name of one that is there again.
  RunList candidates;
  for (const auto& run : context.list->runs) {
    if (!many || run->info.deleted != *edit.deleted) candidates.runs.push_back(run);
  }
  const auto runs = FindRuns(candidates, many ? words : words.subspan(0, 1));
  if (!runs) return usage(runs.error());
  std::vector<std::string> ids;
  for (const auto& run : *runs) ids.push_back(run->info.id);
  const Result<size_t> changed = context.workspace.Edit(ids, edit);
  if (!changed) {
    PrintError(changed.error());
    return changed.error().code == ErrorCode::kUsage ? kExitUsage : kExitCheckFailed;
  }
  DescriptorOutput output(STDOUT_FILENO);
  for (const auto& run : *runs) {
    output.Write(fmt::format("{} {}\n",
                             *changed == 0       ? "unchanged"
                             : verb == "rm"      ? "removed"
                             : verb == "restore" ? "restored"
                                                 : "changed",
                             Printable(run->info.name, context.style.unicode)));
  }
  return Finish(output);
}

}  // namespace

CommandSpec RunsCommandSpec() {
  CommandSpec spec;
  spec.name = "runs";
  spec.summary = "list, filter, compare, tag and remove training runs";
  spec.examples = {
      {"telltale runs lightning_logs --where \"lr>0.1 and val/loss<2\" --sort val/loss",
       "the runs that count, the worst first"},
      {"telltale runs show version_3 --root lightning_logs", "all that is known of one run"},
      {"telltale runs compare a b --root runs", "what differs, then the last values"},
      {"telltale runs rm a --root runs", "to a trash, from which `restore` brings it back"},
  };
  spec.positionals =
      "[PATH...] | show RUN | compare RUN RUN... | tag RUN TAG... | note RUN TEXT | "
      "rename RUN NAME | rm RUN... | restore RUN... | export RUN...";
  spec.needs_positional = false;
  spec.options = {
      {.name = "root",
       .type = ParamType::kText,
       .value = "PATH",
       .help = "look here; may be given several times",
       .default_text = "TELLTALE_ROOT, else ./runs",
       .repeats = true},
      {.name = "experiment",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "only the runs of this experiment"},
      {.name = "run-ids",
       .type = ParamType::kText,
       .value = "A,B,...",
       .help = "only these: ids or names"},
      {.name = "filters",
       .type = ParamType::kText,
       .value = "STATUS,...",
       .help = "only runs that are Queued, Running, Completed, Failed, Canceled or Lost",
       .aliases = {"run-status"}},
      {.name = "where",
       .type = ParamType::kText,
       .value = "EXPRESSION",
       .help = "only runs for which it holds, see below"},
      {.name = "sort",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "by a fact, configuration value or metric; -NAME largest first, +NAME smallest "
               "first"},
      {.name = "columns",
       .type = ParamType::kText,
       .value = "NAME,...",
       .help = "columns of the table",
       .default_text = "configuration that differs, metrics that most runs have"},
      {.name = "limit",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "at most N runs; 0 is all",
       .default_text = "0",
       .least = 0},
      {.name = "deleted", .help = "the deleted ones"},
      {.name = "raw",
       .help = "folders as they lie: what add_scalars and add_hparams wrote is not joined"},
      {.name = "no-cache", .help = "read everything anew, and keep no columns for the next start"},
      {.name = "remove",
       .type = ParamType::kText,
       .value = "TAG,...",
       .help = "with `tag`: tags to take away"},
      {.name = "json", .help = "one JSON document on standard output"},
      {.name = "csv", .help = "comma-separated values with a header"},
  };
  AppendCommonOptions(spec);
  spec.sections = {
      {"Expressions",
       {{"NAME OP VALUE", "OP is = != < <= > >= or ~, a regular expression; and, or, not, ( )"},
        {"NAME",
         "status, name, tags, duration, start, experiment, group, kind, note; a configuration "
         "value; a metric, whose last value counts unless .min or .max follows"},
        {"VALUE", "2, 1e-3, 90min, 2h, 5%, \"text\", Running, \"2026-11-15 20:45\""}}},
      {"Exit codes",
       {{"0", "fine"},
        {"1", "a change could not be written"},
        {"2", "wrong usage: a status, metric or column that is not there, too"},
        {"3", "the folder could not be read"}}},
  };
  return spec;
}

int RunRuns(const Arguments& arguments) {
  if (arguments.Has("json") && arguments.Has("csv")) {
    return WrongUsage("runs",
                      {ErrorCode::kUsage, "--json and --csv exclude each other", std::nullopt});
  }
  const Result<StyleRequest> looks = MakeStyleRequest(arguments);
  if (!looks) return WrongUsage("runs", looks.error());
  std::span<const std::string> words = arguments.positionals();
  std::string_view verb = "list";
  if (!words.empty() && std::ranges::find(kVerbs, words[0]) != kVerbs.end()) {
    verb = words[0];
    words = words.subspan(1);
  }
  const Result<std::vector<Root>> roots =
      RootsOf(arguments, verb == "list" ? words : std::span<const std::string>());
  if (!roots) {
    PrintError(roots.error());
    return ExitCodeOf(roots.error().code);
  }
  BringInAndSay(*roots);
  Progress progress(StandardErrorPlace(arguments.Has("quiet")));
  WorkspaceOptions options;
  options.roots = *roots;
  options.threads = ThreadsOf(arguments);
  options.cache = !arguments.Has("no-cache");
  options.on_progress = [&](uint64_t done, uint64_t total) { progress.Update(done, total); };
  Workspace workspace(std::move(options));
  workspace.Scan();
  progress.Finish();
  Context context{arguments,
                  workspace,
                  workspace.runs(arguments.Has("raw")),
                  {},
                  ChooseStyle(*looks, FactsAbout(STDOUT_FILENO))};
  context.names = NamesOf(*context.list);
  if (verb == "list") return List(context);
  if (verb == "show" || verb == "compare" || verb == "export") {
    const size_t least = verb == "compare" ? 2 : 1;
    if (words.size() < least || (verb == "show" && words.size() > 1)) {
      return WrongUsage("runs", {ErrorCode::kUsage,
                                 fmt::format("{} takes {}", verb,
                                             verb == "show"      ? "one run"
                                             : verb == "compare" ? "two runs or more"
                                                                 : "one run or more"),
                                 std::nullopt});
    }
    const auto runs = FindRuns(*context.list, words);
    if (!runs) return WrongUsage("runs", runs.error());
    if (verb == "show") return ShowRun(context, *runs->front());
    return verb == "compare" ? CompareRuns(context, *runs) : ExportRuns(context, *runs);
  }
  return Change(context, verb, words);
}

}  // namespace telltale
