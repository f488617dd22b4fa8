// SPDX-License-Identifier: Apache-2.0
#include "collect/output_pump.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "collect/clock.h"

namespace telltale {

namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

}  // namespace

OutputPump::OutputPump(ProgramStreams& streams, GrowingFile* log,
                       std::function<bool(size_t)> on_user_left)
    : streams_(streams),
      log_(log),
      on_user_left_(std::move(on_user_left)),
      buffer_(std::make_unique<char[]>(kBufferBytes)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

OutputPump::~OutputPump() {
  if (thread_.joinable()) thread_.join();
}

void OutputPump::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void OutputPump::Drain() {
  drain_ = true;
  Wake();
  std::unique_lock lock(mutex_);
  drained_changed_.wait(lock, [this] { return drained_; });
}

void OutputPump::Stop() {
  stop_ = true;
  Wake();
}

void OutputPump::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void OutputPump::Loop() {
  while (!stop_) {
    std::array<pollfd, 4> waits = {};
    size_t open = 0;
    for (size_t i = 0; i < 3; ++i) {
      waits[i] = {streams_.outputs[i].from.get(), POLLIN, 0};
      if (streams_.outputs[i].from.valid()) ++open;
    }
    waits[3] = {wake_.get(), POLLIN, 0};
    if (open == 0) break;
    if (!drain_) ::poll(waits.data(), waits.size(), -1);
    // Read before the flag: what was printed before the program ended is there by then.
    const bool ended = drain_;
    bool more = false;
    for (size_t i = 0; i < 3; ++i) more = Pass(i) || more;
    if (!ended || more) continue;
    {
      const std::scoped_lock lock(mutex_);
      drained_ = true;
    }
    drained_changed_.notify_all();
    drain_ = false;
    uint64_t ignored = 0;
    [[maybe_unused]] const ssize_t count = ::read(wake_.get(), &ignored, sizeof ignored);
  }
  lines_.clear();
  for (LineFolder& folder : folders_) folder.Finish(WallNow(), lines_);
  if (log_ != nullptr) log_->Append(lines_);
  at_end_ = true;
  {
    const std::scoped_lock lock(mutex_);
    drained_ = true;
  }
  drained_changed_.notify_all();
}

bool OutputPump::Pass(size_t index) {
  ProgramOutput& output = streams_.outputs[index];
  if (!output.from.valid()) return false;
  const ssize_t count = ::read(output.from.get(), buffer_.get(), kBufferBytes);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
  if (count <= 0) {  // EIO is how a terminal ends
    output.from = {};
    return false;
  }
  const std::string_view bytes(buffer_.get(), static_cast<size_t>(count));
  if (log_ != nullptr && output.is_logged) {
    lines_.clear();
    folders_[index].Add(bytes, WallNow(), lines_);
    log_->Append(lines_);
  }
  ToUser(index, bytes);
  return true;
}

void OutputPump::ToUser(size_t index, std::string_view bytes) {
  if (user_left_[index]) return;
  ProgramOutput& output = streams_.outputs[index];
  if (WriteAll(output.to, bytes)) return;
  user_left_[index] = true;
  // What is printed to a closed pipe ends a program; it must not live on because we read.
  if (errno == EPIPE && on_user_left_(index)) output.from = {};
}

}  // namespace telltale
