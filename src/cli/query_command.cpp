// SPDX-License-Identifier: Apache-2.0
// `telltale query PATH… "SELECT …"`: SQL over the columns of traces and profiles.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/leftover_notice.h"
#include "cli/loading.h"
#include "cli/progress.h"
#include "io/byte_source.h"
#include "query/database.h"
#include "query/sql_table.h"
#include "runs/workspace.h"
#include "views/expressions.h"
#include "views/part.h"
#include "views/query/message.h"
#include "views/query/output.h"
#include "views/render/display.h"
#include "views/render/output.h"
#include "views/render/units.h"
#include "views/runs/query_runs.h"

namespace telltale {

namespace {

// Nobody writes SQL as long as this; a trace given as SQL by mistake ends here.
constexpr size_t kLargestSql = size_t{1} << 20;
constexpr int64_t kDefaultSeconds = 60;

struct QueryRequest {
  std::vector<std::string> paths;
  std::string sql;
  OutputFormat format = OutputFormat::kText;
  int64_t limit = 0;
  QueryLimits limits;
  StyleRequest style;
};

Result<std::string> ReadSql(const std::string& path) {
  Result<std::string> sql = ReadSmallFile(path, {}, kLargestSql);
  if (!sql) sql.error().message = "the SQL file: " + Printable(sql.error().message, true);
  return sql;
}

Result<QueryRequest> MakeRequest(const Arguments& arguments) {
  QueryRequest request;
  Result<StyleRequest> style = MakeStyleRequest(arguments);
  if (!style) return tl::unexpected<Error>(style.error());
  request.style = *style;
  const Result<OutputFormat> format = FormatOf(arguments);
  if (!format) return tl::unexpected<Error>(format.error());
  request.format = *format;
  const bool all = request.format == OutputFormat::kCsv || request.format == OutputFormat::kJson;
  request.limit = arguments.Integer("limit").value_or(all ? 0 : kTableRows);
  const int64_t seconds = arguments.Integer("timeout").value_or(kDefaultSeconds);
  // A year is as good as for ever and fits any clock.
  request.limits.time = std::chrono::seconds(std::min<int64_t>(seconds, 365 * 24 * 3600));
  if (arguments.Has("schema")) return request;

  request.paths = arguments.positionals();
  if (arguments.Has("file")) {
    const std::string path(arguments.Text("file"));
    if (path == "-" &&
        std::find(request.paths.begin(), request.paths.end(), "-") != request.paths.end())
      return Fail(ErrorCode::kUsage, "the SQL and a trace cannot both come from standard input");
    Result<std::string> sql = ReadSql(path);
    if (!sql) return tl::unexpected<Error>(sql.error());
    request.sql = std::move(*sql);
  } else if (!request.paths.empty()) {
    request.sql = std::move(request.paths.back());
    request.paths.pop_back();
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(request.sql), ignored)) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("the SQL is missing: the last word, '{}', is a file; for example: "
                              "telltale query {} \"SELECT * FROM steps\"",
                              Printable(request.sql, true), Printable(request.sql, true)));
    }
  }
  if (request.paths.empty()) {
    return Fail(ErrorCode::kUsage,
                "name a trace and the SQL, for example: telltale query trace.json.gz \"SELECT * "
                "FROM steps\"");
  }
  return request;
}

// Whether the SQL has one of these words: which tables it may ask for. One too many costs time
// only.
bool Mentions(std::string_view sql, std::span<const std::string_view> words) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (size_t i = 0; i < sql.size();) {
    size_t end = i;
    while (end < sql.size() && is_letter(sql[end])) ++end;
    std::string word(sql.substr(i, end - i));
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (std::ranges::find(words, word) != words.end()) return true;
    i = std::max(end, i + 1);
  }
  return false;
}

constexpr std::array<std::string_view, 6> kTablesOfRuns = {"runs",       "params", "scalars",
                                                           "histograms", "media",  "texts"};

std::vector<std::string_view> OtherTables() {
  std::vector<std::string_view> names;
  for (const SqlTable& table : Tables()) {
    if (std::ranges::find(kTablesOfRuns, table.name) == kTablesOfRuns.end()) {
      names.push_back(table.name);
    }
  }
  return names;
}

// The runs below the paths; an Error where one of them is not there.
Result<std::unique_ptr<Workspace>> LoadRuns(std::span<const std::string> paths, unsigned threads,
                                            Progress& progress) {
  WorkspaceOptions options;
  for (const std::string& path : paths) {
    Result<Root> root = MakeRoot("", path);
    if (!root) return tl::unexpected(root.error());
    options.roots.push_back(std::move(*root));
  }
  BringInAndSay(options.roots);
  options.threads = threads;
  options.on_progress = [&](uint64_t done, uint64_t total) { progress.Update(done, total); };
  auto workspace = std::make_unique<Workspace>(std::move(options));
  workspace->Scan();
  return workspace;
}

int Report(const QueryError& error, std::string_view sql) {
  PrintError(QueryMessage(error, sql, ChooseStyle({}, FactsAbout(STDERR_FILENO)).unicode,
                          Spelling::kOption));
  const bool wrong_sql =
      error.kind == QueryError::Kind::kSql || error.kind == QueryError::Kind::kRefused;
  return wrong_sql ? kExitUsage : kExitCheckFailed;
}

}  // namespace

CommandSpec QueryCommandSpec() {
  CommandSpec spec;
  spec.name = "query";
  spec.summary = "ask traces and runs anything, in SQL";
  spec.examples = {
      {"telltale query trace.json.gz \"SELECT name, count(*), sum(duration_ns) FROM kernels GROUP "
       "BY name\"",
       "time per kernel"},
      {"telltale query runs \"SELECT run, min(value) FROM scalars WHERE tag = 'val/loss' GROUP BY "
       "run\"",
       "the best value of each run"},
      {"telltale query --schema", "the tables and their columns"},
  };
  spec.positionals = "PATH... SQL";
  spec.needs_positional = false;
  spec.options = {
      {.name = "json", .help = "an array of row objects"},
      {.name = "csv", .help = "comma-separated values with a header"},
      {.name = "markdown", .help = "a Markdown table"},
      {.name = "limit",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "at most N rows; 0 is all",
       .default_text = "1000; all for --json and --csv",
       .least = 0},
      {.name = "timeout",
       .type = ParamType::kInteger,
       .value = "SECONDS",
       .help = "stop a query that takes longer; 0 is never",
       .default_text = "60",
       .least = 0},
      {.name = "file",
       .type = ParamType::kText,
       .value = "FILE",
       .help = "read the SQL from a file, - for standard input; then all words are paths"},
      {.name = "schema", .help = "show the tables and their columns, run nothing"},
      {.name = "rank",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "only the files of this rank"},
      {.name = "step-annotation",
       .type = ParamType::kText,
       .value = "REGEX",
       .help = "steps are the annotations whose name matches",
       .default_text = "ProfilerStep#N"},
  };
  spec.letters = {{'f', "file"}};
  AppendCommonOptions(spec);
  spec.sections = {
      {"SQL",
       {{"",
         "One SELECT (or WITH, EXPLAIN, PRAGMA table_info) in SQLite's dialect, and median(x), "
         "percentile(x, p), x REGEXP 'pattern'. Times are integer nanoseconds. Nothing can be "
         "written. docs/query.md has more examples."}}},
      {"Exit codes",
       {{"0", "fine"},
        {"1", "the query was stopped (out of time or memory), or its result could not be written"},
        {"2", "wrong usage, wrong SQL"},
        {"3", "no input could be read"}}},
  };
  return spec;
}

int RunQuery(const Arguments& arguments) {
  const Result<QueryRequest> request = MakeRequest(arguments);
  if (!request) return WrongUsage("query", request.error());
  DescriptorOutput output(STDOUT_FILENO);
  const OutputStyle style = ChooseStyle(request->style, FactsAbout(STDOUT_FILENO));
  if (arguments.Has("schema")) {
    WriteSchema(request->format, style, output);
    return Finish(output);
  }

  QueryInput input;
  if (const Result<void> fine = SetPart(arguments, input.analysis); !fine) {
    PrintError(fine.error());
    return kExitUsage;
  }
  input.analysis.threads = ThreadsOf(arguments);
  // Wrong SQL is found before a large file is read.
  {
    Database empty({}, request->limits);
    if (const QueryResult<Statement> statement = empty.Prepare(request->sql); !statement)
      return Report(statement.error(), request->sql);
  }
  Progress progress(StandardErrorPlace(arguments.Has("quiet")));
  std::unique_ptr<Workspace> workspace;
  std::vector<QueryRun> runs;
  if (Mentions(request->sql, kTablesOfRuns) &&
      std::ranges::find(request->paths, "-") == request->paths.end()) {
    Result<std::unique_ptr<Workspace>> loaded =
        LoadRuns(request->paths, input.analysis.threads, progress);
    if (!loaded) {
      progress.Finish();
      PrintError(loaded.error());
      return ExitCodeOf(loaded.error().code);
    }
    workspace = std::move(*loaded);
    runs = QueryRunsOf(*workspace);
    input.runs = runs;
  }
  if (runs.empty() || Mentions(request->sql, OtherTables())) {
    Result<Subject> subject = LoadWithProgress(request->paths, arguments.Integer("rank"),
                                               input.analysis.threads, progress);
    // A folder of runs need not hold a trace.
    if (!subject && runs.empty()) {
      progress.Finish();
      PrintError(subject.error());
      return ExitCodeOf(subject.error().code);
    }
    if (subject) input.subject = std::move(*subject);
  }
  progress.Finish();
  // An expression that is too much work is found before a row depends on it.
  std::vector<TraceContext> contexts;
  if (arguments.Has("step-annotation")) {
    for (const Trace* trace : input.subject.Each<Trace>()) {
      contexts.push_back(PrepareTrace(*trace, input.analysis));
      if (const Result<void> known = CheckExpressions(contexts.back()); !known) {
        PrintError(known.error());
        return kExitUsage;
      }
    }
    input.contexts = contexts;
  }
  Database database(input, request->limits);
  QueryResult<Statement> statement = database.Prepare(request->sql);
  if (!statement) return Report(statement.error(), request->sql);
  const QueryOutcome outcome =
      WriteResult(*statement, request->format, request->limit, style, output);
  const int written = Finish(output);
  if (outcome.cut) {
    PrintError(fmt::format(
        "only the first {} shown; --limit 0 shows all",
        outcome.rows == 1 ? "row is" : fmt::format("{} rows are", FormatCount(outcome.rows))));
  }
  if (outcome.error) return Report(*outcome.error, request->sql);
  return written;
}

}  // namespace telltale
