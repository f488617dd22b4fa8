// SPDX-License-Identifier: Apache-2.0
// Prints the page's tables, for scripts/generate; with the word runs, those of the pages of runs.
#include <cstdio>
#include <string>
#include <string_view>

#include "views/page_tables.h"

int main(int count, char** words) {
  const bool of_runs = count > 1 && std::string_view(words[1]) == "runs";
  const std::string source = of_runs ? telltale::RunTablesSource() : telltale::PageTablesSource();
  return std::fwrite(source.data(), 1, source.size(), stdout) == source.size() ? 0 : 1;
}
