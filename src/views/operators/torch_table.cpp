// SPDX-License-Identifier: Apache-2.0
#include "views/operators/torch_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/operators/operators.h"
#include "views/render/display.h"
#include "views/row_range.h"

namespace telltale {

namespace {

// The defaults of table().
constexpr size_t kNameWidth = 55;
constexpr size_t kShapesWidth = 80;
constexpr size_t kSourceWidth = 75;
constexpr size_t kColumnWidth = 12;
constexpr size_t kSpacing = 2;

double Microseconds(int64_t ns) { return static_cast<double>(ns) / 1000.0; }

std::string FormatTime(double us) {
  if (us >= 1e6) return fmt::format("{:.3f}s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.3f}ms", us / 1e3);
  return fmt::format("{:.3f}us", us);
}

std::string FormatPercent(int64_t ns, int64_t total_ns) {
  if (total_ns == 0) return "NaN";
  return fmt::format("{:.2f}%", Microseconds(ns) * 100.0 / Microseconds(total_ns));
}

std::string FormatMemory(int64_t bytes) {
  constexpr int64_t kKilo = 1024;
  const int64_t size = bytes < 0 ? -bytes : bytes;
  const auto scaled = [&](int64_t unit) {
    return static_cast<double>(bytes) / static_cast<double>(unit);
  };
  if (size >= kKilo * kKilo * kKilo) return fmt::format("{:.2f} GB", scaled(kKilo * kKilo * kKilo));
  if (size >= kKilo * kKilo) return fmt::format("{:.2f} MB", scaled(kKilo * kKilo));
  if (size >= kKilo) return fmt::format("{:.2f} KB", scaled(kKilo));
  return fmt::format("{} B", bytes);
}

// Python pads by code points.
std::string Right(std::string_view text, size_t width) {
  const size_t used = CodePoints(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string Left(std::string_view text, size_t width) {
  const size_t used = CodePoints(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

// The end of a path, marked where it was cut.
std::string TrimPath(std::string_view path, size_t width) {
  if (CodePoints(path) <= width) return std::string(path);
  const std::string_view end = LastCodePoints(path, width);
  return CodePoints(end) > 3 ? "..." + std::string(LastCodePoints(end, width - 3))
                             : std::string(end);
}

std::vector<std::string> SplitStack(const std::optional<std::string>& stack) {
  std::vector<std::string> frames;
  if (!stack) return frames;
  for (size_t at = 0; at <= stack->size();) {
    const size_t end = std::min(stack->find(';', at), stack->size());
    if (end > at) frames.push_back(stack->substr(at, end - at));
    at = end + 1;
  }
  return frames;
}

struct Row {
  OperatorRow data;
  bool on_device = false;  // a kernel, copy or set
  std::string shapes;
  std::vector<std::string> stack;
};

Row DeviceRowOf(std::string name, uint64_t calls, int64_t total_ns, uint64_t first_event) {
  Row row;
  row.data.name = std::move(name);
  row.data.calls = calls;
  row.data.device_total_ns = total_ns;
  row.data.device_self_ns = total_ns;
  row.data.memory_total_bytes = 0;
  row.data.memory_self_bytes = 0;
  row.data.first_event = first_event;
  row.on_device = true;
  row.shapes = "[]";
  return row;
}

std::vector<Row> RowsOf(const Profile& profile) {
  std::vector<Row> rows;
  for (const OperatorRow& op : profile.report.operators) {
    Row row;
    row.data = op;
    row.shapes = op.input_shapes ? TorchShapes(*op.input_shapes) : "[]";
    row.stack = SplitStack(op.stack);
    rows.push_back(std::move(row));
  }
  for (const KernelRow& kernel : profile.report.kernels) {
    rows.push_back(DeviceRowOf(kernel.name, kernel.calls, kernel.total_ns, kernel.first_event));
  }
  for (const CopyRow& copy : profile.report.copies) {
    rows.push_back(DeviceRowOf(copy.name, copy.calls, copy.total_ns, copy.first_event));
  }
  // Operators count their occurrences in torch's order, device rows in the file's.
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.on_device, a.data.first_event) < std::pair(b.on_device, b.data.first_event);
  });
  return rows;
}

// As Python's sorted(reverse=True): descending, equal rows keep their order.
void Sort(std::vector<Row>& rows, std::string_view field) {
  const TableSpec<OperatorRow> table = OperatorColumns();
  const ColumnSpec<OperatorRow>* const at = table.Find(field);
  if (at == nullptr) return;
  std::stable_sort(rows.begin(), rows.end(), [get = at->get](const Row& a, const Row& b) {
    return CompareDescending(get(a.data), get(b.data)) < 0;
  });
}

std::string DeviceName(const Profile& profile) {
  for (const DeviceRow& device : profile.report.devices) {
    if (device.type == "xpu") return "XPU";
    if (device.type == "mtia") return "MTIA";
    if (device.type == "other") return "PRIVATEUSEONE";
  }
  return "CUDA";  // ROCm calls itself that, too
}

struct FlopScale {
  double factor = 1;
  std::string_view name = "FLOPs";
};

FlopScale ScaleFor(int64_t smallest_flops) {
  static constexpr std::array<std::string_view, 6> kNames = {"FLOPs",  "KFLOPs", "MFLOPs",
                                                             "GFLOPs", "TFLOPs", "PFLOPs"};
  const double power = std::clamp(std::log10(static_cast<double>(smallest_flops)) / 3, 0.0, 5.0);
  return {std::pow(10.0, std::floor(power) * -3.0), kNames[static_cast<size_t>(power)]};
}

// A line of the table: cells with the width and side of their column.
class Layout {
 public:
  void Add(std::string header, size_t width, bool left = false) {
    headers_.push_back(std::move(header));
    widths_.push_back(width);
    left_.push_back(left);
  }
  [[nodiscard]] std::string Line(const std::vector<std::string>& cells) const {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      line += left_[c] ? Left(cells[c], widths_[c]) : Right(cells[c], widths_[c]);
      line.append(kSpacing, ' ');
    }
    return line + "\n";
  }
  [[nodiscard]] std::string Header() const { return Line(headers_); }
  [[nodiscard]] std::string Rule() const {
    std::string line;
    for (const size_t width : widths_) {
      line.append(width, '-');
      line.append(kSpacing, ' ');
    }
    return line + "\n";
  }
  [[nodiscard]] size_t size() const { return widths_.size(); }

 private:
  std::vector<std::string> headers_;
  std::vector<size_t> widths_;
  std::vector<bool> left_;
};

}  // namespace

std::string TorchShapes(std::string_view json) {
  // A list of tensors is the only element with a list inside; torch shows an empty shape for it.
  std::string out;
  std::string element;
  int depth = 0;
  bool nested = false;
  for (const char c : json) {
    if (c == ' ') continue;
    if (c == '[') {
      ++depth;
      nested |= depth >= 3;
      if (depth == 1) continue;
    }
    if (c == ']') --depth;
    const bool ends = (c == ']' && depth == 0) || (c == ',' && depth == 1);
    if (!ends) {
      element += c;
      if (c == ',') element += ' ';
      continue;
    }
    if (!out.empty() && !(element.empty() && c == ']')) out += ", ";
    out += nested ? "[]" : element;
    element.clear();
    nested = false;
  }
  return "[" + out + "]";
}

std::string TorchTable(const Profile& profile, const TorchTableRequest& request) {
  std::vector<Row> rows = RowsOf(profile);
  if (rows.empty()) return "";
  if (request.sort_field) Sort(rows, *request.sort_field);

  bool with_flops = false;
  bool with_memory = false;
  for (const FileFacts& file : profile.files) {
    with_flops |= file.with_flops;
    with_memory |= file.has_memory;
  }
  const bool with_shapes =
      profile.operator_grouping == OperatorGrouping::kShape &&
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.shapes != "[]"; });
  bool with_device = false;
  size_t name_width = 0;
  size_t shapes_width = 0;
  size_t source_width = 0;
  int64_t self_host = 0;
  int64_t self_device = 0;
  int64_t smallest_flops = 0;
  for (const Row& row : rows) {
    with_device |= row.data.device_self_ns > 0;
    name_width = std::max(name_width, CodePoints(row.data.name));
    shapes_width = std::max(shapes_width, CodePoints(row.shapes));
    for (const std::string& frame : row.stack)
      source_width = std::max(source_width, CodePoints(frame));
    self_host += row.data.host_self_ns;
    if (row.on_device) self_device += row.data.device_self_ns;
    const int64_t flops = row.data.flops.value_or(0);
    if (flops > 0 && (smallest_flops == 0 || flops < smallest_flops)) smallest_flops = flops;
  }
  name_width = std::min(name_width + 4, kNameWidth);
  shapes_width = std::min(shapes_width + 4, kShapesWidth);
  const bool with_stack = source_width > 0;
  source_width = std::min(source_width + 4, kSourceWidth);
  with_flops &= smallest_flops > 0;
  const FlopScale scale = with_flops ? ScaleFor(smallest_flops) : FlopScale{};

  Layout layout;
  layout.Add("Name", name_width);
  for (const char* header :
       {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"}) {
    layout.Add(header, kColumnWidth);
  }
  const std::string device = DeviceName(profile);
  if (with_device) {
    layout.Add("Self " + device, kColumnWidth);
    layout.Add("Self " + device + " %", kColumnWidth);
    layout.Add(device + " total", kColumnWidth);
    layout.Add(device + " time avg", kColumnWidth);
  }
  if (with_memory) {
    layout.Add("CPU Mem", kColumnWidth);
    layout.Add("Self CPU Mem", kColumnWidth);
  }
  layout.Add("# of Calls", kColumnWidth);
  if (with_shapes) layout.Add("Input Shapes", shapes_width);
  if (with_stack) layout.Add("Source Location", source_width, true);
  if (with_flops) layout.Add(fmt::format("Total {}", scale.name), kColumnWidth);

  std::string out = layout.Rule() + layout.Header() + layout.Rule();
  const size_t count = Limited(rows.size(), request.row_limit);
  for (size_t i = 0; i < count; ++i) {
    const Row& row = rows[i];
    const OperatorRow& data = row.data;
    const double calls = static_cast<double>(std::max<uint64_t>(data.calls, 1));
    // Torch gives asynchronous ranges no self time and no share; nothing else has exactly none.
    const bool asynchronous = data.host_self_ns == 0 && data.host_total_ns > 0;
    std::string name = data.name;
    if (CodePoints(name) >= kNameWidth - 3)
      name = std::string(FirstCodePoints(name, kNameWidth - 3)) + "...";
    std::vector<std::string> cells = {
        name,
        FormatPercent(data.host_self_ns, self_host),
        FormatTime(Microseconds(data.host_self_ns)),
        asynchronous ? "0" : FormatPercent(data.host_total_ns, self_host),
        FormatTime(Microseconds(data.host_total_ns)),
        FormatTime(Microseconds(data.host_total_ns) / calls),
    };
    if (with_device) {
      cells.push_back(FormatTime(Microseconds(data.device_self_ns)));
      cells.push_back(FormatPercent(data.device_self_ns, self_device));
      cells.push_back(FormatTime(Microseconds(data.device_total_ns)));
      cells.push_back(FormatTime(Microseconds(data.device_total_ns) / calls));
    }
    if (with_memory) {
      cells.push_back(FormatMemory(data.memory_total_bytes.value_or(0)));
      cells.push_back(FormatMemory(data.memory_self_bytes.value_or(0)));
    }
    cells.push_back(std::to_string(data.calls));
    if (with_shapes) cells.emplace_back(FirstCodePoints(row.shapes, shapes_width));
    // Torch appends the value of FLOPs before the source although the header has them the other way
    // round.
    if (with_flops) {
      const int64_t flops = data.flops.value_or(0);
      cells.push_back(
          flops <= 0 ? "--" : fmt::format("{:8.3f}", static_cast<double>(flops) * scale.factor));
    }
    if (with_stack) cells.push_back(row.stack.empty() ? "" : TrimPath(row.stack[0], source_width));
    out += layout.Line(cells);
    if (with_stack) {
      std::vector<std::string> more(layout.size());
      for (size_t frame = 1; frame < row.stack.size(); ++frame) {
        more.back() = TrimPath(row.stack[frame], source_width);
        out += layout.Line(more);
      }
      more.back().clear();
      out += layout.Line(more);
    }
  }
  out += layout.Rule();
  out += fmt::format("Self CPU time total: {}\n", FormatTime(Microseconds(self_host)));
  if (with_device)
    out += fmt::format("Self {} time total: {}\n", device, FormatTime(Microseconds(self_device)));
  return out;
}

}  // namespace telltale
