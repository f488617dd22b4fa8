// SPDX-License-Identifier: Apache-2.0
// The process that records a run: starts the program, passes on and keeps what it prints, takes in
// what its processes record, samples the machine, and writes the run's folder. guard.h tells how
// it is started and what happens when it is killed.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collect/announcements.h"
#include "collect/environment.h"
#include "collect/files.h"
#include "collect/git_facts.h"
#include "collect/machine_sampler.h"
#include "collect/output_pump.h"
#include "collect/program.h"
#include "collect/program_state.h"
#include "collect/run_folder.h"
#include "collect/run_keeper.h"
#include "collect/run_record.h"
#include "collect/stack_sampler.h"

namespace telltale {

// What was decided before anything starts.
struct RecordPlan {
  std::vector<std::string> command;
  std::string program;      // the file to execute
  Environment environment;  // of the program
  RunFolder folder;
  RunRecord record;    // as it is at the start
  std::string script;  // to be copied; empty: none
  bool keeps_logs = true;
  bool asks_git = true;
  bool samples_machine = true;
  int64_t interval_ns = 1'000'000'000;
  int64_t sample_period_ns = 0;  // of the stacks; 0: they are not sampled
};

class Collector {
 public:
  // `mask`: of signals, for the program.
  Collector(const RecordPlan& plan, ProgramStreams streams, FileDescriptor control,
            ProgramState& state, const sigset_t& mask);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  ~Collector();

  // From the start of the program to the written run, and on until nobody prints or records any
  // more. A program that an earlier collector started is gone on with. The process's exit code.
  int Run();

 private:
  bool Start();
  void Adopt(pid_t program);
  void Loop();
  void TakeControl();
  void LookAfterProgram();
  void Tick();
  void Finish();
  void Linger();
  void CopyScript();
  void BeginGit();
  void EndGit(int64_t patience_ns);
  [[nodiscard]] RunStatus StatusAtEnd() const;  // by status_
  [[nodiscard]] std::string LineForUser() const;
  void Say(std::string_view sentence) const;

  RecordPlan plan_;
  ProgramStreams streams_;
  FileDescriptor control_;  // invalid: the front is gone
  ProgramState& state_;
  sigset_t mask_;
  RawTerminal user_terminal_;  // as the front left it
  std::atomic<bool> terminal_is_raw_;
  Trouble trouble_;
  GrowingFile log_;
  std::optional<RunLock> lock_;
  FileDescriptor children_;     // SIGCHLD
  FileDescriptor program_end_;  // a pidfd, of an adopted program
  int64_t gone_ns_ = 0;         // since when that has been gone
  std::unique_ptr<OutputPump> pump_;
  std::thread git_thread_;
  std::thread leftovers_thread_;
  std::shared_ptr<struct GitTask> git_;

  std::unique_ptr<RunKeeper> keeper_;
  std::unique_ptr<Announcements> announcements_;
  std::unique_ptr<MachineSampler> sampler_;
  std::unique_ptr<StackSampler> stacks_;
  pid_t program_ = -1;
  bool is_parent_ = true;
  bool ended_ = false;
  std::optional<int> status_;   // none after the end: nobody saw how
  std::vector<int> forwarded_;  // signals
};

}  // namespace telltale
