// SPDX-License-Identifier: Apache-2.0
// The files behind the tables, and what is derived from them: computed once, when a row first needs
// it, and kept. A query that never asks for owners or self times never pays for them. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/python_tree.h"
#include "analysis/functions/functions.h"
#include "analysis/work/operator_calls.h"
#include "base/string_pool.h"
#include "model/subject.h"
#include "query/query_run.h"
#include "query/value.h"

namespace telltale {

// A value made on first use.
template <typename T>
class Deferred {
 public:
  template <typename Make>
  const T& Get(Make make) const {
    if (value_ == nullptr) value_ = std::make_unique<T>(make());
    return *value_;
  }

 private:
  mutable std::unique_ptr<T> value_;
};

// What a query works on. The contexts outlive the query.
struct QueryInput {
  Subject subject;
  // Of each trace, made with `analysis`, where somebody has them already; else empty.
  std::span<const TraceContext> contexts;
  AnalysisOptions analysis;
  std::span<const QueryRun> runs;  // outlive the query
};

struct PythonCalls {
  PythonTree tree;
  Column<NodeId> node;      // by row: frames in file order
  Column<int64_t> self_ns;  // by node
  Column<uint32_t> depth;
};

struct FunctionFacts {
  FunctionTable table;
  std::vector<uint32_t> shown;  // rows of the table that the profile measures
};

struct DiagnosticRow {
  Severity severity = Severity::kInfo;
  std::string_view kind;
  uint64_t count = 0;
  std::optional<uint64_t> first_offset;
  std::string message;
};

class QuerySource;

class QueryFile {
 public:
  // None: the files that could not be read, which have only diagnostics.
  std::optional<ArtifactId> id;
  const Artifact* artifact = nullptr;
  // Either, of the artifact.
  const Trace* trace = nullptr;
  const FunctionProfile* profile = nullptr;
  const QueryRun* run = nullptr;               // instead of an artifact
  const TraceContext* made_context = nullptr;  // where somebody has it already
  size_t pool = 0;                             // its texts among those of all files
  int64_t rank = kNoInt;
  int64_t first_event_id = 0;  // events are numbered through all files

  QueryFile(QuerySource& source, ArtifactId number);
  explicit QueryFile(QuerySource& source) : source_(&source) {}
  QueryFile(QuerySource& source, const QueryRun& of) : run(&of), source_(&source) {}

  [[nodiscard]] const QuerySource& source() const { return *source_; }
  [[nodiscard]] const StringPool* strings() const;
  [[nodiscard]] const TraceContext& Context() const;
  [[nodiscard]] const OperatorCalls& Operators() const;
  [[nodiscard]] const std::vector<GroupMemory>& OperatorMemory() const;
  [[nodiscard]] const SpanPlaces& Places() const;
  [[nodiscard]] const StepReport& Steps() const;
  [[nodiscard]] const PythonCalls& Python() const;
  [[nodiscard]] const FunctionFacts& Functions() const;
  [[nodiscard]] const std::vector<DiagnosticRow>& Diagnosed() const;
  // Of a run: the number of the first point of each tag, and one more; and the tags as values.
  [[nodiscard]] const std::vector<uint32_t>& FirstPoints() const;
  [[nodiscard]] const std::vector<Value>& TagValues() const;
  [[nodiscard]] const std::vector<QueryHistogram>& Histograms() const;
  [[nodiscard]] const std::vector<QueryMedia>& Media() const;
  [[nodiscard]] const std::vector<QueryText>& Texts() const;
  // The text of a step, by its index in the context.
  [[nodiscard]] Value StepName(uint32_t step) const;

  // Text of this file's pool; NULL for kNoString.
  [[nodiscard]] Value Text(StringId text) const {
    if (text == kNoString) return Value::Null();
    return Value::Text(strings()->Get(text), text);
  }
  // Since 1970 where the trace knows.
  [[nodiscard]] Value Time(int64_t time_ns) const;
  [[nodiscard]] Value EventId(SpanRow span) const {
    return span == kNoRow ? Value::Null() : Value::Integer(first_event_id + int64_t{span});
  }
  [[nodiscard]] Value EventName(SpanRow span) const {
    return span == kNoRow ? Value::Null() : Text(trace->spans.name[span]);
  }

 private:
  QuerySource* source_;
  Deferred<TraceContext> context_;
  Deferred<OperatorCalls> operators_;
  Deferred<std::vector<GroupMemory>> operator_memory_;
  Deferred<SpanPlaces> places_;
  Deferred<StepReport> steps_;
  Deferred<PythonCalls> python_;
  Deferred<FunctionFacts> functions_;
  Deferred<std::vector<DiagnosticRow>> diagnosed_;
  Deferred<std::vector<StringId>> step_names_;
  Deferred<std::vector<uint32_t>> first_points_;
  Deferred<std::vector<Value>> tag_values_;
  Deferred<std::vector<QueryHistogram>> histograms_;
  Deferred<std::vector<QueryMedia>> media_;
  Deferred<std::vector<QueryText>> texts_;
};

class QuerySource {
 public:
  explicit QuerySource(const QueryInput& input);
  QuerySource(const QuerySource&) = delete;
  QuerySource& operator=(const QuerySource&) = delete;

  [[nodiscard]] const std::vector<std::unique_ptr<QueryFile>>& files() const { return files_; }
  [[nodiscard]] const QueryInput& input() const { return input_; }

  // Texts that stand in no file: names of kinds and of steps.
  [[nodiscard]] StringPool& own_texts() const { return own_texts_; }
  [[nodiscard]] Value Own(std::string_view text) const;
  [[nodiscard]] Value KindName(Category category) const {
    return kind_names_[static_cast<size_t>(category)];
  }
  [[nodiscard]] Value KernelKindName(bool communication) const {
    return communication ? communication_ : compute_;
  }

  // The pooled texts of all files under one numbering.
  [[nodiscard]] int64_t PoolKey(const QueryFile& file, uint32_t text_id) const;
  // None if no file has the text.
  [[nodiscard]] std::optional<int64_t> FindPoolKey(std::string_view text) const;
  [[nodiscard]] std::string_view PoolText(int64_t key) const;

 private:
  struct Numbering {
    std::vector<std::vector<uint32_t>> by_pool;  // by StringId
    StringPool pool;                             // its ids are the numbers
  };
  [[nodiscard]] const Numbering& Numbers() const;

  QueryInput input_;
  std::vector<std::unique_ptr<QueryFile>> files_;
  std::vector<const StringPool*> pools_;  // of the files that have one
  mutable StringPool own_texts_;
  std::array<Value, kCategoryCount> kind_names_;
  Value communication_;
  Value compute_;
  Deferred<Numbering> numbering_;
};

}  // namespace telltale
