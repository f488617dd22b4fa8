// SPDX-License-Identifier: Apache-2.0
#include "views/render/colors.h"

#include <array>

namespace telltale {

namespace {

constexpr std::array<std::string_view, 14> kCodes = {
    "",                  // plain
    "\x1b[38;5;36m",     // kernel: bluish green
    "\x1b[38;5;214m",    // memcpy: orange
    "\x1b[38;5;222m",    // memset: a lighter orange, the other half of "copy"
    "\x1b[38;5;175m",    // communication: reddish purple
    "\x1b[38;5;74m",     // runtime: sky blue
    "\x1b[38;5;166m",    // input: vermilion
    "\x1b[38;5;32m",     // CPU: blue
    "\x1b[38;5;245m",    // other: grey
    "\x1b[1m",           // bold
    "\x1b[2m",           // dim
    "\x1b[1;38;5;166m",  // bad: vermilion, bold
    "\x1b[38;5;214m",    // warning: orange
    "\x1b[38;5;74m",     // note: sky blue
};
constexpr std::string_view kReset = "\x1b[0m";

}  // namespace

std::string Paint(Ink ink, std::string_view text, const OutputStyle& style) {
  if (!style.color || ink == Ink::kPlain || text.empty()) return std::string(text);
  std::string out(kCodes[static_cast<size_t>(ink)]);
  out += text;
  out += kReset;
  return out;
}

Ink InkOf(StepCategory category) {
  switch (category) {
    case StepCategory::kKernel:
      return Ink::kKernel;
    case StepCategory::kMemcpy:
      return Ink::kMemcpy;
    case StepCategory::kMemset:
      return Ink::kMemset;
    case StepCategory::kCommunication:
      return Ink::kCommunication;
    case StepCategory::kRuntime:
      return Ink::kRuntime;
    case StepCategory::kDataloader:
      return Ink::kInput;
    case StepCategory::kCpuExec:
      return Ink::kCpu;
    case StepCategory::kOther:
      return Ink::kOther;
  }
  return Ink::kOther;
}

Ink InkOf(AdviceSeverity severity) {
  switch (severity) {
    case AdviceSeverity::kHigh:
      return Ink::kBad;
    case AdviceSeverity::kMedium:
      return Ink::kWarning;
    case AdviceSeverity::kLow:
      return Ink::kNote;
  }
  return Ink::kNote;
}

Ink InkOf(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return Ink::kNote;
    case Severity::kLoss:
      return Ink::kWarning;
    case Severity::kError:
      return Ink::kBad;
  }
  return Ink::kNote;
}

}  // namespace telltale
