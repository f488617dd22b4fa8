// SPDX-License-Identifier: Apache-2.0
#include "server/event_stream.h"

#include <algorithm>
#include <utility>

namespace telltale {

namespace {

std::string Frame(std::string_view event, std::string_view data) {
  std::string out = "event: ";
  out.reserve(event.size() + data.size() + 32);
  out += event;
  out += '\n';
  // A carriage return ends a line, too.
  while (data.ends_with('\n')) data.remove_suffix(1);
  for (;;) {
    const size_t end = std::min(data.find_first_of("\r\n"), data.size());
    out += "data: ";
    out += data.substr(0, end);
    out += '\n';
    if (end == data.size()) break;
    const bool both = data.substr(end, 2) == "\r\n";
    data.remove_prefix(end + (both ? 2 : 1));
  }
  out += '\n';
  return out;
}

}  // namespace

void EventStream::Publish(std::string_view event, std::string_view data) {
  auto message = std::make_shared<const std::string>(Frame(event, data));
  {
    const std::lock_guard lock(mutex_);
    // What may fail comes first: a value without a message is none yet.
    const auto at = last_.find(event);
    Value& value = at != last_.end() ? at->second : last_[std::string(event)];
    recent_.push_back(message);
    recent_bytes_ += message->size();
    value = {next_, std::move(message)};
    ++next_;
    while (recent_.size() > kMostKept || (recent_bytes_ > kMostKeptBytes && recent_.size() > 1)) {
      recent_bytes_ -= recent_.front()->size();
      recent_.pop_front();
    }
  }
  const std::lock_guard lock(listener_mutex_);
  if (listener_) listener_();
}

EventStream::Batch EventStream::Since(uint64_t cursor) const {
  const std::lock_guard lock(mutex_);
  Batch batch;
  batch.next = next_;
  const uint64_t oldest = next_ - recent_.size();
  if (cursor != 0 && cursor >= oldest) {
    for (uint64_t number = cursor; number < next_; ++number) {
      batch.messages.push_back(recent_[number - oldest]);
    }
    return batch;
  }
  std::vector<Value> values;
  for (const auto& [event, value] : last_) {
    if (value.message != nullptr && value.number >= cursor) values.push_back(value);
  }
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return a.number < b.number; });
  for (Value& value : values) batch.messages.push_back(std::move(value.message));
  return batch;
}

void EventStream::Listen(std::function<void()> listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

}  // namespace telltale
