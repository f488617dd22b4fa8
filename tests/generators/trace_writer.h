// SPDX-License-Identifier: Apache-2.0
//
// The text of a generated trace: one layout per era of Kineto's writer, and the totals of what was
// written. It knows nothing of how the events came about.

#ifndef TESTS_GENERATORS_TRACE_WRITER_H_
#define TESTS_GENERATORS_TRACE_WRITER_H_

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "trace_machine.h"
#include "trace_model.h"
#include "trace_options.h"

namespace generator {

// Collects text and hands it to a file in large pieces; without a file it only counts.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file), buffer_(kCapacity) {}

  // Room for one event; the longest kernel name and its arguments are far below this.
  void Reserve() {
    if (used_ > kCapacity - kEventRoom) Flush();
  }
  void Put(std::string_view text) {
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void PutInt(int64_t value) {
    char* begin = buffer_.data() + used_;
    used_ = static_cast<size_t>(std::to_chars(begin, begin + 24, value).ptr - buffer_.data());
  }
  void PutMicroseconds(int64_t ns) {
    PutInt(ns / 1000);
    const auto rest = static_cast<int>(ns % 1000);
    const std::array<char, 4> digits{'.', static_cast<char>('0' + rest / 100),
                                     static_cast<char>('0' + rest / 10 % 10),
                                     static_cast<char>('0' + rest % 10)};
    Put({digits.data(), digits.size()});
  }
  void Flush() {
    if (file_ != nullptr && std::fwrite(buffer_.data(), 1, used_, file_) != used_) {
      std::fprintf(stderr, "make_trace: cannot write the trace: %s\n", std::strerror(errno));
      std::exit(1);
    }
    flushed_ += static_cast<int64_t>(used_);
    used_ = 0;
  }
  int64_t bytes() const { return flushed_ + static_cast<int64_t>(used_); }

 private:
  static constexpr size_t kCapacity = size_t{1} << 20;
  static constexpr size_t kEventRoom = size_t{1} << 15;
  std::FILE* file_;
  std::vector<char> buffer_;
  size_t used_ = 0;
  int64_t flushed_ = 0;
};

enum Category {
  kCpuOp,
  kUserAnnotation,
  kPythonFunction,
  kRuntime,
  kDriver,
  kKernel,
  kMemcpy,
  kMemset,
  kGpuAnnotation,
  kMemory,
  kOverhead,
  kTrace,
  kForwardBackward,
  kLaunchFlow,
  kNoCategory,
  kCategoryCount
};

inline std::string_view CategoryName(Category category, Era era) {
  static constexpr std::array<std::string_view, kCategoryCount> kNames{"cpu_op",
                                                                       "user_annotation",
                                                                       "python_function",
                                                                       "cuda_runtime",
                                                                       "cuda_driver",
                                                                       "kernel",
                                                                       "gpu_memcpy",
                                                                       "gpu_memset",
                                                                       "gpu_user_annotation",
                                                                       "cpu_instant_event",
                                                                       "overhead",
                                                                       "Trace",
                                                                       "fwdbwd",
                                                                       "ac2g",
                                                                       ""};
  static constexpr std::array<std::string_view, kCategoryCount> kOldNames{"Operator",
                                                                          "Operator",
                                                                          "Python",
                                                                          "Runtime",
                                                                          "Runtime",
                                                                          "Kernel",
                                                                          "Memcpy",
                                                                          "Memset",
                                                                          "gpu_user_annotation",
                                                                          "",
                                                                          "overhead",
                                                                          "Trace",
                                                                          "forward_backward",
                                                                          "async",
                                                                          ""};
  if (era == Era::k1_9) return kOldNames[category];
  if (era == Era::k1_12 && category == kForwardBackward) return "forward_backward";
  if (era == Era::k1_12 && category == kLaunchFlow) return "async_cpu_to_gpu";
  return kNames[category];
}

struct Totals {
  int64_t events = 0;
  int64_t metadata = 0;
  std::array<int64_t, kCategoryCount> ranges{};  // ph X
  std::array<int64_t, kCategoryCount> duration_ns{};
  std::array<int64_t, kCategoryCount> instants{};  // ph i
  std::array<int64_t, kCategoryCount> starts{};    // ph s
  std::array<int64_t, kCategoryCount> ends{};      // ph f
};

struct StepTotals {
  int64_t start_ns, end_ns, data_loader_ns;
  int64_t kernels = 0, kernel_ns = 0, communication_ns = 0;
};

// Writes events in the layout of the era.
class Emitter {
 public:
  Emitter(const Options& options, Output& output)
      : options_(options), era_(options.era), out_(output) {
    // Times since the start of the trace are offset so that they look like the era's: since the
    // start of the quarter with nanoseconds, or since 1970.
    switch (era_) {
      case Era::kNew:
        base_ns_ = 1790857026000000000;
        origin_ns_ = 3918958178487759;
        break;
      case Era::k2_4:
        base_ns_ = 1711964646000000000;
        origin_ns_ = 4458676388068751;
        break;
      case Era::k2_4Absolute:
        origin_ns_ = 1712195495501234988;
        break;
      case Era::k1_12:
        origin_ns_ = 1655536373657908000;
        break;
      case Era::k1_9:
        origin_ns_ = 1623142623460016000;
        break;
    }
    ranks_ = "[";
    for (int i = 0; i < options.world; ++i) ranks_ += (i == 0 ? "" : ", ") + std::to_string(i);
    ranks_ += "]";
  }

  const Totals& totals() const { return totals_; }
  int64_t origin_ns() const { return origin_ns_; }

  void Header(const Model& model);
  void Metadata(bool streams_used);
  void Host(const HostRange& range, int tid);
  void Python(const PythonRange& range);
  void Device(const ApiCall& call);
  void Annotation(const DeviceAnnotation& annotation);
  void Memory(const MemoryEvent& event);
  void Overhead(int64_t ts_ns, int64_t duration_ns);
  void Footer(int64_t end_ns);

 private:
  bool pretty() const { return era_ == Era::kNew; }
  int device() const { return options_.rank % 8; }

  void PutTime(int64_t ns) {
    if (options_.nanoseconds()) {
      out_.PutMicroseconds(ns + origin_ns_);
    } else {
      out_.PutInt((ns + origin_ns_) / 1000);
    }
  }
  void PutDuration(Category category, int64_t start_ns, int64_t end_ns) {
    if (options_.nanoseconds()) {
      out_.PutMicroseconds(end_ns - start_ns);
      totals_.duration_ns[category] += end_ns - start_ns;
    } else {  // both ends rounded down, so that nesting survives
      const int64_t us = (end_ns + origin_ns_) / 1000 - (start_ns + origin_ns_) / 1000;
      out_.PutInt(us);
      totals_.duration_ns[category] += us * 1000;
    }
  }
  void PutTid(int tid, bool stream, bool in_flow) {
    if (era_ != Era::k1_9) {
      out_.PutInt(tid);
      return;
    }
    const bool quoted = stream || !in_flow;
    if (quoted) out_.Put("\"");
    if (stream) out_.Put("stream ");
    out_.PutInt(tid);
    if (quoted) out_.Put("\"");
  }
  void Separator() {
    out_.Reserve();
    if (totals_.events++ != 0) out_.Put("\n  },\n");
  }
  // Up to and including the opening brace of the arguments.
  void BeginRange(Category category, std::string_view name, int pid, int tid, bool stream,
                  int64_t start_ns, int64_t end_ns, int step = -1) {
    Separator();
    ++totals_.ranges[category];
    const std::string_view category_name = CategoryName(category, era_);
    if (pretty()) {
      out_.Put("  {\n    \"ph\": \"X\",\n    \"cat\": \"");
      out_.Put(category_name);
      out_.Put("\",\n    \"name\": \"");
      out_.Put(name);
      if (step >= 0) out_.PutInt(step);
      out_.Put("\",\n    \"pid\": ");
      out_.PutInt(pid);
      out_.Put(",\n    \"tid\": ");
      out_.PutInt(tid);
      out_.Put(",\n    \"ts\": ");
      PutTime(start_ns);
      out_.Put(",\n    \"dur\": ");
      PutDuration(category, start_ns, end_ns);
      out_.Put("\n    ,\n    \"args\": {\n      ");
      return;
    }
    out_.Put("  {\n    \"ph\": \"X\", \"cat\": \"");
    out_.Put(category_name);
    out_.Put(era_ == Era::k1_9 ? "\", \n    \"name\": \"" : "\", \"name\": \"");
    out_.Put(name);
    if (step >= 0) out_.PutInt(step);
    out_.Put("\", \"pid\": ");
    out_.PutInt(pid);
    out_.Put(", \"tid\": ");
    PutTid(tid, stream, false);
    out_.Put(",\n    \"ts\": ");
    PutTime(start_ns);
    out_.Put(", \"dur\": ");
    PutDuration(category, start_ns, end_ns);
    out_.Put(",\n    \"args\": {\n      ");
  }
  void EndArguments() { out_.Put("\n    }"); }
  void PutFlow(char phase, Category category, std::string_view old_name, int64_t id, int pid,
               int tid, bool stream, int64_t ts_ns) {
    Separator();
    ++(phase == 's' ? totals_.starts : totals_.ends)[category];
    const std::string_view category_name = CategoryName(category, era_);
    const std::string_view next = pretty() ? ",\n    " : ", ";
    out_.Put("  {\n    \"ph\": \"");
    out_.Put({&phase, 1});
    out_.Put("\"");
    out_.Put(next);
    out_.Put("\"id\": ");
    out_.PutInt(id);
    out_.Put(next);
    out_.Put("\"pid\": ");
    out_.PutInt(pid);
    out_.Put(next);
    out_.Put("\"tid\": ");
    PutTid(tid, stream, true);
    out_.Put(next);
    out_.Put("\"ts\": ");
    PutTime(ts_ns);
    out_.Put(",\n    \"cat\": \"");
    out_.Put(category_name);
    out_.Put("\"");
    out_.Put(next);
    out_.Put("\"name\": \"");
    out_.Put(era_ == Era::k1_9 ? old_name : category_name);
    out_.Put("\"");
    if (phase == 'f' || era_ == Era::k1_12) {
      out_.Put(next);
      out_.Put("\"bp\": \"e\"");
    }
    if (pretty()) out_.Put("\n    ");
  }
  void PutMetadata(std::string_view name, int pid, int tid, bool stream, std::string_view key,
                   std::string_view value);
  void PutExternalId(const ApiCall& call) {
    // 2022-23 wrote the correlation here, wrongly; readers have to live with it.
    const int64_t id = era_ == Era::k1_12 ? call.correlation : call.external_id;
    if (id == 0 && !options_.legacy()) return;
    out_.Put("\"External id\": ");
    out_.PutInt(id);
    out_.Put(pretty() ? "," : options_.legacy() ? ",\n      " : ",      ");
  }
  void PutCollective(const ApiCall& call);

  const Options& options_;
  Era era_;
  Output& out_;
  Totals totals_;
  int64_t base_ns_ = 0;
  int64_t origin_ns_ = 0;
  int64_t event_index_ = 0;
  std::string ranks_;
};

inline void Emitter::Header(const Model& model) {
  out_.Reserve();
  out_.Put(pretty() ? " {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": ["
                    : "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [");
  const char* device_name = options_.legacy() ? "NVIDIA A100-SXM4-80GB" : "NVIDIA H100 80GB HBM3";
  const int major = options_.legacy() ? 8 : 9;
  for (int i = 0; options_.gpu && i < std::min(8, options_.world); ++i) {
    out_.Reserve();
    std::array<char, 640> text{};
    std::snprintf(
        text.data(), text.size(),
        "%s\n    {\n      \"id\": %d, \"name\": \"%s\", \"totalGlobalMem\": 85018279936,\n"
        "      \"computeMajor\": %d, \"computeMinor\": 0,\n"
        "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
        "      \"regsPerBlock\": 65536, \"warpSize\": 32,\n"
        "      \"sharedMemPerBlock\": 49152, \"numSms\": %d\n"
        "    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
        "\"sharedMemPerMultiprocessor\": 233472\n    }",
        i == 0 ? "" : ",", i, device_name, major, options_.sm_count());
    out_.Put(text.data());
  }
  out_.Put(pretty() ? "],\n    \n" : "\n  ],\n");
  const std::string indent = pretty() ? "      " : "  ";
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    text += indent + "\"" + key + "\": " + value + ",\n";
  };
  if (options_.gpu && !options_.legacy()) {
    line("cupti_version", pretty() ? "28" : "22");
    line("cuda_runtime_version", pretty() ? "13020" : "12040");
    line("cuda_driver_version", pretty() ? "13020" : "12040");
  }
  if (!options_.legacy()) line("trace_id", "\"6A593533EFB940DB94A23FAF66B82D1A\"");
  if (options_.stack) line("with_stack", "1");
  if (options_.memory) line("profile_memory", "1");
  line("record_shapes", "1");
  if (options_.world > 1) {
    std::string info = "{\"backend\": \"nccl\", \"rank\": " + std::to_string(options_.rank) +
                       ", \"world_size\": " + std::to_string(options_.world);
    if (!options_.legacy()) {
      info +=
          ", \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", "
          "\"backend_config\": \"cuda:nccl\", \"pg_size\": " +
          std::to_string(options_.world) + ", \"ranks\": " + ranks_ +
          "}], \"nccl_version\": \"2.27.5\"";
    }
    line("distributedInfo", info + "}");
  }
  if (pretty()) {
    line("host_name", "\"node\"");
    text += "    \"displayTimeUnit\": \"ms\",\n    \"baseTimeNanoseconds\": " +
            std::to_string(base_ns_) + ",\n    \"traceEvents\": [\n    \n";
  } else {
    text += "  \"traceEvents\": [\n";
  }
  out_.Put(text);
  if (pretty()) Metadata(model.options.gpu);
}

inline void Emitter::PutMetadata(std::string_view name, int pid, int tid, bool stream,
                                 std::string_view key, std::string_view value) {
  Separator();
  ++totals_.metadata;
  const std::string_view next = pretty() ? ",\n    " : ", ";
  if (pretty()) {
    out_.Put("  {\n    \"ph\": \"M\",\n    \"name\": \"");
    out_.Put(name);
  } else {
    out_.Put("  {\n    \"name\": \"");
    out_.Put(name);
    out_.Put("\", \"ph\": \"M");
  }
  out_.Put("\"");
  out_.Put(next);
  out_.Put("\"ts\": ");
  PutTime(221333);
  out_.Put(next);
  out_.Put("\"pid\": ");
  out_.PutInt(pid);
  out_.Put(next);
  out_.Put("\"tid\": ");
  if (tid == 0) {
    out_.Put("0");
  } else {
    PutTid(tid, stream, false);
  }
  out_.Put(",\n    \"args\": {\n      \"");
  out_.Put(key);
  out_.Put("\": ");
  out_.Put(value);
  EndArguments();
}

inline void Emitter::Metadata(bool streams_used) {
  PutMetadata("process_name", kMainTid, 0, false, "name", "\"python\"");
  PutMetadata("process_labels", kMainTid, 0, false, "labels", "\"CPU\"");
  PutMetadata("process_sort_index", kMainTid, 0, false, "sort_index", std::to_string(kMainTid));
  if (streams_used) {
    for (int i = 0; i < 8; ++i) {
      PutMetadata("process_name", i, 0, false, "name", "\"python\"");
      PutMetadata("process_labels", i, 0, false, "labels", "\"GPU " + std::to_string(i) + "\"");
      PutMetadata("process_sort_index", i, 0, false, "sort_index", std::to_string(16777216 + i));
    }
    for (const int stream : {kComputeStream, kCommunicationStream}) {
      if (stream == kCommunicationStream && !options_.distributed()) continue;
      PutMetadata("thread_name", device(), stream, true, "name",
                  "\"stream " + std::to_string(stream) + " \"");
      PutMetadata("thread_sort_index", device(), stream, true, "sort_index",
                  std::to_string(stream));
    }
  }
  PutMetadata("thread_name", kMainTid, kMainTid, false, "name",
              "\"thread " + std::to_string(kMainTid) + " (python)\"");
  PutMetadata("thread_sort_index", kMainTid, kMainTid, false, "sort_index",
              std::to_string(kMainTid));
  if (streams_used) {
    PutMetadata("thread_name", kMainTid, kAutogradTid, false, "name",
                "\"thread " + std::to_string(kAutogradTid) + " (pt_autograd_0)\"");
    PutMetadata("thread_sort_index", kMainTid, kAutogradTid, false, "sort_index",
                std::to_string(kAutogradTid));
  }
}

inline void Emitter::Host(const HostRange& range, int tid) {
  const Category category = range.site->annotation ? kUserAnnotation : kCpuOp;
  BeginRange(category, range.site->name, kMainTid, tid, false, range.start_ns, range.end_ns,
             range.step);
  if (era_ == Era::k1_9) {
    out_.Put("\"Device\": ");
    out_.PutInt(kMainTid);
    out_.Put(", \"External id\": ");
    out_.PutInt(range.external_id);
    out_.Put(",\n      \"Trace name\": \"PyTorch Profiler\", \"Trace iteration\": 0 ");
    if (!range.site->inputs.empty()) {
      out_.Put(",\n      ");
      out_.Put(range.site->inputs);
    }
    if (options_.stack && tid == kMainTid) {
      out_.Put(
          ", \"Call stack\": "
          "\"/opt/conda/lib/python3.7/site-packages/torch/nn/functional.py(1753): linear;"
          "/opt/conda/lib/python3.7/site-packages/torch/nn/modules/module.py(889): "
          "_call_impl;model.py(104): "
          "forward;train.py(148): main;train.py(212): <module>\"");
    }
    if (range.sequence >= 0) {
      out_.Put(", \"Fwd thread id\": ");
      out_.PutInt(range.forward_thread);
      out_.Put(", \"Sequence number\": ");
      out_.PutInt(range.sequence);
    }
  } else if (era_ == Era::k1_12) {
    out_.Put(
        "\"Trace name\": \"PyTorch Profiler\", \"Trace iteration\": 0,\n      \"External id\": ");
    out_.PutInt(range.external_id);
    out_.Put(",\n      \"Profiler Event Index\": ");
    out_.PutInt(event_index_++);
    if (range.sequence >= 0) {
      out_.Put(", \"Fwd thread id\": ");
      out_.PutInt(range.forward_thread);
      out_.Put(", \"Sequence number\": ");
      out_.PutInt(range.sequence);
    }
    if (!range.site->inputs.empty()) {
      out_.Put(", ");
      out_.Put(range.site->inputs);
    }
  } else {
    out_.Put("\"External id\": ");
    out_.PutInt(range.external_id);
    out_.Put(",");
    if (range.sequence >= 0) {
      out_.Put("\"Sequence number\": ");
      out_.PutInt(range.sequence);
      out_.Put(", \"Fwd thread id\": ");
      out_.PutInt(range.forward_thread);
      out_.Put(", ");
    }
    out_.Put("\"Record function id\": 0, ");
    if (range.communication) {
      out_.Put("\"Process Group Name\": \"0\", \"Process Group Ranks\": \"");
      out_.Put(ranks_);
      out_.Put("\", \"Group size\": ");
      out_.PutInt(options_.world);
      out_.Put(
          ", \"Global rank start\": 0, \"Global rank stride\": 1, \"In split size\": \"[]\", \"Out "
          "split size\": "
          "\"[]\", \"dtype\": \"BFloat16\", \"Process Group Description\": \"default_pg\", "
          "\"Collective name\": \"allreduce\", ");
    }
    if (!range.site->inputs.empty()) {
      out_.Put(range.site->inputs);
      out_.Put(", ");
    }
    out_.Put("\"Ev Idx\": ");
    out_.PutInt(event_index_++);
  }
  EndArguments();
  if (range.flow != Flow::kNone) {
    PutFlow(range.flow == Flow::kForward ? 's' : 'f', kForwardBackward, "forward_backward",
            range.flow_id, kMainTid, tid, false, range.start_ns);
  }
}

inline void Emitter::Python(const PythonRange& range) {
  BeginRange(kPythonFunction, range.site->name, kMainTid, kMainTid, false, range.start_ns,
             range.end_ns);
  if (pretty()) {
    out_.Put("\"CallFrom\": \"");
    out_.Put(range.site->call_from);
    out_.Put("\", ");
  }
  if (range.parent_id != 0) {
    out_.Put("\"Python parent id\": ");
    out_.PutInt(range.parent_id);
    out_.Put(", ");
  }
  out_.Put("\"Python id\": ");
  out_.PutInt(range.id);
  if (range.site->module_id >= 0) {
    out_.Put(", \"Python module id\": ");
    out_.PutInt(range.site->module_id);
  }
  out_.Put(era_ == Era::k1_12 ? ", \"Profiler Event Index\": " : ", \"Ev Idx\": ");
  out_.PutInt(event_index_++);
  EndArguments();
}

inline void Emitter::PutCollective(const ApiCall& call) {
  if (options_.legacy()) return;
  const int64_t elements = call.device->elements;
  std::array<char, 512> text{};
  const int length =
      std::snprintf(text.data(), text.size(),
                    ", \"Collective name\": \"allreduce\", \"In msg nelems\": %" PRId64
                    ", \"Out msg nelems\": %" PRId64
                    ", \"Group size\": %d, \"dtype\": \"BFloat16\", \"In split size\": \"[]\", "
                    "\"Out split size\": \"[]\", "
                    "\"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", "
                    "\"Process Group Ranks\": \"",
                    elements, elements, options_.world);
  out_.Put({text.data(), static_cast<size_t>(length)});
  out_.Put(ranks_);
  out_.Put("\"");
  if (pretty()) {
    out_.Put(", \"Rank\": ");
    out_.PutInt(options_.rank);
    out_.Put(", \"Seq\": ");
    out_.PutInt(call.collective_sequence);
    // Above the largest int64, as real identifiers are.
    out_.Put(", \"Comms Id\": 16239471023849234712");
  }
}

inline void Emitter::Device(const ApiCall& call) {
  const std::string_view next = pretty() ? ", " : options_.legacy() ? ",\n      " : ",      ";
  if (call.device != nullptr) {
    const DeviceSite& site = *call.device;
    const Category category = site.kind == DeviceSite::Kind::kKernel   ? kKernel
                              : site.kind == DeviceSite::Kind::kMemcpy ? kMemcpy
                                                                       : kMemset;
    BeginRange(category, site.name, device(), call.stream, true, call.device_start_ns,
               call.device_end_ns);
    if (era_ != Era::k1_9) PutExternalId(call);
    if (category == kKernel) out_.Put("\"queued\": 0, ");
    out_.Put("\"device\": ");
    out_.PutInt(device());
    out_.Put(", \"context\": 1");
    out_.Put(next);
    out_.Put("\"stream\": ");
    out_.PutInt(call.stream);
    out_.Put(", \"correlation\": ");
    out_.PutInt(call.correlation);
    if (era_ == Era::k1_9) {
      out_.Put(", \"external id\": ");
      out_.PutInt(call.external_id);
    }
    out_.Put(next);
    if (category == kKernel) {
      out_.Put(site.properties);
      if (call.collective_sequence >= 0) PutCollective(call);
    } else {
      out_.Put("\"bytes\": ");
      out_.PutInt(site.bytes);
      std::array<char, 64> text{};
      const int length =
          std::snprintf(text.data(), text.size(), ", \"memory bandwidth (GB/s)\": %.16g",
                        static_cast<double>(site.bytes) /
                            static_cast<double>(call.device_end_ns - call.device_start_ns));
      out_.Put({text.data(), static_cast<size_t>(length)});
    }
    EndArguments();
    PutFlow('f', kLaunchFlow, "launch", call.correlation, device(), call.stream, true,
            call.device_start_ns);
  }
  BeginRange(call.site->driver ? kDriver : kRuntime, call.site->name, kMainTid, call.tid, false,
             call.start_ns, call.end_ns);
  if (era_ != Era::k1_9) PutExternalId(call);
  out_.Put("\"cbid\": ");
  out_.PutInt(call.site->cbid);
  out_.Put(", \"correlation\": ");
  out_.PutInt(call.correlation);
  if (era_ == Era::k1_9) {
    out_.Put(",\n      \"external id\": ");
    out_.PutInt(call.external_id);
    out_.Put(", \"external ts\": ");
    PutTime(call.start_ns);
  }
  EndArguments();
  if (call.device != nullptr) {
    PutFlow('s', kLaunchFlow, "launch", call.correlation, kMainTid, call.tid, false, call.start_ns);
  } else if (!options_.legacy()) {  // Kineto ends a flow that never started here
    PutFlow('f', kLaunchFlow, "launch", call.correlation, kMainTid, call.tid, false, call.start_ns);
  }
}

inline void Emitter::Annotation(const DeviceAnnotation& annotation) {
  if (era_ == Era::k1_9) return;
  const int64_t widened = options_.nanoseconds() ? 1 : 0;
  BeginRange(kGpuAnnotation, annotation.site->name, device(), kComputeStream, true,
             annotation.start_ns - widened, annotation.end_ns + widened, annotation.step);
  out_.Put("\"External id\": ");
  out_.PutInt(annotation.external_id);
  EndArguments();
}

inline void Emitter::Memory(const MemoryEvent& event) {
  Separator();
  ++totals_.instants[kMemory];
  if (pretty()) {
    out_.Put(
        "  {\n    \"ph\": \"i\",\n    \n    \"cat\": \"cpu_instant_event\",\n    \"s\": \"t\",\n"
        "    \"name\": \"[memory]\",\n    \"pid\": ");
  } else if (era_ == Era::k1_9) {
    out_.Put("  {\n    \"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\",\n    \"pid\": ");
  } else {
    out_.Put(
        "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
        "\"[memory]\",\n    \"pid\": ");
  }
  out_.PutInt(kMainTid);
  out_.Put(pretty() ? ",\n    \"tid\": " : ", \"tid\": ");
  out_.PutInt(event.tid);
  out_.Put(",\n    \"ts\": ");
  PutTime(event.ts_ns);
  out_.Put(pretty() ? "\n    ,\n    \"args\": {\n      " : ",\n    \"args\": {\n      ");
  if (era_ == Era::k1_9) {
    out_.Put(event.device ? "\"Device Type\": 1, \"Device Id\": "
                          : "\"Device Type\": 0, \"Device Id\": ");
    out_.PutInt(event.device ? device() : -1);
    out_.Put(", \"Bytes\": ");
    out_.PutInt(event.bytes);
    EndArguments();
    return;
  }
  out_.Put("\"Total Reserved\": ");
  out_.PutInt(event.total_reserved);
  out_.Put(", \"Total Allocated\": ");
  out_.PutInt(event.total_allocated);
  out_.Put(", \"Bytes\": ");
  out_.PutInt(event.bytes);
  out_.Put(", \"Device Id\": ");
  out_.PutInt(event.device ? device() : -1);
  out_.Put(event.device ? ", \"Device Type\": 1, \"Addr\": " : ", \"Device Type\": 0, \"Addr\": ");
  out_.PutInt(event.address);
  if (pretty()) out_.Put(", \"finished\": false");
  out_.Put(era_ == Era::k1_12 ? ", \"Profiler Event Index\": " : ", \"Ev Idx\": ");
  out_.PutInt(event_index_++);
  EndArguments();
}

inline void Emitter::Overhead(int64_t ts_ns, int64_t duration_ns) {
  if (options_.legacy()) return;
  Separator();
  ++totals_.ranges[kOverhead];
  const std::string_view next = pretty() ? ",\n    " : ", ";
  out_.Put("  {\n    \"ph\": \"X\"");
  out_.Put(next);
  out_.Put("\"cat\": \"overhead\"");
  out_.Put(next);
  out_.Put("\"name\": \"Buffer Flush\"");
  out_.Put(next);
  out_.Put("\"pid\": -1");
  out_.Put(next);
  out_.Put("\"tid\": 0,\n    \"ts\": ");
  PutTime(ts_ns);
  out_.Put(next);
  out_.Put("\"dur\": ");
  PutDuration(kOverhead, ts_ns, ts_ns + duration_ns);
  if (pretty()) out_.Put("\n    ");
}

inline void Emitter::Footer(int64_t end_ns) {
  if (!pretty()) Metadata(options_.gpu);
  const std::string_view next = pretty() ? ",\n    " : ", ";
  Separator();
  ++totals_.ranges[kTrace];
  out_.Put("  {\n    \"ph\": \"X\"");
  out_.Put(next);
  out_.Put("\"cat\": \"Trace\"");
  out_.Put(next);
  out_.Put("\"name\": \"PyTorch Profiler (0)\"");
  out_.Put(next);
  out_.Put(era_ == Era::k1_9 ? "\"pid\": \"Traces\"" : "\"pid\": \"Spans\"");
  out_.Put(next);
  out_.Put("\"tid\": \"PyTorch Profiler\",\n    \"ts\": ");
  PutTime(0);
  out_.Put(next);
  out_.Put("\"dur\": ");
  PutDuration(kTrace, 0, end_ns);
  out_.Put(pretty() ? "\n    ,\n    \"args\": {\n      \"Op count\": 0"
                    : ",\n    \"args\": {\n      \"Op count\": 0");
  EndArguments();
  const auto instant = [&](std::string_view name, std::string_view pid, std::string_view tid,
                           int64_t ts_ns) {
    Separator();
    ++totals_.instants[kNoCategory];
    out_.Put(pretty() ? "  {\n    \"ph\": \"i\",\n    \n    \"s\": \"g\",\n    \"name\": \""
                      : "  {\n    \"ph\": \"i\", \"s\": \"g\", \"name\": \"");
    out_.Put(name);
    out_.Put("\",\n    \"pid\": \"");
    out_.Put(pid);
    out_.Put(pretty() ? "\",\n    \"tid\": \"" : "\", \"tid\": \"");
    out_.Put(tid);
    out_.Put(pretty() ? "\",\n    \"ts\": " : "\", \"ts\": ");
    PutTime(ts_ns);
    if (pretty()) out_.Put("\n    ");
  };
  instant("Iteration Start: PyTorch Profiler", "Traces", "Trace PyTorch Profiler", 0);
  instant("Record Window End", "", "", end_ns + 29'159'489);
  const std::string name = "rank" + std::to_string(options_.rank) + ".pt.trace.json";
  out_.Put("\n  }\n  ]");
  switch (era_) {
    case Era::kNew:
      out_.Put(",\"traceName\": \"" + name + "\" }");
      break;
    case Era::k2_4:
      out_.Put(",\n  \"traceName\": \"" + name +
               "\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": " +
               std::to_string(base_ns_) + "\n}");
      break;
    case Era::k2_4Absolute:
      out_.Put(",\n  \"traceName\": \"" + name + "\",\n  \"displayTimeUnit\": \"ns\"\n}");
      break;
    case Era::k1_12:
      out_.Put(",\n  \"traceName\": \"" + name + "\"\n}");
      break;
    case Era::k1_9:
      out_.Put("}");
      break;
  }
  out_.Put("\n");
}

}  // namespace generator

#endif  // TESTS_GENERATORS_TRACE_WRITER_H_
