// SPDX-License-Identifier: Apache-2.0
// All columns of a trace's tables, each named once: what is done with every column (joining parts,
// clearing, counting memory) is written as one walk.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "model/trace.h"

namespace telltale {

// Calls f(column…) once for each column, with the same column of all tables given.
template <typename F, typename... Tables>
  requires(std::same_as<std::remove_const_t<Tables>, SpanTable> && ...)
void ForEachColumn(F&& f, Tables&... t) {
  f(t.start_ns...);
  f(t.duration_ns...);
  f(t.name...);
  f(t.track...);
  f(t.category_id...);
  f(t.category...);
  f(t.detail...);
  f(t.offset...);
}

template <typename F, typename... Tables>
  requires(std::same_as<std::remove_const_t<Tables>, MemoryTable> && ...)
void ForEachColumn(F&& f, Tables&... t) {
  f(t.time_ns...);
  f(t.track...);
  f(t.address...);
  f(t.bytes...);
  f(t.total_allocated...);
  f(t.total_reserved...);
  f(t.device_type...);
  f(t.device_id...);
  f(t.offset...);
}

template <typename F, typename... Tables>
  requires(std::same_as<std::remove_const_t<Tables>, FlowTable> && ...)
void ForEachColumn(F&& f, Tables&... t) {
  f(t.time_ns...);
  f(t.id...);
  f(t.track...);
  f(t.category_id...);
  f(t.phase...);
  f(t.offset...);
}

template <typename F, typename... Tables>
  requires(std::same_as<std::remove_const_t<Tables>, CounterTable> && ...)
void ForEachColumn(F&& f, Tables&... t) {
  f(t.time_ns...);
  f(t.track...);
  f(t.name...);
  f(t.series...);
  f(t.value...);
  f(t.offset...);
}

template <typename F, typename... Tables>
  requires(std::same_as<std::remove_const_t<Tables>, InstantTable> && ...)
void ForEachColumn(F&& f, Tables&... t) {
  f(t.time_ns...);
  f(t.track...);
  f(t.name...);
  f(t.category_id...);
  f(t.phase...);
  f(t.id...);
  f(t.offset...);
}

// Of all tables.
template <typename F, typename... Tables>
  requires(std::derived_from<std::remove_const_t<Tables>, TraceTables> && ...)
void ForEachColumn(F&& f, Tables&... t) {
  ForEachColumn(f, t.spans...);
  f(t.operator_details...);
  f(t.runtime_details...);
  f(t.device_details...);
  f(t.sync_details...);
  f(t.python_details...);
  f(t.collectives...);
  ForEachColumn(f, t.memory...);
  ForEachColumn(f, t.flows...);
  ForEachColumn(f, t.counters...);
  ForEachColumn(f, t.instants...);
}

[[nodiscard]] inline size_t ColumnBytes(const TraceTables& tables) {
  size_t bytes = 0;
  ForEachColumn([&](const auto& column) { bytes += column.memory_bytes(); }, tables);
  return bytes;
}

}  // namespace telltale
