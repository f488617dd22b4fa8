// SPDX-License-Identifier: Apache-2.0
// Passes on what the program prints: to the user, byte by byte as it came, and to the log, line by
// line. A thread of its own, because a user who does not read makes it wait, as the program would
// without us.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "collect/files.h"
#include "collect/line_folder.h"
#include "collect/program.h"

namespace telltale {

class OutputPump {
 public:
  // `streams` belong to the pump's thread from Start on. `log` may be none. `on_user_left`, from
  // that thread: nobody reads output `index` any more; true: so the program shall notice.
  OutputPump(ProgramStreams& streams, GrowingFile* log,
             std::function<bool(size_t index)> on_user_left);
  OutputPump(const OutputPump&) = delete;
  OutputPump& operator=(const OutputPump&) = delete;
  // Waits for the end of all output.
  ~OutputPump();

  void Start();
  // The program has ended: returns when all that it had printed was passed on. Processes that it
  // left behind may print more.
  void Drain();
  // Nobody holds the other ends any more.
  [[nodiscard]] bool at_end() const { return at_end_; }
  // Ends the thread although there may be more to come.
  void Stop();

 private:
  void Loop();
  // False: there is nothing now.
  bool Pass(size_t index);
  void ToUser(size_t index, std::string_view bytes);
  void Wake();

  ProgramStreams& streams_;
  GrowingFile* log_;
  std::function<bool(size_t)> on_user_left_;
  std::array<LineFolder, 3> folders_;
  std::array<bool, 3> user_left_ = {};
  std::unique_ptr<char[]> buffer_;
  std::string lines_;
  FileDescriptor wake_;

  std::atomic<bool> at_end_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> drain_ = false;
  std::mutex mutex_;
  std::condition_variable drained_changed_;
  bool drained_ = false;
  std::thread thread_;
};

}  // namespace telltale
