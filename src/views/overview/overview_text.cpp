// SPDX-License-Identifier: Apache-2.0
#include "views/overview/overview_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/typical_step.h"
#include "views/answer.h"
#include "views/capture_gaps.h"
#include "views/diagnostics/diagnostics.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/findings.h"
#include "views/render/markdown.h"
#include "views/render/step_bar.h"
#include "views/render/table_text.h"
#include "views/render/unit_column.h"
#include "views/render/units.h"
#include "views/steps/other_inside.h"

namespace telltale {

namespace {

// Rows where the user named no limit.
constexpr size_t kOverviewRows = 10;
constexpr size_t kOverviewCopies = 5;
// More steps than this are told in a sentence instead of a bar each.
constexpr size_t kMostStepBars = 12;

// The mean step of one file.
struct FileSteps {
  std::string label;
  uint64_t events = 0;
  uint64_t steps = 0;
  int64_t duration_ns = 0;  // of all complete steps
  StepTimes times = {};

  [[nodiscard]] int64_t mean_ns() const {
    return steps == 0 ? 0 : duration_ns / static_cast<int64_t>(steps);
  }
};

template <StepCategory kCategory>
ColumnSpec<FileSteps> ShareColumn() {
  ColumnSpec<FileSteps> column =
      Field<FileSteps>(NameOf(kCategory), Quantity::kShare,
                       [](const FileSteps& row) -> FieldValue {
                         if (row.steps == 0) return {};
                         return Ratio(row.times[static_cast<size_t>(kCategory)], row.duration_ns);
                       },
                       {.title = std::string(LabelOf(kCategory)),
                        .importance = 90 - static_cast<int>(kCategory),
                        .presence = Presence::kAnyNonZero});
  return column;
}

std::string FilesTable(const Profile& profile, const OutputStyle& style) {
  using R = FileSteps;
  std::vector<R> rows;
  for (const FileFacts* file : TraceFiles(profile)) {
    std::string label = LabelOf(*file);
    if (file->source.span != kNoInt) label += fmt::format(" span {}", file->source.span);
    rows.push_back({std::move(label), file->source.events});
  }
  for (const StepRow& row : profile.report.steps.rows) {
    if (!row.complete || row.file >= rows.size()) continue;
    R& sum = rows[row.file];
    ++sum.steps;
    sum.duration_ns += row.duration_ns;
    for (size_t c = 0; c < kStepCategoryCount; ++c) sum.times[c] += row.categories[c];
  }
  TableSpec<R> spec;
  ColumnSpec<R> mean = Field<R>("mean_ns", Quantity::kDuration,
                                [](const R& row) -> FieldValue { return row.mean_ns(); },
                                {.title = "step", .importance = Shown::kAlways});
  ColumnSpec<R> bar;
  bar.key = "bar";
  bar.quantity = Quantity::kBar;
  bar.shown = {.importance = 65, .of = "mean_ns", .ink = Ink::kOther};
  spec.columns = {
      Field("file", Quantity::kName, Get<&R::label>,
            {.title = "file", .importance = Shown::kAlways, .least_width = 12}),
      Field("events", Quantity::kCount, Get<&R::events>, {.title = "events", .importance = 20}),
      Field("steps", Quantity::kId, Get<&R::steps>, {.title = "steps", .importance = 40}),
      std::move(mean),
      std::move(bar),
      ShareColumn<StepCategory::kKernel>(),
      ShareColumn<StepCategory::kMemcpy>(),
      ShareColumn<StepCategory::kMemset>(),
      ShareColumn<StepCategory::kCommunication>(),
      ShareColumn<StepCategory::kRuntime>(),
      ShareColumn<StepCategory::kDataloader>(),
      ShareColumn<StepCategory::kCpuExec>(),
      ShareColumn<StepCategory::kOther>(),
  };
  return TableText(RowTable<R>(std::move(spec), std::move(rows)), {}, style);
}

// Under the view that they belong to.
std::string FindingsPart(const std::vector<Recommendation>& findings, const OutputStyle& style) {
  if (findings.empty()) return "";
  return "\n" + Heading("What to try", "evidence: --view recommendations", style) +
         FindingsText(findings, false, style);
}

bool HasLosses(const Profile& profile) {
  return !SummaryOfDiagnostics(profile, Severity::kLoss).empty();
}

std::string DataWords(const Profile& profile) {
  const std::string all = SummaryOfDiagnostics(profile, Severity::kInfo);
  if (all.empty()) return "";
  return fmt::format("{}: {} (--view diagnostics explains)",
                     HasLosses(profile) ? "Parts of the trace could not be used" : "About the data",
                     all);
}

class TextBuilder {
 public:
  TextBuilder(const Profile& profile, const BuiltViews& built, std::optional<int64_t> limit,
              const OutputStyle& style)
      : profile_(profile), built_(built), limit_(limit), style_(style) {}

  void Overview();

  [[nodiscard]] std::string Take() { return std::move(out_); }

 private:
  void Say(std::string_view text, Ink ink) {
    for (const std::string& line : Wrap(text, style_.width))
      out_ += Paint(ink, line, style_) + "\n";
  }
  void Begin(std::string_view title, std::string_view remark = "") {
    if (!out_.empty()) out_ += '\n';
    out_ += Heading(title, remark, style_);
  }
  // " · ", or its ASCII twin.
  [[nodiscard]] std::string_view Dot() const { return style_.unicode ? " · " : ", "; }
  void SourceLine();
  void Files();
  void StepPicture();
  void StepLines();
  void Tables();
  void Empty(std::string_view text) {
    for (const std::string& line : Wrap(text, style_.width - 2)) out_ += "  " + line + "\n";
  }

  const Profile& profile_;
  const BuiltViews& built_;
  std::optional<int64_t> limit_;
  const OutputStyle& style_;
  std::string out_;
};

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "V100", "2 × V100"
std::string DeviceSummary(const Profile& profile, const OutputStyle& style) {
  std::vector<std::string> names;
  for (const DeviceRow& device : profile.report.devices) {
    if (!device.name.empty()) names.push_back(device.name);
  }
  if (names.empty()) return "";
  const bool same =
      std::all_of(names.begin(), names.end(), [&](const auto& n) { return n == names[0]; });
  if (!same) return fmt::format("{} devices", names.size());
  const std::string name = Printable(names[0], style.unicode);
  return names.size() == 1 ? name
                           : fmt::format("{} {} {}", names.size(), style.unicode ? "×" : "x", name);
}

void TextBuilder::SourceLine() {
  uint64_t events = 0;
  uint64_t bytes = 0;
  uint64_t decoded = 0;
  const std::vector<const FileFacts*> files = TraceFiles(profile_);
  for (const FileFacts* file : files) {
    events += file->source.events;
    bytes += file->source.bytes;
    decoded += file->source.decoded_bytes;
  }
  std::vector<std::string> parts;
  if (files.size() == 1) {
    const ProfileSource& source = files[0]->source;
    parts.push_back(ShortenMiddle(
        Printable(source.path == "-" ? "standard input" : BaseName(source.path), style_.unicode),
        style_.width / 2, style_.unicode));
  } else {
    parts.push_back(fmt::format("{} files", files.size()));
  }
  parts.push_back(
      fmt::format("{} event{}", FormatCount(static_cast<int64_t>(events)), events == 1 ? "" : "s"));
  std::string size = FormatBytes(static_cast<int64_t>(decoded));
  if (bytes != decoded && bytes > 0) {
    size += fmt::format(" ({} compressed)", FormatBytes(static_cast<int64_t>(bytes)));
  }
  parts.push_back(std::move(size));
  if (const std::string devices = DeviceSummary(profile_, style_); !devices.empty()) {
    parts.push_back(devices);
  }
  Say(fmt::format("{}", fmt::join(parts, Dot())), Ink::kDim);
}

void TextBuilder::Files() {
  if (TraceFiles(profile_).size() < 2) return;
  Begin(RanksOf(profile_).size() > 1 ? "Ranks" : "Files",
        "mean step of each, and where its time goes");
  out_ += FilesTable(profile_, style_);
}

void TextBuilder::StepPicture() {
  const StepReport& steps = profile_.report.steps;
  if (steps.rows.empty()) return;
  const size_t complete = static_cast<size_t>(std::count_if(
      steps.rows.begin(), steps.rows.end(), [](const StepRow& r) { return r.complete; }));
  const bool average = complete > 0;
  const StepTimes& times = average ? steps.average : steps.rows.front().categories;
  const int64_t duration = average ? steps.average_ns : steps.rows.front().duration_ns;
  std::string remark = FormatDuration(duration, style_.unicode);
  if (steps.source == StepSource::kWholeTrace) {
    remark += steps.rows.size() > 1 ? ", mean of the files" : ", the whole trace";
  } else if (complete < steps.rows.size()) {
    remark += fmt::format(", mean of {} complete of {} steps", complete, steps.rows.size());
  } else if (complete > 1) {
    remark += fmt::format(", mean of {} steps", complete);
  }
  Begin(steps.source == StepSource::kWholeTrace ? "Time" : "Step", remark);
  const std::string bar = RenderStackedBar(times, style_.width - 2, style_);
  if (bar.empty()) {
    Empty("The recorded time is zero.");
    return;
  }
  out_ += "  " + bar + "\n";
  out_ += RenderLegend(times, style_, 2);
  if (const std::string other = OtherWords(steps, style_); average && !other.empty())
    Empty("other: " + other);
}

void TextBuilder::StepLines() {
  const std::vector<StepRow>& rows = profile_.report.steps.rows;
  if (rows.size() < 2) return;
  const StepRow* slowest = nullptr;
  const StepRow* fastest = nullptr;
  size_t complete = 0;
  for (const StepRow& row : rows) {
    if (!row.complete) continue;
    ++complete;
    if (slowest == nullptr || row.duration_ns > slowest->duration_ns) slowest = &row;
    if (fastest == nullptr || row.duration_ns < fastest->duration_ns) fastest = &row;
  }
  const std::vector<const FileFacts*> files = TraceFiles(profile_);
  const auto label = [&](const StepRow& row) {
    std::string name = Printable(row.name, style_.unicode);
    if (files.size() > 1 && row.file < files.size()) {
      name = Printable(LabelOf(*files[row.file]), style_.unicode) + " " + name;
    }
    return name;
  };
  out_ += '\n';
  if (rows.size() > kMostStepBars) {
    const StepRow* typical = TypicalStep(profile_.report.steps);
    if (typical == nullptr) return;
    Empty(
        fmt::format("{} complete steps: the fastest {} ({}), the median {}, the slowest {} ({}); "
                    "--view steps lists them.",
                    complete, FormatDuration(fastest->duration_ns, style_.unicode), label(*fastest),
                    FormatDuration(typical->duration_ns, style_.unicode),
                    FormatDuration(slowest->duration_ns, style_.unicode), label(*slowest)));
    return;
  }
  std::vector<StepBarRow> bars;
  for (const StepRow& row : rows) {
    const bool mark = &row == slowest && complete > 1;
    bars.push_back({label(row), row.duration_ns, row.categories,
                    !row.complete ? "incomplete"
                    : mark        ? "slowest"
                                  : ""});
  }
  out_ += RenderStepBars(bars, style_, 2);
}

// The tables of the basic views, a few rows each.
void TextBuilder::Tables() {
  for (const BuiltView& view : built_.views) {
    if (view.spec->scope != ViewScope::kBasic) continue;
    for (const Document::Part& part : view.document.parts()) {
      if (part.table == nullptr || part.place.title.empty() || part.table->rows() == 0) continue;
      if (view.spec->name == "steps") continue;  // shown as a picture
      const size_t usual = view.spec->name == "copies" ? kOverviewCopies : kOverviewRows;
      out_ += "\n" + TablePart(view.document, part, RowLimit(limit_, usual), style_);
    }
  }
  const Document* const advice = built_.Find("recommendations");
  if (advice == nullptr || (advice->rows() == 0 && profile_.report.steps.rows.empty())) return;
  out_ += "\n" + DocumentText(*advice, limit_, style_);
}

void TextBuilder::Overview() {
  if (HasTraces(profile_)) {
    Say(Answer(profile_, style_.unicode), Ink::kBold);
    SourceLine();
    Files();
    StepPicture();
    StepLines();
    Tables();
  }
  for (const BuiltView& view : built_.views) {
    if (view.spec->scope != ViewScope::kFurther) continue;
    if (!out_.empty()) out_ += '\n';
    out_ += DocumentText(view.document, limit_, style_);
  }
  out_ += FindingsPart(built_.findings, style_);
  if (!HasTraces(profile_) && profile_.diagnostics.empty()) return;
  const std::string capture = CaptureText(profile_, profile_.diagnostics, {}, style_);
  if (!capture.empty()) out_ += (out_.empty() ? "" : "\n") + capture;
}

}  // namespace

std::string DataNote(const Profile& profile, const OutputStyle& style) {
  const std::string words = DataWords(profile);
  if (words.empty()) return "";
  return "\n" + Paragraph(words, style, 0, HasLosses(profile) ? Ink::kWarning : Ink::kDim);
}

std::string ProfileMarkdown(const Profile& profile, const BuiltViews& built,
                            std::optional<int64_t> limit) {
  std::string out;
  if (built.named == nullptr && HasTraces(profile)) out = MarkdownSentence(Answer(profile, true));
  for (const BuiltView& view : built.views) {
    if (built.named != nullptr || view.spec->scope != ViewScope::kBasic) {
      AppendMarkdown(out, DocumentMarkdown(view.document, limit));
      continue;
    }
    for (const Document::Part& part : view.document.parts()) {
      if (part.text) AppendMarkdown(out, MarkdownBlock(part.text(limit, kMarkdownStyle)));
      if (part.ShownOnTerminal())
        AppendMarkdown(out, MarkdownPart(view.document, part, RowLimit(limit, kOverviewRows)));
    }
  }
  AppendMarkdown(out, MarkdownBlock(FindingsPart(built.findings, kMarkdownStyle)));
  if (built.named == nullptr || built.named->name != "diagnostics") {
    if (const std::string words = DataWords(profile); !words.empty())
      AppendMarkdown(out, MarkdownText(words) + "\n");
  }
  return out;
}

std::string ProfileText(const Profile& profile, const BuiltViews& built,
                        std::optional<int64_t> limit, const OutputStyle& style) {
  if (built.named == nullptr) {
    TextBuilder text(profile, built, limit, style);
    text.Overview();
    return text.Take();
  }
  std::string out;
  for (const BuiltView& view : built.views) out += DocumentText(view.document, limit, style);
  out += FindingsPart(built.findings, style);
  if (built.named->name != "diagnostics") out += DataNote(profile, style);
  return out;
}

}  // namespace telltale
