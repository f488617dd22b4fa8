// SPDX-License-Identifier: Apache-2.0
// Names, shapes and stacks as torch's own tables show them, rewritten once per distinct text of the
// trace. Part of like_torch.
#pragma once

#include <string_view>

#include "base/column.h"
#include "base/string_pool.h"
#include "model/trace.h"

namespace telltale {

// Its ids are those of a pool of its own: two texts that torch shows alike have one id.
class TorchTexts {
 public:
  explicit TorchTexts(const Trace& trace);

  // ProfilerStep#N is ProfilerStep*; the operator aten::add.Tensor is aten::add.
  [[nodiscard]] StringId Name(StringId id, bool is_operator);
  // A list of tensors is []; so is what was not captured.
  [[nodiscard]] StringId Shape(StringId input_dims);
  // At most five frames, joined by ';', without those of autograd's and the test suite's entry
  // points.
  [[nodiscard]] StringId Stack(StringId call_stack);

  [[nodiscard]] StringId Intern(std::string_view text) { return shown_.Intern(text); }
  [[nodiscard]] std::string_view Get(StringId id) const { return shown_.Get(id); }

 private:
  template <typename Rewrite>
  StringId Rewritten(Column<uint32_t>& known, StringId id, Rewrite rewrite);

  const Trace& trace_;
  StringPool shown_;
  // By id in the trace: id in `shown_` plus 1; 0: not yet rewritten.
  Column<uint32_t> operator_names_, other_names_, shapes_, stacks_;
};

}  // namespace telltale
