// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/collectives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/cancel.h"
#include "base/column.h"

namespace telltale {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct KindWord {
  std::string_view word;  // lower case, without underscores
  CollectiveKind kind;
};

// In this order: a longer word before one that it contains, and a barrier made of an all-reduce is
// a barrier.
constexpr auto kKindWords = std::to_array<KindWord>({
    {"barrier", CollectiveKind::kBarrier},
    {"allreduce", CollectiveKind::kAllReduce},
    {"reducescatter", CollectiveKind::kReduceScatter},
    {"allgather", CollectiveKind::kAllGather},
    {"alltoall", CollectiveKind::kAllToAll},
    {"sendrecv", CollectiveKind::kSendReceive},
    {"broadcast", CollectiveKind::kBroadcast},
    {"bcast", CollectiveKind::kBroadcast},
    {"gather", CollectiveKind::kGather},
    {"scatter", CollectiveKind::kScatter},
    {"reduce", CollectiveKind::kReduce},
    {"send", CollectiveKind::kSend},
    {"recv", CollectiveKind::kReceive},
});

struct ElementSize {
  std::string_view name;
  int64_t bytes;
};

// torch's scalar types, and the C++ names that ranges carry in "Input type".
constexpr auto kElementSizes = std::to_array<ElementSize>({
    {"float", 4},
    {"double", 8},
    {"half", 2},
    {"bfloat16", 2},
    {"byte", 1},
    {"char", 1},
    {"bool", 1},
    {"short", 2},
    {"int", 4},
    {"long", 8},
    {"long int", 8},
    {"long long", 8},
    {"signed char", 1},
    {"unsigned char", 1},
    {"complexhalf", 4},
    {"complexfloat", 8},
    {"complexdouble", 16},
    {"float8_e4m3fn", 1},
    {"float8_e5m2", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"float8_e8m0fnu", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"quint8", 1},
    {"qint8", 1},
    {"qint32", 4},
});

// Product of [a,b,…]; 1 for []. None if it leaves 64 bits or is no list of numbers. Moves `text`
// past the list.
std::optional<int64_t> Product(std::string_view& text) {
  if (!text.starts_with('[')) return std::nullopt;
  text.remove_prefix(1);
  int64_t product = 1;
  while (!text.empty() && text.front() != ']') {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    if (__builtin_mul_overflow(product, value, &product)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return product;
}

// The elements of all tensors in a range's Input Dims, [[a,b],[c]]; none where it holds anything
// else.
std::optional<int64_t> ElementsIn(std::string_view dims) {
  if (!dims.starts_with("[[")) return std::nullopt;
  dims.remove_prefix(1);
  int64_t sum = 0;
  while (dims.starts_with('[')) {
    const std::optional<int64_t> product = Product(dims);
    if (!product || __builtin_add_overflow(sum, *product, &sum)) return std::nullopt;
    if (dims.starts_with(',')) dims.remove_prefix(1);
  }
  return dims == "]" ? std::optional(sum) : std::nullopt;
}

enum class Library : uint8_t { kNone, kDevice, kHost };

// Which library a host range belongs to: one that works on the device (the range is only the call),
// or on the host (the range is the communication).
Library LibraryOf(std::string_view name) {
  if (name.starts_with("nccl:")) return Library::kDevice;
  for (const std::string_view prefix : {"gloo:", "mpi:", "ucc:"}) {
    if (name.starts_with(prefix)) return Library::kHost;
  }
  return Library::kNone;
}

// One outermost host event of communication, and what lies under it.
struct HostCall {
  NodeId outermost = kNoRow;
  uint32_t detail = kNoDetail;  // the first collective that names itself
  NodeId range = kNoRow;        // the first range of a library
  bool has_kernel = false;
};

class Finder {
 public:
  explicit Finder(const TraceContext& context)
      : context_(context),
        trace_(context.trace),
        param_comms_(trace_.strings.Find("record_param_comms")) {}

  std::vector<CollectiveCall> Find() {
    if (!Anything()) return {};
    FindHostCalls();
    AddKernels();
    AddRanges();
    std::stable_sort(
        calls_.begin(), calls_.end(), [](const CollectiveCall& a, const CollectiveCall& b) {
          const auto key = [](const CollectiveCall& call) {
            return std::tuple(call.issued_ns, call.time ? call.time->start_ns : call.issued_ns,
                              call.span);
          };
          return key(a) < key(b);
        });
    return std::move(calls_);
  }

 private:
  struct Kernel {
    uint32_t host_call;  // into host_calls_, or kNoRow
    SpanRow row;
    NodeId launch;
  };

  [[nodiscard]] bool Anything() const {
    if (!trace_.collectives.empty()) return true;
    constexpr auto kAny =
        static_cast<uint16_t>(static_cast<uint16_t>(NameFact::kCommunicationRange) |
                              static_cast<uint16_t>(NameFact::kCommunicationKernel));
    return std::any_of(context_.facts.bits.begin(), context_.facts.bits.end(),
                       [](uint16_t bits) { return (bits & kAny) != 0; });
  }

  [[nodiscard]] bool IsCommunicationEvent(SpanRow row) const {
    const Category category = trace_.spans.category[row];
    if (category != Category::kOperator && category != Category::kAnnotation) return false;
    const StringId name = trace_.spans.name[row];
    return name == param_comms_ || context_.facts.Is(name, NameFact::kCommunicationRange);
  }

  // Parents come before their children in the tree.
  void FindHostCalls() {
    const HostTree& tree = context_.tree;
    of_node_.resize(tree.size());
    CancelCheck cancel;
    for (NodeId node = 0; node < tree.size(); ++node) {
      cancel.Tick();
      const NodeId parent = tree.parent[node];
      uint32_t call = parent == kNoRow ? kNoRow : of_node_[parent];
      const SpanRow row = tree.span[node];
      const bool communicates = IsCommunicationEvent(row);
      if (communicates && call == kNoRow) {
        call = static_cast<uint32_t>(host_calls_.size());
        host_calls_.push_back({.outermost = node});
      }
      of_node_[node] = call;
      if (communicates) Describe(host_calls_[call], node);
    }
  }

  void Describe(HostCall& call, NodeId node) {
    const SpanRow row = context_.tree.span[node];
    if (call.range == kNoRow && LibraryOf(trace_.NameOfSpan(row)) != Library::kNone)
      call.range = node;
    const OperatorDetail* detail = trace_.OperatorOf(row);
    if (call.detail == kNoDetail && detail != nullptr && detail->collective != kNoDetail &&
        trace_.collectives[detail->collective].name != kNoString) {
      call.detail = detail->collective;
    }
  }

  void AddKernels() {
    const DeviceLinks& links = context_.links;
    std::vector<Kernel> kernels;
    CancelCheck cancel;
    for (size_t i = 0; i < links.size(); ++i) {
      cancel.Tick();
      const SpanRow row = links.device[i];
      if (trace_.spans.category[row] != Category::kKernel ||
          !IsCommunication(trace_, context_.facts, row)) {
        continue;
      }
      const NodeId launch = links.launch[i];
      kernels.push_back({launch == kNoRow ? kNoRow : of_node_[launch], row, launch});
    }
    any_kernel_ = !kernels.empty();
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Kernel& a, const Kernel& b) { return a.host_call < b.host_call; });
    for (size_t i = 0; i < kernels.size();) {
      const uint32_t number = kernels[i].host_call;
      const size_t first = i++;
      if (number != kNoRow) {
        host_calls_[number].has_kernel = true;
        while (i < kernels.size() && kernels[i].host_call == number) ++i;
      }
      AddCall(std::span(kernels).subspan(first, i - first));
    }
  }

  // `kernels` are those of one call.
  void AddCall(std::span<const Kernel> kernels) {
    CollectiveCall call;
    call.on_device = true;
    call.span = kernels.front().row;
    for (const Kernel& kernel : kernels) {
      const Interval time = {trace_.spans.start_ns[kernel.row], trace_.spans.end_ns(kernel.row)};
      if (!call.time || time.start_ns < call.time->start_ns) call.span = kernel.row;
      call.time = call.time ? Interval{std::min(call.time->start_ns, time.start_ns),
                                       std::max(call.time->end_ns, time.end_ns)}
                            : time;
    }
    const HostCall* host =
        kernels.front().host_call == kNoRow ? nullptr : &host_calls_[kernels.front().host_call];
    call.issued_ns = host != nullptr                    ? StartOf(host->outermost)
                     : kernels.front().launch != kNoRow ? StartOf(kernels.front().launch)
                                                        : call.time->start_ns;
    const DeviceDetail* detail = trace_.DeviceOf(call.span);
    if (detail != nullptr && detail->collective != kNoDetail) UseDetail(call, detail->collective);
    if (host != nullptr) UseHostCall(call, *host);
    if (call.name.empty()) call.name = trace_.NameOfSpan(call.span);
    call.kind = KindOf(call.name);
    calls_.push_back(call);
  }

  void AddRanges() {
    for (const HostCall& host : host_calls_) {
      if (host.range == kNoRow || host.has_kernel) continue;
      const SpanRow row = context_.tree.span[host.range];
      const Library library = LibraryOf(trace_.NameOfSpan(row));
      // Where kernels were captured, a call without one ran outside the capture.
      if (library == Library::kDevice && any_kernel_) continue;
      CollectiveCall call;
      call.span = row;
      call.issued_ns = StartOf(host.outermost);
      if (library == Library::kHost)
        call.time = Interval{trace_.spans.start_ns[row], trace_.spans.end_ns(row)};
      UseHostCall(call, host);
      call.kind = KindOf(call.name);
      calls_.push_back(call);
    }
  }

  // Fills what is still unknown.
  void UseHostCall(CollectiveCall& call, const HostCall& host) const {
    if (host.detail != kNoDetail) UseDetail(call, host.detail);
    const SpanRow named = context_.tree.span[host.range != kNoRow ? host.range : host.outermost];
    if (call.name.empty()) call.name = trace_.NameOfSpan(named);
    if (call.in_elements != kNoInt || host.range == kNoRow) return;
    const OperatorDetail* detail = trace_.OperatorOf(named);
    if (detail == nullptr || detail->input_dims == kNoString) return;
    call.in_elements = ElementsIn(trace_.Text(detail->input_dims)).value_or(kNoInt);
    if (call.dtype.empty()) call.dtype = FirstType(detail->input_types);
  }

  void UseDetail(CollectiveCall& call, uint32_t number) const {
    const CollectiveDetail& detail = trace_.collectives[number];
    const auto text = [this](std::string_view& field, StringId value) {
      if (field.empty()) field = trace_.Text(value);
    };
    const auto number_of = [](int64_t& field, int64_t value) {
      if (field == kNoInt) field = value;
    };
    text(call.name, detail.name);
    text(call.dtype, detail.dtype);
    text(call.group_name, detail.group_name);
    text(call.group_ranks, detail.group_ranks);
    number_of(call.group_size, detail.group_size);
    number_of(call.sequence, detail.sequence);
    number_of(call.in_elements, detail.in_elements);
    number_of(call.out_elements, detail.out_elements);
  }

  // The first of ["float","Scalar"].
  [[nodiscard]] std::string_view FirstType(StringId types) const {
    std::string_view text = trace_.Text(types);
    if (!text.starts_with("[\"")) return {};
    text.remove_prefix(2);
    return text.substr(0, text.find('"'));
  }

  // Names are the trace's own texts, so the place of one tells it apart.
  CollectiveKind KindOf(std::string_view name) {
    const auto [at, added] = kinds_.try_emplace(name.data());
    if (added) at->second = CollectiveKindOf(name);
    return at->second;
  }

  [[nodiscard]] int64_t StartOf(NodeId node) const {
    return trace_.spans.start_ns[context_.tree.span[node]];
  }

  const TraceContext& context_;
  const Trace& trace_;
  StringId param_comms_;
  Column<uint32_t> of_node_;  // the host call that a node lies in, or kNoRow
  std::vector<HostCall> host_calls_;
  std::unordered_map<const char*, CollectiveKind> kinds_;
  std::vector<CollectiveCall> calls_;
  bool any_kernel_ = false;
};

}  // namespace

std::string_view NameOf(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "all_reduce";
    case CollectiveKind::kAllGather:
      return "all_gather";
    case CollectiveKind::kReduceScatter:
      return "reduce_scatter";
    case CollectiveKind::kAllToAll:
      return "all_to_all";
    case CollectiveKind::kBroadcast:
      return "broadcast";
    case CollectiveKind::kReduce:
      return "reduce";
    case CollectiveKind::kGather:
      return "gather";
    case CollectiveKind::kScatter:
      return "scatter";
    case CollectiveKind::kBarrier:
      return "barrier";
    case CollectiveKind::kSend:
      return "send";
    case CollectiveKind::kReceive:
      return "recv";
    case CollectiveKind::kSendReceive:
      return "send_recv";
    case CollectiveKind::kOther:
      break;
  }
  return "other";
}

CollectiveKind CollectiveKindOf(std::string_view name) {
  // What a kernel's name says of its arguments and template is no matter.
  name = name.substr(0, name.find_first_of("(<"));
  std::string text;
  for (const char c : name) {
    if (c != '_') text += Lower(c);
  }
  for (const auto& [word, kind] : kKindWords) {
    if (text.find(word) != std::string::npos) return kind;
  }
  return CollectiveKind::kOther;
}

bool Synchronises(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kAllGather ||
         kind == CollectiveKind::kReduceScatter || kind == CollectiveKind::kAllToAll ||
         kind == CollectiveKind::kBarrier;
}

bool HasEqualSizes(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kBroadcast ||
         kind == CollectiveKind::kReduce || kind == CollectiveKind::kBarrier;
}

std::optional<double> BusFactor(CollectiveKind kind, int64_t group_size) {
  if (group_size <= 0) return std::nullopt;
  const double others = static_cast<double>(group_size - 1) / static_cast<double>(group_size);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * others;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return others;
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
    case CollectiveKind::kSendReceive:
      return 1;
    case CollectiveKind::kBarrier:
    case CollectiveKind::kOther:
      break;
  }
  return std::nullopt;
}

std::optional<int64_t> ElementBytes(std::string_view dtype) {
  if (dtype.starts_with("c10::")) dtype.remove_prefix(5);
  std::string text;
  for (const char c : dtype) text += Lower(c);
  for (const auto& [name, bytes] : kElementSizes) {
    if (text == name) return bytes;
  }
  return std::nullopt;
}

std::optional<int64_t> MessageBytes(const CollectiveCall& call) {
  int64_t elements = std::max(call.in_elements, call.out_elements);  // kNoInt is below 0
  if (elements < 0) return std::nullopt;
  if (call.kind == CollectiveKind::kAllGather && call.out_elements == kNoInt) {
    if (call.group_size <= 0) return std::nullopt;
    if (__builtin_mul_overflow(elements, call.group_size, &elements)) return std::nullopt;
  }
  const std::optional<int64_t> size = ElementBytes(call.dtype);
  int64_t bytes = 0;
  if (!size || __builtin_mul_overflow(elements, *size, &bytes)) return std::nullopt;
  return bytes;
}

std::vector<CollectiveCall> FindCollectives(const TraceContext& context) {
  return Finder(context).Find();
}

}  // namespace telltale
