// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/waits.h"

#include <array>

namespace telltale {

bool IsWait(std::string_view file, std::string_view name) {
  struct Place {
    std::string_view file;
    std::string_view name;
  };
  static constexpr std::array<Place, 9> kPlaces = {{{"threading.py", "wait"},
                                                    {"threading.py", "acquire"},
                                                    {"threading.py", "join"},
                                                    {"threading.py", "_wait_for_tstate_lock"},
                                                    {"queue.py", "get"},
                                                    {"selectors.py", "select"},
                                                    {"connection.py", "wait"},
                                                    {"connection.py", "_poll"},
                                                    {"connection.py", "_recv"}}};
  const size_t folders = file.find_last_of("/\\") + 1;
  for (const Place& place : kPlaces) {
    if (file.substr(folders) == place.file && name == place.name) return true;
  }
  // "<method 'acquire' of '_thread.lock' objects>", "<built-in method acquire of _thread.RLock
  // object>", "<method 'poll' of 'select.poll' objects>"
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  // What samplers that look from outside call it.
  if (name == "<waiting>") return true;
  return (has("acquire") && has("_thread.")) || (has("poll") && has("select.")) ||
         has("select.select");
}

}  // namespace telltale
