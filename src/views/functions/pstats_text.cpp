// SPDX-License-Identifier: Apache-2.0
#include "views/functions/pstats_text.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <tuple>

#include <fmt/format.h>

#include "views/render/display.h"

namespace telltale {

namespace {

// Python's repr() of a text.
std::string Quoted(std::string_view text) {
  const char quote =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"'
                                                                                            : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') out += '\\';
    out += c;
  }
  return out + quote;
}

std::string ReprOf(const Restriction& restriction) {
  switch (restriction.kind) {
    case Restriction::Kind::kLines:
      return std::to_string(restriction.lines);
    case Restriction::Kind::kShare: {
      std::string text = fmt::format("{}", restriction.share);
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      return text;
    }
    case Restriction::Kind::kMatch:
      break;
  }
  return Quoted(restriction.text);
}

std::string LeftJustified(std::string text, size_t width) {
  const size_t used = CodePoints(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

// "Sun Nov 15 21:02:39 2026    x.prof", in local time; the path alone if nobody knows the time.
std::string FileLine(const std::string& path) {
  struct stat facts = {};
  std::tm local = {};
  if (path == "-" || ::stat(path.c_str(), &facts) != 0 ||
      ::localtime_r(&facts.st_mtime, &local) == nullptr) {
    return path == "-" ? "standard input" : path;
  }
  // ctime's form, which no locale changes.
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{} {} {:2d} {:02d}:{:02d}:{:02d} {}    {}",
                     kDays[static_cast<size_t>(local.tm_wday) % 7],
                     kMonths[static_cast<size_t>(local.tm_mon) % 12], local.tm_mday, local.tm_hour,
                     local.tm_min, local.tm_sec, 1900 + local.tm_year, path);
}

class PstatsWriter {
 public:
  PstatsWriter(const FunctionView& view, const OutputStyle& style)
      : view_(view), table_(view.table), style_(style) {}

  std::string Stats(std::optional<int64_t> limit);
  std::string Calls(const CallIndex& index, bool callers, std::optional<int64_t> limit);

 private:
  // The rows that the restrictions leave, and what is to say about them. Empty: nothing is printed.
  std::vector<uint32_t> Select(std::optional<int64_t> limit);
  [[nodiscard]] std::string NameOf(uint32_t row) const;
  void Line(uint32_t row);
  void CallLine(uint32_t row, const CallIndex& index, bool callers);
  [[nodiscard]] std::string CallsOf(const FunctionValues& values) const;

  const FunctionView& view_;
  const FunctionTable& table_;
  OutputStyle style_;
  std::string out_;
  size_t name_width_ = 0;
};

std::string PstatsWriter::NameOf(uint32_t row) const {
  // Tabs stay: they do no harm to a terminal.
  const std::string name = StandardName(table_.rows[row]);
  std::string out;
  for (size_t at = 0; at <= name.size();) {
    const size_t tab = std::min(name.find('\t', at), name.size());
    out += Printable(std::string_view(name).substr(at, tab - at), style_.unicode);
    if (tab < name.size()) out += '\t';
    at = tab + 1;
  }
  return out;
}

std::string PstatsWriter::CallsOf(const FunctionValues& values) const {
  const int64_t calls = values.calls.value_or(0);
  const int64_t primitive = values.primitive_calls.value_or(calls);
  return calls == primitive ? std::to_string(calls) : fmt::format("{}/{}", calls, primitive);
}

std::vector<uint32_t> PstatsWriter::Select(std::optional<int64_t> limit) {
  std::vector<uint32_t> rows = view_.rows;
  std::string message = view_.request.order
                            ? fmt::format("   Ordered by: {}\n", view_.request.order->title)
                            : "   Random listing order was used\n";
  const auto apply = [&](const Restriction& restriction) {
    const size_t before = rows.size();
    Result<std::vector<uint32_t>> left = Restrict(table_, std::move(rows), restriction);
    if (!left) message += "   " + left.error().message + "\n";
    rows = std::move(left).value_or(std::vector<uint32_t>());
    if (rows.size() != before) {
      message += fmt::format("   List reduced from {} to {} due to restriction <{}>\n", before,
                             rows.size(), ReprOf(restriction));
    }
  };
  for (const Restriction& restriction : view_.request.restrictions) apply(restriction);
  if (limit && *limit > 0) {
    Restriction lines;
    lines.lines = *limit;
    apply(lines);
  }
  if (rows.empty()) return rows;
  out_ += message + "\n";
  for (const uint32_t row : rows) name_width_ = std::max(name_width_, CodePoints(NameOf(row)));
  name_width_ += 2;
  return rows;
}

void PstatsWriter::Line(uint32_t row) {
  const FunctionValues& values = table_.rows[row].values;
  const int64_t calls = values.calls.value_or(0);
  const int64_t primitive = values.primitive_calls.value_or(calls);
  out_ += fmt::format("{:>9} {:8.3f} ", CallsOf(values), values.self_s);
  out_ += calls == 0 ? std::string(8, ' ')
                     : fmt::format("{:8.3f}", values.self_s / static_cast<double>(calls));
  out_ += fmt::format(" {:8.3f} ", values.total_s);
  out_ += primitive == 0 ? std::string(8, ' ')
                         : fmt::format("{:8.3f}", values.total_s / static_cast<double>(primitive));
  out_ += " " + NameOf(row) + "\n";
}

std::string PstatsWriter::Stats(std::optional<int64_t> limit) {
  for (const ProfileSource& file : view_.files) {
    out_ += Printable(FileLine(file.path), style_.unicode) + "\n";
  }
  if (!view_.files.empty()) out_ += "\n";
  int64_t calls = 0;
  int64_t primitive = 0;
  double seconds = 0;
  for (const FunctionRow& row : table_.rows) {
    if (!row.in_profile) continue;
    calls += row.values.calls.value_or(0);
    primitive += row.values.primitive_calls.value_or(0);
    seconds += row.values.self_s;
  }
  out_ += fmt::format("         {} function calls ", calls);
  if (calls != primitive) out_ += fmt::format("({} primitive calls) ", primitive);
  out_ += fmt::format("in {:.3f} seconds\n\n", seconds);
  const std::vector<uint32_t> rows = Select(limit);
  if (rows.empty()) return std::move(out_);
  out_ += "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n";
  for (const uint32_t row : rows) Line(row);
  out_ += "\n\n";
  return std::move(out_);
}

void PstatsWriter::CallLine(uint32_t row, const CallIndex& index, bool callers) {
  out_ += LeftJustified(NameOf(row), name_width_) + (callers ? "<-" : "->") + " ";
  std::vector<uint32_t> calls(index.Of(row).begin(), index.Of(row).end());
  const auto other = [&](uint32_t call) {
    return callers ? table_.calls[call].caller : table_.calls[call].callee;
  };
  std::sort(calls.begin(), calls.end(), [&](uint32_t i, uint32_t j) {
    const FunctionRow& a = table_.rows[other(i)];
    const FunctionRow& b = table_.rows[other(j)];
    return std::tie(a.file, a.line, a.name) < std::tie(b.file, b.line, b.name);
  });
  if (calls.empty()) out_ += "\n";
  bool first = true;
  for (const uint32_t call : calls) {
    const FunctionValues& values = table_.calls[call].values;
    const std::string name = NameOf(other(call));
    if (values.total) {
      if (!first) out_.append(name_width_ + 1, ' ');
      out_ += fmt::format("{:>{}} {:8.3f} {:8.3f}  {}\n", CallsOf(values), first ? 7 : 9,
                          values.self_s, values.total_s, name);
    } else {
      // The pure-Python profiler: how often, and what the other function took in all.
      if (!first) out_.append(name_width_ + 3, ' ');
      out_ += fmt::format("{}({}) {:8.3f}\n", name, values.calls.value_or(0),
                          table_.rows[other(call)].values.total_s);
    }
    first = false;
  }
}

std::string PstatsWriter::Calls(const CallIndex& index, bool callers,
                                std::optional<int64_t> limit) {
  const std::vector<uint32_t> rows = Select(limit);
  if (rows.empty()) return std::move(out_);
  out_ +=
      LeftJustified("Function ", name_width_) + (callers ? "was called by..." : "called...") + "\n";
  if (!table_.calls.empty() && table_.calls.front().values.total) {
    out_ += std::string(name_width_, ' ') + "    ncalls  tottime  cumtime\n";
  }
  for (const uint32_t row : rows) CallLine(row, index, callers);
  out_ += "\n\n";
  return std::move(out_);
}

}  // namespace

std::string PstatsText(const FunctionView& view, std::optional<int64_t> limit,
                       const OutputStyle& style) {
  if (!view.callers && !view.callees) return PstatsWriter(view, style).Stats(limit);
  std::string out;
  if (view.callers) out += PstatsWriter(view, style).Calls(*view.callers, true, limit);
  if (view.callees) out += PstatsWriter(view, style).Calls(*view.callees, false, limit);
  return out;
}

}  // namespace telltale
