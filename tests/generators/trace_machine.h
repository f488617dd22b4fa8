// SPDX-License-Identifier: Apache-2.0
//
// The simulated machine of the trace generator and the records it leaves behind: host time,
// launches and streams, a caching allocator. What runs on it is in trace_training.h.

#ifndef TESTS_GENERATORS_TRACE_MACHINE_H_
#define TESTS_GENERATORS_TRACE_MACHINE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace_model.h"
#include "trace_options.h"

namespace generator {

enum class Flow : uint8_t { kNone, kForward, kBackward };

struct HostRange {
  const OpSite* site;
  int64_t start_ns;
  int64_t end_ns;
  int64_t external_id;
  int64_t sequence;  // -1: none recorded
  int64_t flow_id;
  int step;  // of a ProfilerStep annotation, else -1
  int forward_thread;
  Flow flow;
  bool communication;
};

struct PythonRange {
  const PythonSite* site;
  int64_t start_ns;
  int64_t end_ns;
  int64_t id;
  int64_t parent_id;
};

struct ApiCall {
  const ApiSite* site;
  const DeviceSite* device;  // null: the call starts nothing on the device
  int64_t start_ns;
  int64_t end_ns;
  int64_t device_start_ns;
  int64_t device_end_ns;
  int64_t correlation;
  int64_t external_id;
  int64_t collective_sequence;  // -1: not a collective
  int stream;
  int tid;
};

struct MemoryEvent {
  int64_t ts_ns;
  int64_t address;
  int64_t bytes;
  int64_t total_allocated;
  int64_t total_reserved;
  int tid;
  bool device;
};

struct DeviceAnnotation {
  const OpSite* site;
  int step;
  int64_t start_ns;
  int64_t end_ns;
  int64_t external_id;
};

struct StepBuffer {
  std::vector<HostRange> main_ranges;
  std::vector<HostRange> autograd_ranges;
  std::vector<PythonRange> python_ranges;
  std::vector<ApiCall> api_calls;
  std::vector<MemoryEvent> memory_events;
  std::vector<DeviceAnnotation> device_annotations;
  std::vector<int64_t> collective_ends_ns;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t data_loader_ns = 0;

  void Clear() {
    main_ranges.clear();
    autograd_ranges.clear();
    python_ranges.clear();
    api_calls.clear();
    memory_events.clear();
    device_annotations.clear();
    collective_ends_ns.clear();
  }
};

constexpr int kMainTid = 11500;
constexpr int kAutogradTid = 11712;

// A host with two threads, a device with two streams and an allocator, driven by what a derived
// class does in each step.
class Machine {
 public:
  // All ranks draw the same random numbers, and no rank is slower than `rank == world - 1`. As
  // every time is a maximum of sums, the other ranks reach each collective no later than it does,
  // and leave with it.
  Machine(const Model& model, int rank)
      : model_(model),
        options_(model.options),
        random_(options_.seed),
        rank_(rank),
        rank_speed_(
            rank == options_.world - 1
                ? 1.0
                : 0.93 + 0.05 *
                             static_cast<double>(
                                 Mix(options_.seed * 977 + static_cast<uint64_t>(rank)) % 1000) /
                             1000.0),
        queue_ends_ns_(kLaunchQueueDepth, 0) {
    python_stack_.push_back(0);
    external_stack_.push_back(0);
    // Parameters in bf16, their float master copies and two moments.
    total_allocated_ = options_.gpu ? 14 * model.layer_parameters * model.layers : 0;
    total_reserved_ = total_allocated_ + (64LL << 20);
  }

  // The time now, before the first step: frames that enclose all steps start here.
  int64_t now_ns() const { return now_ns_; }
  int64_t device_end_ns() const { return std::max(compute_free_ns_, communication_free_ns_); }

  // The three frames around all steps take the first Python ids.
  void EnterEnclosingFrames(std::vector<PythonRange>& frames) {
    if (!options_.stack) return;
    for (const PythonSite* site :
         {&model_.module_script, &model_.main_function, &model_.train_epoch}) {
      Tick(600);
      frames.push_back({site, now_ns_, 0, ++python_id_, python_stack_.back()});
      python_stack_.push_back(python_id_);
    }
  }
  void Finish() { Tick(4000); }

 protected:
  // Host time.
  void Tick(int64_t ns) {
    const uint32_t r = random_.Next();
    now_ns_ += ns - ns / 4 + ((ns / 2 * static_cast<int64_t>(r & 0xFFFF)) >> 16) + 1;
    if ((r >> 23) == 0) now_ns_ += ns * 5;  // one in 512: a cache miss, an interrupt
  }

  template <typename Body>
  void Py(const PythonSite& site, Body body) {
    if (!options_.stack) {
      Tick(150);
      body();
      return;
    }
    Tick(140);
    const size_t index = buffer_->python_ranges.size();
    buffer_->python_ranges.push_back({&site, now_ns_, 0, ++python_id_, python_stack_.back()});
    python_stack_.push_back(python_id_);
    Tick(220);
    body();
    Tick(160);
    python_stack_.pop_back();
    buffer_->python_ranges[index].end_ns = now_ns_;
  }
  void PyLeaf(const PythonSite& site) {
    Py(site, [] {});
  }
  void PyLeaf(const PythonSite& site, int count) {
    for (int i = 0; i < count; ++i) PyLeaf(site);
  }

  struct Link {
    int64_t sequence = -1;
    int64_t flow_id = 0;
    Flow flow = Flow::kNone;
    int forward_thread = 0;
  };
  template <typename Body>
  void Op(const OpSite& site, const Link& link, Body body, int step = -1,
          bool communication = false) {
    Tick(site.annotation ? 900 : 420);
    std::vector<HostRange>& ranges = on_autograd_ ? buffer_->autograd_ranges : buffer_->main_ranges;
    const size_t index = ranges.size();
    const int64_t external_id = ++external_id_;
    ranges.push_back({&site, now_ns_, 0, external_id, link.sequence, link.flow_id, step,
                      link.forward_thread, link.flow, communication});
    external_stack_.push_back(external_id);
    Tick(520);
    body();
    Tick(260);
    external_stack_.pop_back();
    ranges[index].end_ns = now_ns_;
  }
  template <typename Body>
  void Op(const OpSite& site, Body body) {
    Op(site, Link{}, body);
  }
  void OpLeaf(const OpSite& site) {
    Op(site, [] {});
  }

  // An annotation that is shown on the device too, around the kernels launched inside it.
  template <typename Body>
  void Annotate(const OpSite& site, Body body, int step = -1) {
    const size_t first_call = buffer_->api_calls.size();
    const int64_t external_id = external_id_ + 1;
    Op(site, Link{}, body, step);
    int64_t first_ns = INT64_MAX;
    int64_t last_ns = 0;
    for (size_t i = first_call; i < buffer_->api_calls.size(); ++i) {
      const ApiCall& call = buffer_->api_calls[i];
      if (call.device == nullptr || call.stream != kComputeStream) continue;
      first_ns = std::min(first_ns, call.device_start_ns);
      last_ns = std::max(last_ns, call.device_end_ns);
    }
    if (last_ns != 0)
      buffer_->device_annotations.push_back({&site, step, first_ns, last_ns, external_id});
  }

  // Device.
  int64_t DeviceDuration(const DeviceSite& site) {
    const uint64_t shared = random_.Next();
    const double jitter = 1.0 + 0.06 * static_cast<double>(shared & 0xFFFF) / 65536.0;
    const double own =
        rank_speed_ == 1.0
            ? 1.0
            : 1.0 - 0.02 *
                        static_cast<double>(Mix(static_cast<uint64_t>(correlation_) * 31 +
                                                static_cast<uint64_t>(rank_)) &
                                            0xFFFF) /
                        65536.0;
    return std::max<int64_t>(500, static_cast<int64_t>(static_cast<double>(site.duration_ns) *
                                                       jitter * rank_speed_ * own));
  }

  ApiCall& Call(const ApiSite& api) {
    Tick(260);
    const int tid = on_autograd_ ? kAutogradTid : kMainTid;
    buffer_->api_calls.push_back(
        {&api, nullptr, now_ns_, 0, 0, 0, ++correlation_, external_stack_.back(), -1, 0, tid});
    Tick(api.cost_ns);
    ApiCall& call = buffer_->api_calls.back();
    call.end_ns = now_ns_;
    return call;
  }
  void Api(const ApiSite& api) {
    if (options_.gpu) Call(api);
  }
  void Launch(const ApiSite& api, const DeviceSite& site) {
    if (!options_.gpu) {  // the host does the work, far more slowly
      now_ns_ += DeviceDuration(site) * 6;
      return;
    }
    ApiCall& call = Call(api);
    int64_t& oldest_ns = queue_ends_ns_[queue_position_++ % kLaunchQueueDepth];
    if (oldest_ns > call.end_ns) {
      call.end_ns = oldest_ns + 900;
      now_ns_ = call.end_ns;
    }
    call.device = &site;
    call.stream = kComputeStream;
    call.device_start_ns =
        std::max(call.end_ns + 700 + static_cast<int64_t>(random_.Next() & 0x1FF),
                 compute_free_ns_ + 640 + static_cast<int64_t>(random_.Next() & 0xFF));
    call.device_end_ns = call.device_start_ns + DeviceDuration(site);
    compute_free_ns_ = call.device_end_ns;
    oldest_ns = call.device_end_ns;
  }
  void LaunchKernel(const DeviceSite& site) { Launch(model_.launch_kernel, site); }
  void LaunchAllReduce(const std::vector<int64_t>* collective_ends_ns) {
    Api(model_.event_record);
    Api(model_.stream_wait_event);
    ApiCall& call = Call(options_.legacy() ? model_.launch_kernel : model_.launch_kernel_ex);
    const double gigabytes_per_second = options_.scenario == Scenario::kCommunication ? 9.0 : 180.0;
    const int64_t bytes = model_.layer_parameters * 2;
    const int64_t transfer_ns =
        18000 +
        static_cast<int64_t>(static_cast<double>(bytes) * 2.0 * (options_.world - 1) /
                             options_.world / gigabytes_per_second) +
        static_cast<int64_t>(random_.Next() & 0x3FFF);
    call.device = &model_.nccl_kernel;
    call.stream = kCommunicationStream;
    call.collective_sequence = ++collective_sequence_;
    call.device_start_ns =
        std::max({call.end_ns + 900, communication_free_ns_ + 800, compute_free_ns_ + 1500});
    call.device_end_ns = call.device_start_ns + transfer_ns;
    if (collective_ends_ns != nullptr) {
      call.device_end_ns =
          std::max(call.device_end_ns, (*collective_ends_ns)[buffer_->collective_ends_ns.size()]);
    }
    buffer_->collective_ends_ns.push_back(call.device_end_ns);
    communication_free_ns_ = call.device_end_ns;
  }
  void WaitForDevice(const ApiSite& api, int64_t until_ns) {
    if (!options_.gpu) return;
    ApiCall& call = Call(api);
    if (until_ns > call.end_ns) {
      call.end_ns = until_ns + 1800;
      now_ns_ = call.end_ns;
    }
  }

  // Memory.
  struct Allocation {
    int64_t address = 0;
    int64_t bytes = 0;
  };
  void RecordMemory(int64_t address, int64_t bytes) {
    total_allocated_ += bytes;
    if (total_allocated_ > total_reserved_) {
      total_reserved_ +=
          std::max<int64_t>(20LL << 20, (bytes + (2LL << 20) - 1) & ~((2LL << 20) - 1));
    }
    if (!options_.memory) return;
    Tick(90);
    buffer_->memory_events.push_back({now_ns_, address, bytes, total_allocated_,
                                      options_.gpu ? total_reserved_ : 0,
                                      on_autograd_ ? kAutogradTid : kMainTid, options_.gpu});
  }
  Allocation Allocate(int64_t bytes) {
    bytes = (bytes + 511) & ~511LL;
    std::vector<int64_t>& free_list = free_lists_[bytes];
    Allocation allocation{0, bytes};
    if (free_list.empty()) {
      allocation.address = next_address_;
      next_address_ += (bytes + (2LL << 20) - 1) & ~((2LL << 20) - 1);
    } else {
      allocation.address = free_list.back();
      free_list.pop_back();
    }
    RecordMemory(allocation.address, bytes);
    return allocation;
  }
  void Free(const Allocation& allocation) {
    if (allocation.bytes == 0) return;
    free_lists_[allocation.bytes].push_back(allocation.address);
    RecordMemory(allocation.address, -allocation.bytes);
  }
  Allocation AllocateIn(const OpSite& site, int64_t bytes) {
    Allocation allocation;
    Op(site, [&] { allocation = Allocate(bytes); });
    return allocation;
  }

  const Model& model_;
  const Options& options_;
  Random random_;
  int rank_;
  double rank_speed_;
  StepBuffer* buffer_ = nullptr;

  int64_t now_ns_ = 250'000;
  bool on_autograd_ = false;
  std::vector<int64_t> python_stack_;
  std::vector<int64_t> external_stack_;
  int64_t python_id_ = 0;
  int64_t external_id_ = 0;
  int64_t correlation_ = 524071;
  int64_t collective_sequence_ = 96;

  std::vector<int64_t> queue_ends_ns_;
  size_t queue_position_ = 0;
  int64_t compute_free_ns_ = 0;
  int64_t communication_free_ns_ = 0;

  std::unordered_map<int64_t, std::vector<int64_t>> free_lists_;
  int64_t next_address_ = 0x7FD200000000;
  int64_t total_allocated_ = 0;
  int64_t total_reserved_ = 0;
};

}  // namespace generator

#endif  // TESTS_GENERATORS_TRACE_MACHINE_H_
