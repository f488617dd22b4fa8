// SPDX-License-Identifier: Apache-2.0
// What one source holds, whatever its format, with where it came from and what is wrong with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/function_profile.h"
#include "model/memory_profile.h"
#include "model/series.h"
#include "model/trace.h"

namespace telltale {

// All that an artifact can hold. Each has a source, diagnostics and memory_bytes().
using AnyContent = std::variant<Trace, FunctionProfile, MemoryProfile, SeriesSet>;
inline constexpr size_t kContentKindCount = std::variant_size_v<AnyContent>;

// In the order of AnyContent.
enum class ContentKind : uint8_t { kTrace, kFunctions, kMemory, kSeries };

[[nodiscard]] constexpr std::string_view NameOf(ContentKind kind) {
  constexpr std::array<std::string_view, kContentKindCount> kNames = {"trace", "functions",
                                                                      "memory", "series"};
  return kNames[static_cast<size_t>(kind)];
}

template <typename T, typename Variant>
inline constexpr bool kIsOneOf = false;
template <typename T, typename... All>
inline constexpr bool kIsOneOf<T, std::variant<All...>> = (std::is_same_v<T, All> || ...);

class Artifact {
 public:
  Artifact() = default;  // an empty trace
  template <typename T>
    requires kIsOneOf<T, AnyContent>
  explicit Artifact(T content) : content_(std::in_place_type<T>, std::move(content)) {}

  [[nodiscard]] ContentKind kind() const { return ContentKind(content_.index()); }
  // nullptr: it holds something else.
  template <typename T>
  [[nodiscard]] const T* As() const {
    return std::get_if<T>(&content_);
  }
  template <typename T>
  [[nodiscard]] T* As() {
    return std::get_if<T>(&content_);
  }

  // Calls `visit` with what it holds.
  template <typename Visitor>
  decltype(auto) Visit(Visitor&& visit) const {
    return std::visit(std::forward<Visitor>(visit), content_);
  }

  [[nodiscard]] const ProfileSource& source() const {
    return Visit([](const auto& held) -> const ProfileSource& { return held.source; });
  }
  [[nodiscard]] ProfileSource& source() {
    return std::visit([](auto& held) -> ProfileSource& { return held.source; }, content_);
  }
  [[nodiscard]] const Diagnostics& diagnostics() const {
    return Visit([](const auto& held) -> const Diagnostics& { return held.diagnostics; });
  }
  [[nodiscard]] Diagnostics& diagnostics() {
    return std::visit([](auto& held) -> Diagnostics& { return held.diagnostics; }, content_);
  }
  [[nodiscard]] size_t memory_bytes() const {
    return Visit([](const auto& held) { return held.memory_bytes(); });
  }

 private:
  AnyContent content_;
};

}  // namespace telltale
