// SPDX-License-Identifier: Apache-2.0
// What a view says: a sentence, and under it fields, tables and whatever else it has, in order. The
// renderers make JSON, CSV and text of it; a view only says what there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "views/field_value.h"
#include "views/render/colors.h"
#include "views/render/terminal.h"
#include "views/row_range.h"
#include "views/table_data.h"

namespace telltale {

// How a table stands in a document.
struct TablePlace {
  std::string title = {};   // its heading; none: the table is not for people
  std::string remark = {};  // behind the title: its order, or what it is about
  std::string more = {};    // behind that and the number of rows
  // All behind the title, where it is something else; `shown` 0: all rows.
  std::function<std::string(size_t shown, size_t rows, const OutputStyle& style)> words = {};
  size_t usual_rows = 30;  // for people who name no limit
  std::string note = {};   // under the table
  // Of the main table, an offset skips rows, too; of others, only a limit counts.
  bool main = false;
  bool whole = false;           // programs get all rows, whatever the limit
  bool every_row = false;       // people get all rows, whatever the limit
  bool headed = true;           // the terminal has the title, too
  bool terminal = true;         // false: only the page has the table
  std::string_view group = {};  // JSON: the object that holds this and its neighbours of that group
};

class Document {
 public:
  using Words = std::function<std::string(const OutputStyle& style)>;
  // No limit: what suits it.
  using Picture =
      std::function<std::string(std::optional<int64_t> limit, const OutputStyle& style)>;

  struct Part {
    std::string_view key;  // of JSON; empty: for people only
    std::string_view group = {};
    // One of these.
    FieldValue field = {};
    std::function<void(RowRange range, JsonWriter& json)> json = {};
    Picture text = {};
    std::shared_ptr<const TableData> table = nullptr;
    TablePlace place = {};

    // A table for people, with something in it.
    [[nodiscard]] bool ShownOnTerminal() const {
      return table != nullptr && !place.title.empty() && place.terminal && table->rows() > 0;
    }
    // 0: all.
    [[nodiscard]] size_t RowsShown(std::optional<int64_t> limit) const {
      return place.every_row ? 0 : RowLimit(limit, place.usual_rows);
    }
  };

  // The sentence may be several; each begins a line where there are lines.
  Document() = default;  // says nothing
  Document(std::string title, Words sentence)
      : title_(std::move(title)), sentence_(std::move(sentence)) {}

  void AddField(std::string_view key, FieldValue value, std::string_view group = {}) {
    parts_.push_back({.key = key, .group = group, .field = std::move(value)});
  }
  void AddJson(std::string_view key, std::function<void(RowRange range, JsonWriter& json)> write) {
    parts_.push_back({.key = key, .json = std::move(write)});
  }
  // For people: a picture, a list.
  void AddText(Picture text) { parts_.push_back({.key = {}, .text = std::move(text)}); }
  template <typename Row>
  void AddTable(std::string_view key, const TableSpec<Row>& spec, std::vector<Row> rows,
                const TablePlace& place = {}) {
    parts_.push_back({.key = key,
                      .group = place.group,
                      .table = std::make_shared<RowTable<Row>>(spec, std::move(rows)),
                      .place = place});
  }
  // The rows belong to something that outlives the document.
  template <typename Row>
  void AddBorrowedTable(std::string_view key, const TableSpec<Row>& spec, std::span<const Row> rows,
                        const TablePlace& place = {}) {
    parts_.push_back({.key = key,
                      .group = place.group,
                      .table = std::make_shared<RowTable<Row>>(spec, rows),
                      .place = place});
  }
  // Rows of the profile, which outlives the document, in their order or sorted by a column.
  template <typename Row>
  void AddRowsOfProfile(std::string_view key, const TableSpec<Row>& spec,
                        const std::vector<Row>& rows, const std::optional<std::string>& sort_field,
                        const TablePlace& place = {}) {
    if (!sort_field) return AddBorrowedTable<Row>(key, spec, rows, place);
    std::vector<Row> sorted = rows;
    SortRows(sorted, spec, *sort_field);
    AddTable(key, spec, std::move(sorted), place);
  }
  // The terminal has this in the place of all else.
  void SetText(Picture text) { text_ = std::move(text); }
  // What was asked of it cannot be answered, and why: there is nothing else.
  void SetProblem(std::string problem) { problem_ = std::move(problem); }
  void SetSentenceInk(Ink ink) { sentence_ink_ = ink; }
  // There is nothing for people but the sentence, which says why.
  void SetEmpty() { empty_ = true; }
  // Text does without the sentence: what follows says it.
  void HideSentence() { sentence_hidden_ = true; }
  // JSON is the rows of the main table, without an object around them.
  void SetBare() { bare_ = true; }
  // Of the files, for columns that name one.
  void SetLabels(std::vector<std::string> labels) { labels_ = std::move(labels); }

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] std::string Sentence(const OutputStyle& style) const { return sentence_(style); }
  // The same in one line: what the view found; where it found nothing, why.
  [[nodiscard]] std::string Answer(const OutputStyle& style) const;
  [[nodiscard]] Ink sentence_ink() const { return sentence_ink_; }
  [[nodiscard]] const Picture& text() const { return text_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool empty() const { return empty_; }
  [[nodiscard]] bool bare() const { return bare_; }
  [[nodiscard]] bool sentence_hidden() const { return sentence_hidden_; }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  // nullptr: the view has none.
  [[nodiscard]] const TableData* main_table() const;
  // Of the main table.
  [[nodiscard]] size_t rows() const;

 private:
  std::string title_;
  Words sentence_;
  Ink sentence_ink_ = Ink::kPlain;
  Picture text_;
  std::string problem_;
  std::vector<Part> parts_;
  std::vector<std::string> labels_;
  bool empty_ = false;
  bool bare_ = false;
  bool sentence_hidden_ = false;
};

}  // namespace telltale
