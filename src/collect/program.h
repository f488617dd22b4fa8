// SPDX-License-Identifier: Apache-2.0
// Starting the program: what its standard streams are, and the process itself. Each stream that is
// a terminal of the user's is one for the program, too (a pseudo terminal, with the program's own
// session and process group); others are pipes, or, for input, the user's own.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <termios.h>

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/environment.h"
#include "collect/program_state.h"
#include "io/file_gate.h"

namespace telltale {

// What the program prints comes out of these. Both the front and the collector hold them, so that
// the one can go on where the other was killed; only one of them reads.
struct ProgramOutput {
  FileDescriptor from;  // invalid: there is none, or the user has left
  int to = -1;          // the user's descriptor
  bool is_logged = true;
};

// The user's terminal in raw mode while the program has a terminal of its own: every key goes
// there, and there alone it is echoed and becomes a signal.
class RawTerminal {
 public:
  // Nothing happens unless `file_descriptor` is a terminal and this process is in its foreground.
  void Enter(int file_descriptor);
  void Leave();
  // In another process, after the one that entered was killed. A terminal that somebody else has
  // changed since is left alone.
  void LeaveForKilled() const;
  [[nodiscard]] bool is_raw() const { return is_raw_; }

 private:
  int file_descriptor_ = -1;
  bool is_raw_ = false;
  termios before_ = {};
  termios raw_ = {};
};

struct ProgramStreams {
  FileDescriptor terminal;  // our side of the pseudo terminal, for what the user types; or invalid
  bool has_terminal_input = false;
  RawTerminal user_terminal;
  std::array<ProgramOutput, 3> outputs;  // the terminal, standard output, standard error

  // The program's ends; closed once it runs.
  FileDescriptor program_terminal, program_output, program_error;
  void CloseProgramEnds();
  // Of the outputs that were left (program_state.h).
  void LetGo(const ProgramState& state);
};

// By what this process's own streams are.
[[nodiscard]] Result<ProgramStreams> MakeStreams();

struct ProgramStart {
  pid_t pid = -1;
  int problem = 0;  // errno of what failed, in the new process too
};
// The calling process is single-threaded. `mask`: the signals that the program finds blocked.
[[nodiscard]] ProgramStart StartProgram(const std::string& path,
                                        const std::vector<std::string>& command,
                                        Environment& environment, const ProgramStreams& streams,
                                        const sigset_t& mask);

// Hands the size of the user's terminal to the program's.
void CopyWindowSize(int from, int to);

}  // namespace telltale
