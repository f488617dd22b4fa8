// SPDX-License-Identifier: Apache-2.0
// A section of a profile: one analysis as a view, a key of the JSON document and a
// CSV table. A section is one file: it names itself and its parameters, checks them before anything
// is read, runs its analysis, and prints the result in each format. sections.cpp lists them all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "health/facts.h"
#include "model/function_profile.h"
#include "model/memory_profile.h"
#include "views/document.h"
#include "views/page_tables.h"
#include "views/params.h"
#include "views/profile.h"
#include "views/render/document.h"
#include "views/render/output.h"
#include "views/render/terminal.h"
#include "views/row_range.h"

namespace telltale {

enum class OutputFormat : uint8_t { kText, kJson, kCsv };
enum class LikeTool : uint8_t { kNone, kTorch, kPstats };

// What becomes of a result. The front end says it; it is no parameter.
struct OutputUse {
  OutputFormat format = OutputFormat::kText;
  LikeTool like = LikeTool::kNone;  // the table of key_averages(), the texts of print_stats
};

// What a section may work with. Row numbers called `file` index `profile.files`: the traces come
// first, in the order of `traces`, then the function profiles, then the memory profiles.
struct SectionInput {
  std::span<const TraceContext> traces;
  std::span<const FunctionProfile> functions;
  std::span<const MemoryProfile> memory;
  const Profile& profile;
  const ParamValues& params;  // for the section's own
  OutputUse use = {};
  std::optional<std::string> sort_field;  // one of sort_fields, if the section is the view
  const health::Facts& facts;             // the analyses of all of the above
  bool is_view = false;                   // asked for by name, not part of an overview
  bool whole_document = false;            // part of a JSON document with everything
};

// The finished analysis. `limit` <= 0: all rows. A range with an offset is about the main table;
// others begin at their start.
class Section {
 public:
  Section() = default;
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  virtual ~Section() = default;

  // The value of the section's key, without the key.
  virtual void WriteJson(RowRange range, JsonWriter& json) const = 0;
  // Its main table, with a header.
  virtual void WriteCsv(int64_t limit, Output& output) const = 0;
  // Of the main table.
  [[nodiscard]] virtual size_t rows() const = 0;
  // What the section found, in a sentence or two; where it found nothing, why.
  [[nodiscard]] virtual std::string Answer(const OutputStyle& style) const = 0;
  // What it is made of; nullptr where it is none.
  [[nodiscard]] virtual const Document* document() const { return nullptr; }
  // Headings and tables within style.width; where there is nothing to show, what the capture
  // lacked and which flag adds it. No limit: what suits the view.
  [[nodiscard]] virtual std::string Text(std::optional<int64_t> limit,
                                         const OutputStyle& style) const = 0;
};

// A section that is a document.
class DocumentSection final : public Section {
 public:
  explicit DocumentSection(Document document) : document_(std::move(document)) {}
  void WriteJson(RowRange range, JsonWriter& json) const override {
    WriteDocumentJson(document_, range, json);
  }
  void WriteCsv(int64_t limit, Output& output) const override {
    WriteDocumentCsv(document_, limit, output);
  }
  [[nodiscard]] const Document* document() const override { return &document_; }
  [[nodiscard]] size_t rows() const override {
    const TableData* const table = document_.main_table();
    return table != nullptr ? table->rows() : 0;
  }
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    std::string sentence = document_.Sentence(style);
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    return sentence;
  }
  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    return DocumentText(document_, limit, style);
  }

 private:
  Document document_;
};
template <Document (*build)(const SectionInput& input)>
[[nodiscard]] std::unique_ptr<Section> MakeDocument(const SectionInput& input) {
  return std::make_unique<DocumentSection>(build(input));
}

enum class ViewScope : uint8_t {
  kBasic,    // part of every overview
  kFurther,  // part of whole documents
  kAlone,    // by name only
};

struct SectionSpec {
  std::string_view name;                      // of the view, and the JSON key
  std::string_view help;                      // half a sentence, no full stop
  std::vector<std::string_view> sort_fields;  // of the main table; empty: cannot be sorted
  std::vector<ParamSpec> params = {};         // the section's own
  ViewScope scope = ViewScope::kFurther;
  // A whole document shows as many rows of its table as the limit says; of others all.
  bool long_table = false;
  // Checks what their types do not say, before anything is read.
  Result<void> (*check)(const ParamValues& params) = nullptr;
  // None: the view is as large as the trace, and is written row by row (events/).
  std::unique_ptr<Section> (*make)(const SectionInput& input) = nullptr;
  // What the page knows of its tables before there are rows.
  std::vector<PageTable> (*tables)() = nullptr;
  std::vector<PageWords> (*words)() = nullptr;
  // False: function profiles alone are enough for it.
  bool needs_trace = true;
  // Giving one of them without naming a view asks for this one.
  bool params_choose_view = false;
  // The value of `sort` as `make` gets it, for keys beyond sort_fields. An Error is what to say
  // behind the name of the parameter.
  Result<std::string> (*sort_key)(std::string_view text) = nullptr;
  // Whether it has anything to say in an overview or a whole document; none: where there are
  // traces.
  bool (*applies)(const SectionInput& input) = nullptr;
};

[[nodiscard]] std::span<const SectionSpec> Sections();
// nullptr if there is none of that name.
[[nodiscard]] const SectionSpec* SectionNamed(std::string_view name);

}  // namespace telltale
