// SPDX-License-Identifier: Apache-2.0
// Recording from inside a training program, in C++: telltale.h with scopes, names that are looked
// up once, and text as string_view. Nothing but inline functions; C++17. SummaryWriter is in
// summary_writer.hpp, which this includes.
//
//   for (int64_t step = 0; step < steps; ++step) {
//     telltale::StepScope scope(step);
//     { TELLTALE_SPAN("forward"); loss = Forward(batch); }
//     telltale::Log("train/loss", loss, step);
//   }
#pragma once

#include <telltale/telltale.h>
#include <telltale/summary_writer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace telltale {

// A name that is looked up when it is first needed while something is recorded. May be a static
// variable: constant initialization, and the same number forever.
class Name {
 public:
  constexpr explicit Name(std::string_view text) : text_(text) {}  // which must live as long
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  [[nodiscard]] uint32_t number() {
    uint32_t number = number_.load(std::memory_order_relaxed);
    if (number == 0) {
      number = telltale_name(text_.data(), text_.size());
      number_.store(number, std::memory_order_relaxed);
    }
    return number;
  }

 private:
  std::string_view text_;
  std::atomic<uint32_t> number_{0};
};

// A span from here to the end of the block.
class Span {
 public:
  explicit Span(Name& name) : is_recorded_(telltale_recording() != 0) {
    if (is_recorded_) telltale_span_begin(name.number());
  }
  // Looks the name up each time.
  explicit Span(std::string_view name) : is_recorded_(telltale_recording() != 0) {
    if (is_recorded_) telltale_span_begin(telltale_name(name.data(), name.size()));
  }
  ~Span() {
    if (is_recorded_) telltale_span_end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  bool is_recorded_;
};

#define TELLTALE_JOIN_(a, b) a##b
#define TELLTALE_NAMED_(a, b) TELLTALE_JOIN_(a, b)
// TELLTALE_SPAN("forward"); — the text must be a literal. Two in one line are no use: they would
// have one name.
#define TELLTALE_SPAN(text)                                                \
  static ::telltale::Name TELLTALE_NAMED_(telltale_name_, __LINE__){text}; \
  const ::telltale::Span TELLTALE_NAMED_(telltale_span_, __LINE__) {       \
    TELLTALE_NAMED_(telltale_name_, __LINE__)                              \
  }

// A point of a curve. With a Name the tag is looked up once.
inline void Log(Name& tag, double value, int64_t step = TELLTALE_NO_STEP) {
  if (telltale_recording() != 0) telltale_scalar(tag.number(), value, step);
}
inline void Log(std::string_view tag, double value, int64_t step = TELLTALE_NO_STEP) {
  if (telltale_recording() != 0)
    telltale_scalar(telltale_name(tag.data(), tag.size()), value, step);
}
inline void LogText(std::string_view tag, std::string_view text, int64_t step = TELLTALE_NO_STEP) {
  if (telltale_recording() == 0) return;
  telltale_text(telltale_name(tag.data(), tag.size()), text.data(), text.size(), step);
}
// A fact as JSON: Note("config", R"({"lr": 0.1})").
inline void Note(const char* key, std::string_view json) {
  telltale_note(key, json.data(), json.size());
}
inline void Instant(Name& name) {
  if (telltale_recording() != 0) telltale_instant(name.number());
}

// A quantity that is shown along the spans: telltale::Counter queue("queue"); queue.Set(3);
class Counter {
 public:
  constexpr explicit Counter(std::string_view name) : name_(name) {}
  void Set(double value) {
    if (telltale_recording() != 0) telltale_counter(name_.number(), value);
  }

 private:
  Name name_;
};

// A step of the training from here to the end of the block.
class StepScope {
 public:
  explicit StepScope(int64_t step) : step_(step) { telltale_step_begin(step); }
  ~StepScope() { telltale_step_end(step_, data_wait_ns_); }
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

  // So much of the step was waiting for data; several calls add up.
  void AddDataWait(std::chrono::nanoseconds wait) {
    data_wait_ns_ = (data_wait_ns_ < 0 ? 0 : data_wait_ns_) + wait.count();
  }

 private:
  int64_t step_;
  int64_t data_wait_ns_ = -1;
};

// All of it at once, for programs that are not started by `telltale run`: telltale::Session
// session("runs/one");
class Session {
 public:
  // Null: $TELLTALE_RUN_DIR.
  explicit Session(const char* run_dir = nullptr) : is_recording_(telltale_start(run_dir) != 0) {}
  ~Session() { telltale_stop(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  [[nodiscard]] bool is_recording() const { return is_recording_; }

 private:
  bool is_recording_;
};

}  // namespace telltale
