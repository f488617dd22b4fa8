// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/threads.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/functions/waits.h"

namespace telltale {

namespace {

// A helper that does something now and then is still one; what a thread of the program proper does
// takes more than a twentieth of its time.
constexpr double kLeastWork = 0.05;

std::vector<bool> WaitsOf(const FunctionProfile& profile) {
  std::vector<bool> waits;
  for (const Function& function : profile.functions) {
    waits.push_back(IsWait(profile.Text(function.file), profile.Text(function.name)));
  }
  return waits;
}

}  // namespace

std::vector<FunctionThread> ThreadsOf(std::span<const FunctionProfile* const> profiles) {
  std::vector<FunctionThread> threads;
  for (size_t p = 0; p < profiles.size(); ++p) {
    const FunctionProfile& profile = *profiles[p];
    const std::vector<bool> waits = WaitsOf(profile);
    std::vector<FunctionThread> of_profile(profile.threads.size());
    for (const TopOfStack& stretch : profile.timeline) {
      if (stretch.node == kNoCallNode || stretch.thread >= of_profile.size()) continue;
      FunctionThread& thread = of_profile[stretch.thread];
      AddTo(thread.total, stretch.length);
      if (waits[profile.tree.function[stretch.node]]) AddTo(thread.waiting, stretch.length);
    }
    const auto first = static_cast<std::ptrdiff_t>(threads.size());
    for (uint32_t t = 0; t < of_profile.size(); ++t) {
      if (of_profile[t].total <= 0) continue;
      of_profile[t].choice = {p, t};
      of_profile[t].name = profile.threads[t];
      threads.push_back(of_profile[t]);
    }
    // Not in the file's order: another format of the same trace may have another one.
    std::sort(threads.begin() + first, threads.end(),
              [](const FunctionThread& a, const FunctionThread& b) {
                return std::tuple(b.worked(), b.total, a.name) <
                       std::tuple(a.worked(), a.total, b.name);
              });
  }
  if (threads.empty()) return threads;
  std::ranges::max_element(threads, {}, &FunctionThread::worked)->is_main = true;
  for (FunctionThread& thread : threads) {
    const double share = static_cast<double>(thread.worked()) / static_cast<double>(thread.total);
    thread.is_idle = !thread.is_main && share <= kLeastWork;
  }
  return threads;
}

Result<std::optional<ThreadChoice>> ChooseThread(std::span<const FunctionThread> threads,
                                                 std::string_view asked) {
  if (asked == "main") {
    const auto main = std::ranges::find(threads, true, &FunctionThread::is_main);
    return main == threads.end() ? std::nullopt : std::optional(main->choice);
  }
  size_t number = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), number);
  if (error == std::errc() && end == asked.data() + asked.size() && number < threads.size()) {
    return threads[number].choice;
  }
  const auto named = std::ranges::find(threads, asked, &FunctionThread::name);
  if (named != threads.end()) return named->choice;
  return Fail(ErrorCode::kUsage,
              threads.empty()
                  ? std::string("the profile does not tell threads apart: it has none to choose")
                  : fmt::format("there is no such thread: main, a number from 0 to {}, or a name",
                                threads.size() - 1));
}

CallTree TreeOfThread(const FunctionProfile& profile, uint32_t thread) {
  const CallTree& tree = profile.tree;
  const auto count = static_cast<uint32_t>(tree.size());
  std::vector<int64_t> self(count, 0);
  std::vector<uint8_t> here(count, 0);   // the thread was in it, or below
  std::vector<uint8_t> other(count, 0);  // another one was
  for (const TopOfStack& stretch : profile.timeline) {
    if (stretch.node == kNoCallNode) continue;
    if (stretch.thread == thread) {
      AddTo(self[stretch.node], stretch.length);
      here[stretch.node] = 1;
    } else {
      other[stretch.node] = 1;
    }
  }
  for (uint32_t node = count; node-- > 0;) {
    const CallNodeId parent = tree.parent[node];
    if (parent == kNoCallNode) continue;
    here[parent] |= here[node];
    other[parent] |= other[node];
  }
  CallTree out;
  std::vector<CallNodeId> place(count, kNoCallNode);
  for (uint32_t node = 0; node < count; ++node) {
    if (here[node] == 0) continue;
    place[node] = static_cast<CallNodeId>(out.size());
    out.parent.push_back(tree.parent[node] == kNoCallNode ? kNoCallNode : place[tree.parent[node]]);
    out.function.push_back(tree.function[node]);
    out.self.push_back(self[node]);
    out.calls.push_back(other[node] != 0 ? kNoUint : tree.calls[node]);
  }
  return out;
}

}  // namespace telltale
