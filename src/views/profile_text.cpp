// SPDX-License-Identifier: Apache-2.0
#include "views/profile_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/typical_step.h"
#include "views/answer.h"
#include "views/capture_gaps.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/findings.h"
#include "views/render/step_bar.h"
#include "views/render/table.h"
#include "views/render/units.h"
#include "views/section.h"
#include "views/view_tables.h"

namespace telltale {

namespace {

// Rows where the user named no limit.
constexpr size_t kOverviewRows = 10;
constexpr size_t kOverviewCopies = 5;
constexpr size_t kViewRows = 30;
// More steps than this are told in a sentence instead of a bar each.
constexpr size_t kMostStepBars = 12;

class TextBuilder {
 public:
  TextBuilder(const Profile& profile, const TextRequest& request, const OutputStyle& style)
      : profile_(profile), request_(request), style_(style) {}

  void Overview();
  void Steps();
  void Devices();
  void Operators();
  void Kernels();
  void Copies();
  void Recommendations();
  void Sections();
  void AboutCapture();

  [[nodiscard]] std::string Take() { return std::move(out_); }

 private:
  [[nodiscard]] size_t LimitOr(size_t fallback) const {
    if (!request_.limit) return fallback;
    return *request_.limit <= 0 ? 0 : static_cast<size_t>(*request_.limit);
  }
  [[nodiscard]] bool whole_view() const { return request_.view != View::kOverview; }
  void Paragraph(std::string_view text, Ink ink = Ink::kPlain) {
    for (const std::string& line : Wrap(text, style_.width))
      out_ += Paint(ink, line, style_) + "\n";
  }
  void Section(std::string_view title, std::string_view remark = "") {
    if (!out_.empty()) out_ += '\n';
    out_ += Heading(title, remark, style_);
  }
  // " · ", or its ASCII twin.
  [[nodiscard]] std::string_view Dot() const { return style_.unicode ? " · " : ", "; }
  [[nodiscard]] std::string Order(std::string_view usual) const {
    return request_.sort_field ? fmt::format("by {}", *request_.sort_field) : std::string(usual);
  }
  // "by total time · 10 of 56"
  [[nodiscard]] std::string Remark(std::string order, size_t shown_limit, size_t rows) const {
    if (shown_limit == 0 || rows <= shown_limit) return order;
    return fmt::format("{}{}{} of {}", order, Dot(), shown_limit,
                       FormatCount(static_cast<int64_t>(rows)));
  }
  void SourceLine();
  void Files();
  void StepPicture();
  void StepLines();
  void Empty(std::string_view text) {
    for (const std::string& line : Wrap(text, style_.width - 2)) out_ += "  " + line + "\n";
  }

  const Profile& profile_;
  const TextRequest& request_;
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
  for (const FileFacts& file : TraceFiles(profile_)) {
    events += file.source.events;
    bytes += file.source.bytes;
    decoded += file.source.decoded_bytes;
  }
  std::vector<std::string> parts;
  if (TraceFiles(profile_).size() == 1) {
    const ProfileSource& source = profile_.files[0].source;
    parts.push_back(ShortenMiddle(
        Printable(source.path == "-" ? "standard input" : BaseName(source.path), style_.unicode),
        style_.width / 2, style_.unicode));
  } else {
    parts.push_back(fmt::format("{} files", TraceFiles(profile_).size()));
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
  Paragraph(fmt::format("{}", fmt::join(parts, Dot())), Ink::kDim);
}

void TextBuilder::Files() {
  if (TraceFiles(profile_).size() < 2) return;
  Section(RanksOf(profile_).size() > 1 ? "Ranks" : "Files",
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
  Section(steps.source == StepSource::kWholeTrace ? "Time" : "Step", remark);
  const std::string bar = RenderStackedBar(times, style_.width - 2, style_);
  if (bar.empty()) {
    Empty("The recorded time is zero.");
    return;
  }
  out_ += "  " + bar + "\n";
  out_ += RenderLegend(times, style_, 2);
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
  const bool several = TraceFiles(profile_).size() > 1;
  const auto label = [&](const StepRow& row) {
    std::string name = Printable(row.name, style_.unicode);
    if (several && row.file < TraceFiles(profile_).size()) {
      name = Printable(LabelOf(profile_.files[row.file]), style_.unicode) + " " + name;
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

void TextBuilder::Overview() {
  if (!HasTraces(profile_)) {
    Sections();
    if (!profile_.diagnostics.empty()) AboutCapture();
    return;
  }
  Paragraph(Answer(profile_, style_.unicode), Ink::kBold);
  SourceLine();
  Files();
  StepPicture();
  StepLines();
  if (!profile_.report.devices.empty()) Devices();
  if (!profile_.report.operators.empty()) Operators();
  if (!profile_.report.kernels.empty()) Kernels();
  if (!profile_.report.copies.empty()) Copies();
  Recommendations();
  Sections();
  AboutCapture();
}

void TextBuilder::Steps() {
  const StepReport& steps = profile_.report.steps;
  const size_t limit = LimitOr(kViewRows);
  Section("Steps",
          Remark(request_.sort_field ? Order("") : fmt::format("from {}", NameOf(steps.source)),
                 limit, steps.rows.size()));
  if (steps.rows.empty())
    return Empty("The trace has no host or device events, so there is no step.");
  out_ += StepsTable(profile_, limit, style_);
}

void TextBuilder::Devices() {
  const size_t limit = LimitOr(whole_view() ? kViewRows : kOverviewRows);
  Section("Devices", Remark(request_.view == View::kDevices ? Order("") : "", limit,
                            profile_.report.devices.size()));
  if (profile_.report.devices.empty()) {
    return Empty(
        "No events of a GPU in the trace. Add ProfilerActivity.CUDA to activities, if the run used "
        "one.");
  }
  out_ += DevicesTable(profile_, limit, style_);
}

void TextBuilder::Operators() {
  const std::vector<OperatorRow>& rows = profile_.report.operators;
  const bool device = std::any_of(rows.begin(), rows.end(),
                                  [](const OperatorRow& r) { return r.device_self_ns > 0; });
  OperatorTableRequest table;
  table.limit = LimitOr(whole_view() ? kViewRows : kOverviewRows);
  table.annotations = whole_view();
  const auto operators =
      static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [](const OperatorRow& r) {
        return r.kind == OperatorKind::kOperator;
      }));
  // A trace of annotations alone still has something to show.
  if (operators == 0) table.annotations = true;
  const bool hidden = !table.annotations && operators < rows.size();
  std::string remark = Remark(Order(device ? "by their own device time" : "by their own CPU time"),
                              table.limit, table.annotations ? rows.size() : operators);
  if (hidden) remark += fmt::format("{}annotations: --view operators", Dot());
  Section("Operators", remark);
  if (rows.empty())
    return Empty("No operators in the trace. Add ProfilerActivity.CPU to activities.");
  out_ += OperatorsTable(profile_, table, style_);
}

void TextBuilder::Kernels() {
  const size_t limit = LimitOr(whole_view() ? kViewRows : kOverviewRows);
  const bool sorted = request_.view == View::kKernels;
  Section("Kernels", Remark(sorted ? Order("by total time") : "by total time", limit,
                            profile_.report.kernels.size()));
  if (profile_.report.kernels.empty()) {
    return Empty(
        "No kernels in the trace. Add ProfilerActivity.CUDA to activities, if the run used a GPU.");
  }
  out_ += KernelsTable(profile_, limit, style_);
}

void TextBuilder::Copies() {
  const size_t limit = LimitOr(whole_view() ? kViewRows : kOverviewCopies);
  const bool sorted = request_.view == View::kCopies;
  Section("Copies and sets", Remark(sorted ? Order("by total time") : "by total time", limit,
                                    profile_.report.copies.size()));
  if (profile_.report.copies.empty()) return Empty("No memory copies or sets in the trace.");
  out_ += CopiesTable(profile_, limit, style_);
}

void TextBuilder::Recommendations() {
  const std::vector<Recommendation>& rows = profile_.recommendations;
  if (rows.empty() && !whole_view() && profile_.report.steps.rows.empty()) return;
  Section("What to try");
  if (rows.empty()) return Empty("No rule found anything wrong with this run.");
  const size_t limit = LimitOr(0);
  const size_t count = limit == 0 || !whole_view() ? rows.size() : std::min(limit, rows.size());
  out_ += FindingsText({rows.data(), count}, whole_view(), style_);
}

void TextBuilder::Sections() {
  for (const NamedSection& section : profile_.sections) {
    if (!out_.empty()) out_ += '\n';
    out_ += section.section->Text(request_.limit, style_);
  }
  if (request_.view != View::kSection || profile_.recommendations.empty()) return;
  Section("What to try", "evidence: --view recommendations");
  out_ += FindingsText(profile_.recommendations, false, style_);
}

void TextBuilder::AboutCapture() {
  const std::vector<CaptureGap> gaps = CaptureGaps(profile_);
  if (profile_.diagnostics.empty() && gaps.empty() && !whole_view()) return;
  const bool loss =
      std::any_of(profile_.diagnostics.begin(), profile_.diagnostics.end(),
                  [](const FileDiagnostic& d) { return d.severity != Severity::kInfo; });
  Section("About this capture", loss ? "parts of it could not be used" : "");
  if (profile_.diagnostics.empty() && whole_view()) Empty("Everything in it could be used.");
  std::vector<FileDiagnostic> rows = profile_.diagnostics;
  if (!whole_view() || !request_.sort_field) {
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const FileDiagnostic& a, const FileDiagnostic& b) { return a.severity > b.severity; });
  }
  // The overview shows all of them: nothing is dropped silently.
  if (whole_view()) rows.resize(Limited(rows.size(), request_.limit.value_or(0)));
  if (!rows.empty()) out_ += DiagnosticsTable(profile_, rows, style_);
  if (gaps.empty()) return;
  if (!profile_.diagnostics.empty()) out_ += '\n';
  std::vector<std::string> lacking;
  for (const CaptureGap& gap : gaps)
    lacking.push_back(fmt::format("{} ({})", gap.what, gap.remedy));
  Empty(fmt::format("Not captured, with what would add it: {}.", fmt::join(lacking, ", ")));
}

}  // namespace

std::string DataNote(const Profile& profile, const OutputStyle& style) {
  const std::string all = SummaryOfDiagnostics(profile, Severity::kInfo);
  if (all.empty()) return "";
  const bool loss = !SummaryOfDiagnostics(profile, Severity::kLoss).empty();
  const std::string text =
      fmt::format("{}: {} (--view diagnostics explains)",
                  loss ? "Parts of the trace could not be used" : "About the data", all);
  std::string out = "\n";
  for (const std::string& line : Wrap(text, style.width)) {
    out += Paint(loss ? Ink::kWarning : Ink::kDim, line, style) + "\n";
  }
  return out;
}

std::string ProfileText(const Profile& profile, const TextRequest& request,
                        const OutputStyle& style) {
  TextBuilder text(profile, request, style);
  switch (request.view) {
    case View::kOverview:
      text.Overview();
      break;
    case View::kSteps:
      text.Steps();
      break;
    case View::kDevices:
      text.Devices();
      break;
    case View::kOperators:
      text.Operators();
      break;
    case View::kKernels:
      text.Kernels();
      break;
    case View::kCopies:
      text.Copies();
      break;
    case View::kRecommendations:
      text.Recommendations();
      break;
    case View::kDiagnostics:
      text.AboutCapture();
      break;
    case View::kSection:
      text.Sections();
      break;
    case View::kEvents:
      break;
  }
  if (request.view != View::kOverview && request.view != View::kDiagnostics) {
    return text.Take() + DataNote(profile, style);
  }
  return text.Take();
}

std::string EventsText(const EventSource& events, const TextRequest& request,
                       const OutputStyle& style) {
  const int64_t limit = request.limit.value_or(kViewRows);
  std::vector<EventRow> rows;
  events.ForEach(
      request.sort_field ? request.sort_field : std::optional<std::string>("duration_ns"), limit,
      [&](const EventRow& row) {
        rows.push_back(row);
        return true;
      });
  std::string out =
      Heading("Events",
              fmt::format("by {}{}{} of {}", request.sort_field.value_or("duration_ns"),
                          style.unicode ? " · " : ", ", rows.size(),
                          FormatCount(static_cast<int64_t>(events.size()))),
              style);
  if (rows.empty()) return out + "  The trace has no events with a duration.\n";
  std::vector<int64_t> durations;
  for (const EventRow& row : rows) durations.push_back(row.duration_ns);
  const ColumnUnit unit = DurationUnit(durations, style.unicode);
  using enum ColumnKind;
  Table table({{"event", kName, TableColumn::kAlways, 24},
               {"kind", kText, 80},
               {fmt::format("duration {}", unit.name), kNumber},
               {"start ns", kNumber, 50},
               {"process", kName, 30, 6},
               {"thread", kName, 60, 8},
               {"operator", kName, 70, 14}});
  for (const EventRow& row : rows) {
    table.AddRow({Printable(row.name, style.unicode), std::string(row.kind),
                  FormatIn(unit, row.duration_ns), std::to_string(row.start_ns),
                  Printable(row.pid, style.unicode), Printable(row.tid, style.unicode),
                  Printable(row.op.value_or(""), style.unicode)});
  }
  out += table.Render(style);
  return out;
}

}  // namespace telltale
