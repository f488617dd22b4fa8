// SPDX-License-Identifier: Apache-2.0
#include "query/query_file.h"

#include <utility>

#include "analysis/core/sums.h"

namespace telltale {

QueryFile::QueryFile(QuerySource& source, ArtifactId number)
    : id(number),
      artifact(source.input().subject.artifacts()[IndexOf(number)].get()),
      trace(artifact->As<Trace>()),
      profile(artifact->As<FunctionProfile>()),
      rank(artifact->source().rank),
      source_(&source) {}

const StringPool* QueryFile::strings() const {
  if (trace != nullptr) return &trace->strings;
  return profile != nullptr ? &profile->strings : nullptr;
}

const TraceContext& QueryFile::Context() const {
  if (made_context != nullptr) return *made_context;
  return context_.Get([&] { return PrepareTrace(*trace, source_->input().analysis); });
}

const OperatorCalls& QueryFile::Operators() const {
  return operators_.Get([&] { return DescribeOperatorCalls(Context()); });
}

const std::vector<GroupMemory>& QueryFile::OperatorMemory() const {
  return operator_memory_.Get([&] { return MemoryOfCalls(Context(), Operators()); });
}

const SpanPlaces& QueryFile::Places() const {
  return places_.Get([&] { return PlaceSpans(Context()); });
}

const StepReport& QueryFile::Steps() const {
  return steps_.Get([&] {
    const TraceContext& context = Context();
    return DescribeSteps(*trace, context.tree, context.links, context.facts, context.steps);
  });
}

const PythonCalls& QueryFile::Python() const {
  return python_.Get([&] {
    PythonCalls calls;
    calls.tree = BuildPythonTree(*trace);
    const PythonTree& tree = calls.tree;
    calls.self_ns.resize(tree.size());
    calls.depth.resize(tree.size());
    Column<uint32_t> node_of(trace->spans.size());       // by span, plus one
    for (NodeId node = 0; node < tree.size(); ++node) {  // parents before children
      const SpanRow span = tree.span[node];
      node_of[span] = node + 1;
      AddTo(calls.self_ns[node], trace->spans.duration_ns[span]);
      const NodeId parent = tree.parent[node];
      if (parent == kNoRow) continue;
      SubtractFrom(calls.self_ns[parent], trace->spans.duration_ns[span]);
      calls.depth[node] = calls.depth[parent] + 1;
    }
    for (const uint32_t node : node_of) {
      if (node != 0) calls.node.push_back(node - 1);
    }
    return calls;
  });
}

const FunctionFacts& QueryFile::Functions() const {
  return functions_.Get([&] {
    FunctionFacts facts;
    facts.table = JoinFunctions({&profile, 1});
    for (uint32_t row = 0; row < facts.table.rows.size(); ++row) {
      if (facts.table.rows[row].in_profile) facts.shown.push_back(row);
    }
    return facts;
  });
}

const std::vector<DiagnosticRow>& QueryFile::Diagnosed() const {
  return diagnosed_.Get([&] {
    std::vector<DiagnosticRow> rows;
    if (artifact == nullptr && run == nullptr) {
      for (const Error& failure : source_->input().subject.failures) {
        rows.push_back({Severity::kError, "unreadable", 1, failure.offset, failure.message});
      }
      return rows;
    }
    Diagnostics all;
    all.Merge(run != nullptr ? run->info.diagnostics : artifact->diagnostics());
    if (trace != nullptr) all.Merge(Context().diagnostics);
    for (const Diagnostic& entry : all.entries()) {
      const DiagnosticInfo& info = InfoOf(entry.kind);
      rows.push_back({info.severity, info.name, entry.count, entry.first_offset,
                      entry.detail.empty() ? std::string(info.message) : entry.detail});
    }
    return rows;
  });
}

const std::vector<uint32_t>& QueryFile::FirstPoints() const {
  return first_points_.Get([&] {
    std::vector<uint32_t> first = {0};
    for (const QueryScalars& tag : run->scalars) {
      first.push_back(first.back() + static_cast<uint32_t>(tag.points.size()));
    }
    return first;
  });
}

const std::vector<Value>& QueryFile::TagValues() const {
  return tag_values_.Get([&] {
    std::vector<Value> values;
    for (const QueryScalars& tag : run->scalars) values.push_back(source_->Own(tag.tag));
    return values;
  });
}

const std::vector<QueryHistogram>& QueryFile::Histograms() const {
  return histograms_.Get(
      [&] { return run->histograms ? run->histograms() : decltype(run->histograms())(); });
}

const std::vector<QueryMedia>& QueryFile::Media() const {
  return media_.Get([&] { return run->media ? run->media() : decltype(run->media())(); });
}

const std::vector<QueryText>& QueryFile::Texts() const {
  return texts_.Get([&] { return run->texts ? run->texts() : decltype(run->texts())(); });
}

Value QueryFile::StepName(uint32_t step) const {
  if (step == kNoRow) return Value::Null();
  const std::vector<StringId>& names = step_names_.Get([&] {
    std::vector<StringId> ids;
    for (size_t i = 0; i < Context().steps.rows.size(); ++i) {
      ids.push_back(source_->own_texts().Intern(NameOfStep(Context(), i)));
    }
    return ids;
  });
  return Value::Text(source_->own_texts().Get(names[step]), names[step]);
}

Value QueryFile::Time(int64_t time_ns) const {
  AddTo(time_ns, trace->base_time_ns);
  return Value::Integer(time_ns);
}

QuerySource::QuerySource(const QueryInput& input) : input_(input) {
  int64_t events = 0;
  auto context = input_.contexts.begin();
  const auto add = [&](ArtifactId id) -> QueryFile& {
    QueryFile& file = *files_.emplace_back(std::make_unique<QueryFile>(*this, id));
    file.pool = pools_.size();
    pools_.push_back(file.strings());
    return file;
  };
  for (const ArtifactId id : input_.subject.IdsOf<Trace>()) {
    QueryFile& file = add(id);
    file.first_event_id = events;
    events += static_cast<int64_t>(file.trace->spans.size());
    if (context != input_.contexts.end()) file.made_context = &*context++;
  }
  for (const ArtifactId id : input_.subject.IdsOf<FunctionProfile>()) add(id);
  for (const QueryRun& run : input_.runs) {
    files_.push_back(std::make_unique<QueryFile>(*this, run));
  }
  if (!input_.subject.failures.empty()) files_.push_back(std::make_unique<QueryFile>(*this));
  for (size_t i = 0; i < kCategoryCount; ++i) kind_names_[i] = Own(NameOf(Category(i)));
  communication_ = Own("communication");
  compute_ = Own("compute");
}

Value QuerySource::Own(std::string_view text) const {
  const StringId id = own_texts_.Intern(text);
  return Value::Text(own_texts_.Get(id), id);
}

const QuerySource::Numbering& QuerySource::Numbers() const {
  return numbering_.Get([&] {
    Numbering numbering;
    for (const StringPool* pool : pools_) {
      std::vector<uint32_t>& numbers = numbering.by_pool.emplace_back();
      numbers.reserve(pool->size());
      for (uint32_t id = 0; id < pool->size(); ++id) {
        numbers.push_back(static_cast<uint32_t>(numbering.pool.Intern(pool->Get(StringId{id}))));
      }
    }
    return numbering;
  });
}

int64_t QuerySource::PoolKey(const QueryFile& file, uint32_t text_id) const {
  return pools_.size() == 1 ? text_id : Numbers().by_pool[file.pool][text_id];
}

std::optional<int64_t> QuerySource::FindPoolKey(std::string_view text) const {
  if (pools_.empty()) return std::nullopt;
  const StringId id = pools_.size() == 1 ? pools_[0]->Find(text) : Numbers().pool.Find(text);
  if (id == kNoString) return std::nullopt;
  return static_cast<int64_t>(id);
}

std::string_view QuerySource::PoolText(int64_t key) const {
  const StringId id{static_cast<uint32_t>(key)};
  return pools_.size() == 1 ? pools_[0]->Get(id) : Numbers().pool.Get(id);
}

}  // namespace telltale
