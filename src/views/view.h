// SPDX-License-Identifier: Apache-2.0
// A view of a profile: one analysis, a key of the JSON document, a CSV table. A view is one folder:
// it names itself and its parameters, checks them before anything is read, and builds a document,
// which renderers print. view_list.inc has them all.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "base/result.h"
#include "health/facts.h"
#include "model/subject.h"
#include "views/document.h"
#include "views/page_tables.h"
#include "views/params.h"
#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

enum class OutputFormat : uint8_t { kText, kJson, kCsv, kMarkdown };
[[nodiscard]] constexpr bool IsForPeople(OutputFormat format) {
  return format == OutputFormat::kText || format == OutputFormat::kMarkdown;
}
// Whose look a table has: key_averages() of torch, print_stats of pstats, the report of Lightning's
// SimpleProfiler.
enum class LikeTool : uint8_t { kNone, kTorch, kPstats, kLightning };
struct Likeness {
  LikeTool tool = LikeTool::kNone;
  std::string_view name;
  std::string_view view;  // the one that it is of
};
constexpr std::array<Likeness, 3> kLikenesses = {{{LikeTool::kTorch, "torch", "operators"},
                                                  {LikeTool::kPstats, "pstats", "functions"},
                                                  {LikeTool::kLightning, "lightning", "simple"}}};
// A text of another tool, without a word of ours.
[[nodiscard]] constexpr bool IsForeignText(LikeTool like) {
  return like == LikeTool::kPstats || like == LikeTool::kLightning;
}

// What becomes of a result. The front end says it; it is no parameter.
struct OutputUse {
  OutputFormat format = OutputFormat::kText;
  LikeTool like = LikeTool::kNone;
};

// What a view may work with.
struct ViewInput {
  const Subject& subject;
  std::span<const TraceContext> traces;  // those of the subject, made ready
  const Profile& profile;
  const ParamValues& params;  // for the view's own
  OutputUse use = {};
  std::optional<std::string> sort_field;  // one of sort_fields, if it is the view asked for
  const health::Facts& facts;             // the analyses of all of the above
  bool is_view = false;                   // asked for by name, not part of an overview
  bool whole_document = false;            // part of a JSON document with everything
};

enum class ViewScope : uint8_t {
  kBasic,    // part of every overview
  kFurther,  // part of whole documents
  kAlone,    // by name only
};

// What a profile must hold for a view to have something to say.
struct ViewNeeds {
  static constexpr std::string_view kDeviceEvents =
      "Needs a trace with device activity: activities=[CPU, CUDA].";

  std::string_view part = {};  // of its traces (captured.h); empty: any trace does
  std::string_view words = "Needs a trace of torch.profiler (or Perfetto, Chrome JSON).";
  bool (*instead)(const ViewInput& input) = nullptr;  // does as well
  bool profile = false;                               // any profile does
};

struct ViewSpec {
  std::string_view name;  // of the view, and the JSON key
  std::string_view help;  // half a sentence, no full stop
  // Of its page, where there is none made for it: the sentence and the first of `tables`.
  std::string_view title = {};
  ViewNeeds needs = {};
  std::vector<std::string_view> sort_fields;  // of the main table; empty: cannot be sorted
  std::vector<ParamSpec> params = {};         // its own
  ViewScope scope = ViewScope::kFurther;
  // A whole document shows as many rows of its table as the limit says; of others all.
  bool long_table = false;
  // Checks what their types do not say, before anything is read.
  Result<void> (*check)(const ParamValues& params) = nullptr;
  // None: the view is as large as the trace, and is written row by row (events/).
  Document (*build)(const ViewInput& input) = nullptr;
  // What the page knows of its tables before there are rows.
  std::vector<PageTable> (*tables)() = nullptr;
  std::vector<PageWords> (*words)() = nullptr;
  // False: function profiles alone are enough for it.
  bool needs_trace = true;
  // Giving one of them without naming a view asks for this one.
  bool params_choose_view = false;
  // The value of `sort` as `build` gets it, for keys beyond sort_fields. An Error is what to say
  // behind the name of the parameter.
  Result<std::string> (*sort_key)(std::string_view text) = nullptr;
  // Whether it has anything to say in an overview or a whole document; none: where there are
  // traces.
  bool (*applies)(const ViewInput& input) = nullptr;
};

[[nodiscard]] std::span<const ViewSpec> Views();
// nullptr if there is none of that name.
[[nodiscard]] const ViewSpec* ViewNamed(std::string_view name);

}  // namespace telltale
