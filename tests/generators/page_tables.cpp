// SPDX-License-Identifier: Apache-2.0
// Prints the page's tables, for scripts/generate.
#include <cstdio>
#include <string>

#include "views/page_tables.h"

int main() {
  const std::string source = telltale::PageTablesSource();
  return std::fwrite(source.data(), 1, source.size(), stdout) == source.size() ? 0 : 1;
}
