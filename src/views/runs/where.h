// SPDX-License-Identifier: Apache-2.0
// The language of `telltale runs --where`, of the runs' HTTP route and of the page's filter:
//
//   or    = and { ("or" | "||") and }            and = not { ("and" | "&&") not }
//   not   = ["not" | "!"] ( "(" or ")" | test )
//   test  = name [ ("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~") value ]
//   value = number [unit] | "text" | 'text' | word
//
// A name is one of run_field.h's; one with other characters stands between backquotes. ~ is a
// regular expression that is found anywhere. Units are ns us ms s m h d (of durations, which are
// seconds without one), k M G and %. A moment is compared with a text such as "2026-11-15 20:45".
// A run that lacks the value fails every test but "= null"; a name alone asks for something that is
// neither missing, false, 0 nor empty. Tags are each compared.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "runs/run_list.h"
#include "views/runs/run_field.h"

namespace telltale {

class RunFilter {
 public:
  // Errors are kUsage, with the byte of the text where it went wrong.
  [[nodiscard]] static Result<RunFilter> Parse(std::string_view text, const RunNames& names);

  RunFilter(RunFilter&&) noexcept;
  RunFilter& operator=(RunFilter&&) noexcept;
  ~RunFilter();

  // Not from two threads at a time.
  [[nodiscard]] bool Matches(const ListedRun& run) const;

  struct Node;

 private:
  explicit RunFilter(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
};

}  // namespace telltale
