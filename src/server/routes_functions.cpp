// SPDX-License-Identifier: Apache-2.0
// Call trees for icicles, flames and sandwiches. A tree is sent as columns beside a list of its
// functions: twenty thousand nodes then stay below a megabyte. Times that a file does not determine
// are ranges; none is made up.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/functions/functions.h"
#include "analysis/functions/lines.h"
#include "analysis/functions/threads.h"
#include "analysis/functions/time_order.h"
#include "analysis/functions/trace_functions.h"
#include "analysis/functions/tree.h"
#include "base/json_writer.h"
#include "base/origin.h"
#include "base/utf8.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/select_part.h"
#include "views/functions/between.h"
#include "views/part.h"

namespace telltale {

namespace {

constexpr int64_t kMostNodes = 20'000;
// Of one function: nobody reads further.
constexpr size_t kMostLines = 100;
// Of pictures of calls in the order of time.
constexpr int64_t kMostPixels = 8'192;
constexpr int64_t kMostLevels = 1'024;
// Unfolded once and kept; requests choose from it.
constexpr size_t kKeptNodes = 100'000;

// The profiles of all files, or of one; those of traces are made from their frames.
struct FunctionSources {
  std::vector<FunctionProfile> of_traces;
  std::optional<TimeCut> cut;  // of all of them; `profiles` are these then
  std::vector<const FunctionProfile*> profiles;
  std::vector<FunctionThread> threads;
  std::string problem;  // why there is nothing of the time that was asked for

  [[nodiscard]] size_t memory_bytes() const {
    size_t bytes = threads.size() * sizeof(FunctionThread);
    for (const FunctionProfile& profile : of_traces) bytes += profile.memory_bytes();
    if (cut) {
      for (const FunctionProfile& profile : cut->profiles) bytes += profile.memory_bytes();
    }
    return bytes;
  }
};

// Their functions, or those of one thread, joined.
struct JoinedFunctions {
  std::shared_ptr<const FunctionSources> sources;  // the table refers to their texts
  FunctionTable table;

  [[nodiscard]] size_t memory_bytes() const {
    const size_t bytes = table.rows.size() * sizeof(FunctionRow) +
                         table.calls.size() * sizeof(CallRow) + table.tree.parent.memory_bytes() +
                         table.tree.function.memory_bytes() + table.tree.self.memory_bytes() +
                         table.tree.calls.memory_bytes();
    return bytes;
  }
};

// Unfolded, or what of it can be kept: the largest first.
struct UnfoldedTree {
  std::vector<FunctionTreeNode> nodes;

  [[nodiscard]] size_t memory_bytes() const { return nodes.size() * sizeof(FunctionTreeNode); }
};

// What a request is about: a part of the profile, and of its files.
struct Asked {
  std::optional<int64_t> file;  // as in the report
  ProfileRequest part;
  std::string thread;  // as ChooseThread takes it; empty: all, summed
  std::optional<TimeRange> between;
  ParamValues params;  // as given, for messages
  std::string key;     // the same for the same part and file
  [[nodiscard]] std::string KeyOfThread() const { return key + "\n" + thread; }
};

std::shared_ptr<const FunctionSources> Gather(const PreparedProfile& part,
                                              std::optional<int64_t> file) {
  auto sources = std::make_shared<FunctionSources>();
  const Subject& subject = part.subject;
  const bool beside = subject.Has<FunctionProfile>();
  const auto asked = [&](ArtifactId id) { return *file == static_cast<int64_t>(id); };
  auto context = part.contexts.begin();
  for (const ArtifactId id : subject.IdsOf<Trace>()) {
    const bool wanted = file ? asked(id) : !beside || IsTraceOfFunctions(context->trace);
    if (wanted) sources->of_traces.push_back(FunctionsOfTrace(*context));
    ++context;
  }
  for (const FunctionProfile& profile : sources->of_traces) sources->profiles.push_back(&profile);
  for (const ArtifactId id : subject.IdsOf<FunctionProfile>()) {
    if (!file || asked(id)) {
      sources->profiles.push_back(subject.artifacts()[IndexOf(id)]->As<FunctionProfile>());
    }
  }
  sources->threads = ThreadsOf(sources->profiles);
  return sources;
}

// What a request is about; an Error where there is no such part. Kept with the profile.
Result<std::shared_ptr<const FunctionSources>> SourcesOf(const OpenProfile& open, Asked& asked) {
  const auto part = SelectPart(open, asked.part);
  if (!part) return tl::unexpected(part.error());
  const Subject& subject = (*part)->subject;
  const size_t files = subject.Each<Trace>().size() + subject.Each<FunctionProfile>().size();
  if (asked.file && *asked.file >= static_cast<int64_t>(files)) {
    return Fail(ErrorCode::kUsage, fmt::format("file takes a number below {}: so many files of "
                                               "this part may hold functions",
                                               files));
  }
  auto sources = open.Derived<FunctionSources>(
      [&](const OpenProfile&) -> std::shared_ptr<const FunctionSources> {
        auto whole = Gather(**part, asked.file);
        if (!asked.between) return whole;
        Result<TimeCut> cut = CutBetween(whole->profiles, *asked.between, asked.params);
        auto part_of_time = std::make_shared<FunctionSources>();
        if (!cut) {
          part_of_time->problem = cut.error().message;
          return part_of_time;
        }
        part_of_time->cut = std::move(*cut);
        for (const FunctionProfile& profile : part_of_time->cut->profiles) {
          part_of_time->profiles.push_back(&profile);
        }
        part_of_time->threads = ThreadsOf(part_of_time->profiles);
        return part_of_time;
      },
      asked.key);
  if (!sources->problem.empty()) return Fail(ErrorCode::kUsage, sources->problem);
  return sources;
}

Result<std::optional<ThreadChoice>> ThreadOf(const FunctionSources& sources, const Asked& asked) {
  if (asked.thread.empty()) return std::nullopt;
  return ChooseThread(sources.threads, asked.thread);
}

Result<std::shared_ptr<const JoinedFunctions>> FunctionsOf(const OpenProfile& open, Asked& asked) {
  const auto sources = SourcesOf(open, asked);
  if (!sources) return tl::unexpected(sources.error());
  const Result<std::optional<ThreadChoice>> thread = ThreadOf(**sources, asked);
  if (!thread) return tl::unexpected(thread.error());
  return open.Derived<JoinedFunctions>(
      [&](const OpenProfile&) {
        auto joined = std::make_shared<JoinedFunctions>();
        joined->sources = *sources;
        joined->table = JoinFunctions((*sources)->profiles,
                                      {.with_calls = true, .with_tree = true, .thread = *thread});
        return joined;
      },
      asked.KeyOfThread());
}

std::shared_ptr<const UnfoldedTree> TreeOf(const OpenProfile& open, const Asked& asked,
                                           const FunctionTable& table) {
  return open.Derived<UnfoldedTree>(
      [&](const OpenProfile&) {
        return std::make_shared<const UnfoldedTree>(
            UnfoldedTree{BuildFunctionTree(table, {.most_nodes = kKeptNodes})});
      },
      asked.KeyOfThread());
}

struct TreeRequest {
  Asked asked;
  std::optional<int64_t> root;
  double min_share = 0;
  int64_t nodes = 0;
};

// Which part of the profile and which file, and what a route has besides.
std::vector<ParamSpec> With(std::initializer_list<ParamSpec> own) {
  std::vector<ParamSpec> all = PartParams();
  all.push_back({.name = "file", .type = ParamType::kInteger, .least = 0});
  all.push_back(BetweenParam());
  all.insert(all.end(), own);
  return all;
}

ParamSpec ThreadParam() { return {.name = "thread", .type = ParamType::kText}; }
ParamSpec MinShareParam() {
  return {.name = "min_share", .type = ParamType::kText, .usual = "0.0005"};
}
ParamSpec NodesParam() {
  return {.name = "nodes",
          .type = ParamType::kInteger,
          .least = 1,
          .most = kMostNodes,
          .clamps = true,
          .usual = "5000"};
}

std::span<const ParamSpec> TreeParams() {
  static const std::vector<ParamSpec> specs =
      With({ThreadParam(),
            MinShareParam(),
            NodesParam(),
            {.name = "root", .type = ParamType::kInteger, .least = 0}});
  return specs;
}

std::span<const ParamSpec> OneFunctionParams() {
  static const std::vector<ParamSpec> specs = With({ThreadParam(), MinShareParam(), NodesParam()});
  return specs;
}

std::span<const ParamSpec> OrderParams() {
  static const std::vector<ParamSpec> specs =
      With({// Order is one thread's.
            {.name = "thread", .type = ParamType::kText, .usual = "main"},
            {.name = "start", .type = ParamType::kInteger, .least = 0, .usual = "0"},
            {.name = "end", .type = ParamType::kInteger, .least = 0},
            {.name = "width",
             .type = ParamType::kInteger,
             .least = 1,
             .most = kMostPixels,
             .clamps = true,
             .usual = "1000"},
            {.name = "levels",
             .type = ParamType::kInteger,
             .least = 1,
             .most = kMostLevels,
             .clamps = true,
             .usual = "64"}});
  return specs;
}

Result<Asked> ParseAsked(const ParamValues& params) {
  Result<ProfileRequest> part = MakeProfileRequest(params, {OutputFormat::kJson});
  if (!part) return tl::unexpected(part.error());
  Asked asked;
  asked.part = std::move(*part);
  asked.file = params.Integer("file");
  asked.thread = std::string(params.Text("thread"));
  asked.params = params;
  if (params.Has("between")) {
    const Result<TimeRange> range = ParseTimeRange(params.Text("between"));
    if (!range) return params.Wrong("between", range.error().message);
    asked.between = *range;
  }
  asked.key = fmt::format("file {}", asked.file.value_or(-1));
  for (const std::string_view name : {"steps", "rank", "inside", "step-annotation", "between"}) {
    asked.key += fmt::format("\n{}", params.Text(name));
  }
  return asked;
}

Result<TreeRequest> Parse(const ParamValues& params) {
  Result<Asked> asked = ParseAsked(params);
  if (!asked) return tl::unexpected(asked.error());
  TreeRequest request;
  request.asked = std::move(*asked);
  request.root = params.Integer("root");
  request.nodes = params.Number("nodes");
  const std::string_view text = params.Text("min_share");
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), request.min_share);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(request.min_share >= 0 && request.min_share <= 1)) {
    return params.Wrong("min_share", "takes a share from 0 to 1, not " + QuotedWord(text));
  }
  return request;
}

// The nodes of a tree that are shown, in the tree's own order: the largest, each with its parent.
std::vector<uint32_t> Choose(const std::vector<FunctionTreeNode>& tree, std::optional<int64_t> root,
                             double min_share, size_t most) {
  std::vector<uint32_t> first(tree.size() + 1);  // children of node n: first[n] to first[n + 1]
  std::vector<uint32_t> roots;
  for (uint32_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent == kNoCallNode) {
      roots.push_back(i);
    } else {
      ++first[tree[i].parent + 1];
    }
  }
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<uint32_t> children(first.back());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (uint32_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent != kNoCallNode) children[next[tree[i].parent]++] = i;
  }
  if (root) roots = {static_cast<uint32_t>(*root)};
  int64_t whole = 0;
  for (const uint32_t node : roots) whole += tree[node].most;
  const auto least = static_cast<int64_t>(std::ceil(min_share * static_cast<double>(whole)));

  const auto smaller = [&](uint32_t a, uint32_t b) {
    if (tree[a].most != tree[b].most) return tree[a].most < tree[b].most;
    return a > b;
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(smaller)> open(smaller);
  for (const uint32_t node : roots) open.push(node);
  std::vector<uint32_t> chosen;
  while (!open.empty() && chosen.size() < most) {
    const uint32_t node = open.top();
    open.pop();
    chosen.push_back(node);
    for (uint32_t i = first[node]; i < first[node + 1]; ++i) {
      if (tree[children[i]].most >= least) open.push(children[i]);
    }
  }
  std::ranges::sort(chosen);
  return chosen;
}

std::optional<std::string> TextOrNone(std::string_view text) {
  return text.data() == nullptr ? std::nullopt : std::optional(RepairUtf8(text));
}

void WriteOrigin(const Origin& origin, JsonWriter& json) {
  json.Field("package", RepairUtf8(origin.package));
  json.Field("own_code", origin.own);
}

void WriteFunction(const FunctionTable& table, uint32_t row, JsonWriter& json) {
  const FunctionRow& function = table.rows[row];
  json.BeginObject();
  json.Field("function", row);
  json.Field("name", RepairUtf8(function.name));
  json.Field("file", TextOrNone(function.file));
  json.Field("line",
             function.line == kNoInt ? std::nullopt : std::optional<int64_t>(function.line));
  json.Field("module", TextOrNone(function.module));
  WriteOrigin(OriginOf(function.file, function.name), json);
  json.Field("self", function.values.self);
  json.Field("total", function.values.total);
  json.Field("calls", function.values.calls);
  json.Field("primitive_calls", function.values.primitive_calls);
  json.EndObject();
}

void WriteHead(const FunctionTable& table, JsonWriter& json) {
  json.Field("source", NameOf(table.source));
  json.Field("unit", NameOf(table.unit));
  json.Field("total", table.has_self ? std::optional(table.total) : std::nullopt);
}

// The functions of a document, in the order in which its nodes name them.
struct ListedFunction {
  std::vector<uint32_t> rows;
  std::unordered_map<uint32_t, uint32_t> places;  // in rows
};

// Columns of the chosen nodes; `function` indexes the document's list.
void WriteNodes(const std::vector<FunctionTreeNode>& tree, const std::vector<uint32_t>& chosen,
                ListedFunction& listed, JsonWriter& json) {
  const auto column = [&](std::string_view key, auto write) {
    json.Key(key);
    json.BeginArray();
    for (const uint32_t i : chosen) write(i);
    json.EndArray();
  };
  const auto known = [&](const std::optional<int64_t>& value) {
    value ? json.Int(*value) : json.Null();
  };
  std::unordered_map<uint32_t, size_t> place;
  for (size_t i = 0; i < chosen.size(); ++i) place[chosen[i]] = i;
  std::vector<uint32_t> shown_children(chosen.size());
  std::vector<uint32_t> all_children(tree.size());
  for (const FunctionTreeNode& node : tree) {
    if (node.parent != kNoCallNode) ++all_children[node.parent];
  }
  for (const uint32_t i : chosen) {
    if (const auto at = place.find(tree[i].parent); at != place.end()) ++shown_children[at->second];
  }
  json.BeginObject();
  column("id", [&](uint32_t i) { json.Int(i); });
  // -1 for roots.
  column("parent", [&](uint32_t i) {
    const auto at = place.find(tree[i].parent);
    json.Int(at == place.end() ? int64_t{-1} : static_cast<int64_t>(at->second));
  });
  column("function", [&](uint32_t i) {
    const auto [at, is_new] =
        listed.places.try_emplace(tree[i].row, static_cast<uint32_t>(listed.rows.size()));
    if (is_new) listed.rows.push_back(tree[i].row);
    json.Int(at->second);
  });
  column("total_low", [&](uint32_t i) { json.Int(tree[i].least); });
  column("total_high", [&](uint32_t i) { json.Int(tree[i].most); });
  column("self", [&](uint32_t i) { known(tree[i].self); });
  column("calls", [&](uint32_t i) { known(tree[i].calls); });
  column("recursive", [&](uint32_t i) { json.Int(tree[i].recursive ? 1 : 0); });
  // Children that are not among the nodes.
  column("hidden", [&](uint32_t i) {
    json.Int(all_children[i] - shown_children[place[i]] + tree[i].hidden_children);
  });
  json.EndObject();
}

void WriteFunctions(const FunctionTable& table, const ListedFunction& listed, JsonWriter& json) {
  json.Key("functions");
  json.BeginArray();
  for (const uint32_t row : listed.rows) WriteFunction(table, row, json);
  json.EndArray();
}

HttpResponse NoSuch(std::string_view what) {
  return ErrorResponse(404, "no_such_function", fmt::format("there is no such {}", what));
}

HttpResponse CallTreeOf(const RouteContext& context, const RouteRequest& asked) {
  Result<TreeRequest> request = Parse(asked.params);
  if (!request) return ErrorResponse(request.error());
  return WithKeptAnswer(context, asked, [&](const OpenProfile& open) {
    const auto functions = FunctionsOf(open, request->asked);
    if (!functions) return ErrorResponse(functions.error());
    const FunctionTable& table = (*functions)->table;
    const std::shared_ptr<const UnfoldedTree> unfolded = TreeOf(open, request->asked, table);
    const std::vector<FunctionTreeNode>& tree = unfolded->nodes;
    if (request->root && *request->root >= static_cast<int64_t>(tree.size())) {
      return NoSuch("node");
    }
    const auto write = [&](int64_t nodes) {
      JsonWriter json(false);
      json.BeginObject();
      WriteHead(table, json);
      json.Field("root", request->root);
      json.Field("nodes_total", tree.size());
      json.Key("nodes");
      ListedFunction listed;
      WriteNodes(tree, Choose(tree, request->root, request->min_share, static_cast<size_t>(nodes)),
                 listed, json);
      WriteFunctions(table, listed, json);
      json.EndObject();
      return json.Take();
    };
    return JsonResponse(WriteWithin(request->nodes, write));
  });
}

// The lines that the function was in, where samples know them; those with most time first.
std::vector<FunctionLine> LinesOfFunction(const FunctionSources& sources, const Asked& asked,
                                          const FunctionRow& row) {
  const Result<std::optional<ThreadChoice>> thread = ThreadOf(sources, asked);
  std::vector<FunctionLine> lines = LinesOf(sources.profiles, thread ? *thread : std::nullopt);
  std::erase_if(lines, [&](const FunctionLine& line) {
    return line.file != row.file || line.first_line != row.line || line.name != row.name;
  });
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

void WriteLines(const std::vector<FunctionLine>& lines, JsonWriter& json) {
  json.Key("lines");
  json.BeginArray();
  for (const FunctionLine& line : lines) {
    json.BeginObject();
    json.Field("line", line.line == kNoInt ? std::nullopt : std::optional<int64_t>(line.line));
    json.Field("self", line.self);
    json.EndObject();
  }
  json.EndArray();
}

HttpResponse OneFunction(const RouteContext& context, const RouteRequest& asked) {
  Result<TreeRequest> request = Parse(asked.params);
  if (!request) return ErrorResponse(request.error());
  const std::optional<int64_t> number = ParseInteger(asked.values[1]);
  return WithKeptAnswer(context, asked, [&](const OpenProfile& open) {
    const auto functions = FunctionsOf(open, request->asked);
    if (!functions) return ErrorResponse(functions.error());
    const FunctionTable& table = (*functions)->table;
    if (!number || *number < 0 || *number >= static_cast<int64_t>(table.rows.size())) {
      return NoSuch("function");
    }
    const auto row = static_cast<uint32_t>(*number);
    const FunctionTreeOptions options = {.most_nodes = kMostNodes};
    const std::array<std::pair<std::string_view, std::vector<FunctionTreeNode>>, 2> trees = {{
        {"callers", BuildCallersTree(table, row, options)},
        {"callees", BuildCalleesTree(table, row, options)},
    }};
    const std::vector<FunctionLine> lines =
        LinesOfFunction(*(*functions)->sources, request->asked, table.rows[row]);
    const auto write = [&](int64_t nodes) {
      JsonWriter json(false);
      json.BeginObject();
      WriteHead(table, json);
      json.Key("function");
      WriteFunction(table, row, json);
      ListedFunction listed;
      const auto half = static_cast<size_t>(std::max<int64_t>(1, nodes / 2));
      for (const auto& [name, tree] : trees) {
        json.Key(name);
        WriteNodes(tree, Choose(tree, std::nullopt, request->min_share, half), listed, json);
      }
      WriteFunctions(table, listed, json);
      WriteLines(lines, json);
      json.EndObject();
      return json.Take();
    };
    return JsonResponse(WriteWithin(request->nodes, write));
  });
}

TimeOrderRequest ParseOrder(const ParamValues& params) {
  TimeOrderRequest order;
  order.start = params.Number("start");
  order.end = params.Integer("end");
  order.width = static_cast<uint32_t>(params.Number("width"));
  order.levels = static_cast<uint32_t>(params.Number("levels"));
  return order;
}

void WriteOrder(const FunctionProfile& profile, const TimeOrder& order, JsonWriter& json) {
  const auto column = [&](std::string_view key, auto value) {
    json.Key(key);
    json.BeginArray();
    for (const TimeOrderBox& box : order.boxes) json.Int(value(box));
    json.EndArray();
  };
  std::vector<FunctionId> listed;
  std::unordered_map<FunctionId, uint32_t> places;
  json.Field("start", order.start);
  json.Field("end", order.end);
  json.Field("whole", order.whole);
  json.Field("levels", order.levels);
  json.Key("boxes");
  json.BeginObject();
  column("depth", [](const TimeOrderBox& box) { return box.depth; });
  column("start", [](const TimeOrderBox& box) { return box.start; });
  column("length", [](const TimeOrderBox& box) { return box.length; });
  column("merged", [](const TimeOrderBox& box) { return box.merged; });
  column("function", [&](const TimeOrderBox& box) {
    const auto [at, is_new] =
        places.try_emplace(box.function, static_cast<uint32_t>(listed.size()));
    if (is_new) listed.push_back(box.function);
    return at->second;
  });
  json.EndObject();
  json.Key("functions");
  json.BeginArray();
  for (const FunctionId id : listed) {
    const Function& function = profile.functions[id];
    const std::string_view file = profile.Text(function.file);
    const std::string_view name = profile.Text(function.name);
    json.BeginObject();
    json.Field("name", RepairUtf8(name));
    json.Field("file", function.file == kNoString ? std::nullopt : TextOrNone(file));
    json.Field("line",
               function.line == kNoInt ? std::nullopt : std::optional<int64_t>(function.line));
    WriteOrigin(OriginOf(file, name), json);
    json.EndObject();
  }
  json.EndArray();
}

HttpResponse CallOrderOf(const RouteContext& context, const RouteRequest& request) {
  Result<Asked> asked = ParseAsked(request.params);
  if (!asked) return ErrorResponse(asked.error());
  const TimeOrderRequest order = ParseOrder(request.params);
  return WithKeptAnswer(context, request, [&](const OpenProfile& open) {
    const auto sources = SourcesOf(open, *asked);
    if (!sources) return ErrorResponse(sources.error());
    const Result<std::optional<ThreadChoice>> thread = ThreadOf(**sources, *asked);
    if (!thread) return ErrorResponse(thread.error());
    if (!*thread) {
      return ErrorResponse(404, "no_order",
                           "this profile holds what functions took in all, not when they ran: it "
                           "has no order in time");
    }
    const FunctionProfile& profile = *(*sources)->profiles[(*thread)->profile];
    const auto write = [&](int64_t width) {
      TimeOrderRequest narrower = order;
      narrower.width = static_cast<uint32_t>(width);
      JsonWriter json(false);
      json.BeginObject();
      json.Field("unit", NameOf(profile.unit));
      json.Field("thread", RepairUtf8(profile.threads[(*thread)->thread]));
      WriteOrder(profile, OrderInTime(profile, (*thread)->thread, narrower), json);
      json.EndObject();
      return json.Take();
    };
    return JsonResponse(WriteWithin(order.width, write));
  });
}

}  // namespace

std::span<const Route> FunctionRoutes() {
  static constexpr std::array<Route, 3> kRoutes = {{
      {"GET", "/api/v1/profiles/{id}/calltree", CallTreeOf, TreeParams},
      {"GET", "/api/v1/profiles/{id}/callorder", CallOrderOf, OrderParams},
      {"GET", "/api/v1/profiles/{id}/functions/{function}", OneFunction, OneFunctionParams},
  }};
  return kRoutes;
}

}  // namespace telltale
