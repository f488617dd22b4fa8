// SPDX-License-Identifier: Apache-2.0
// The program `telltale`: signals, then the commands.
#include <new>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"

int main(int argc, char** argv) {
  telltale::InstallInterruptHandlers();
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return telltale::RunTelltale(words);
  } catch (const std::bad_alloc&) {
    telltale::ComplainOfMemory();
    return telltale::kExitUnreadable;
  }
}
