// SPDX-License-Identifier: Apache-2.0
// The arguments of an event that become columns, and the lookup from their names. All others
// stay in the file and is reached through the event's offset.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace telltale::trace_rows {

enum class ArgKey : uint8_t {
  kExternalId,
  kCorrelation,
  kSequenceNumber,
  kForwardThread,
  kInputDims,
  kInputTypes,
  kConcreteInputs,
  kCallStack,
  kFinished,
  kDevice,
  kStream,
  kBytes,
  kBandwidth,
  kBlocksPerSm,
  kWarpsPerSm,
  kOccupancy,
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kGraphId,
  kGraphNodeId,
  kPythonId,
  kPythonParentId,
  kPythonModuleId,
  kCallFrom,
  kDeviceType,
  kDeviceId,
  kAddress,
  kMemoryBytes,
  kTotalAllocated,
  kTotalReserved,
  kCollectiveName,
  kDtype,
  kInElements,
  kOutElements,
  kGroupSize,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kSequence,
  kCommunicator,
  kSourceRank,
  kDestinationRank,
  kWaitOnStream,
  kWaitOnRecord,
  kWaitOnEvent,
  kName,
  kLabels,
  kSortIndex,
  kCount,
};
static_assert(static_cast<size_t>(ArgKey::kCount) <= 64);  // one bit each

// Is its column one of integers?
[[nodiscard]] constexpr bool IsInteger(ArgKey key) {
  switch (key) {
    case ArgKey::kExternalId:
    case ArgKey::kCorrelation:
    case ArgKey::kSequenceNumber:
    case ArgKey::kForwardThread:
    case ArgKey::kDevice:
    case ArgKey::kStream:
    case ArgKey::kBytes:
    case ArgKey::kRegisters:
    case ArgKey::kSharedMemory:
    case ArgKey::kGraphId:
    case ArgKey::kGraphNodeId:
    case ArgKey::kPythonId:
    case ArgKey::kPythonParentId:
    case ArgKey::kPythonModuleId:
    case ArgKey::kDeviceType:
    case ArgKey::kDeviceId:
    case ArgKey::kAddress:
    case ArgKey::kMemoryBytes:
    case ArgKey::kTotalAllocated:
    case ArgKey::kTotalReserved:
    case ArgKey::kInElements:
    case ArgKey::kOutElements:
    case ArgKey::kGroupSize:
    case ArgKey::kSequence:
    case ArgKey::kCommunicator:
    case ArgKey::kSourceRank:
    case ArgKey::kDestinationRank:
    case ArgKey::kWaitOnStream:
    case ArgKey::kWaitOnRecord:
    case ArgKey::kWaitOnEvent:
      return true;
    default:
      return false;
  }
}

// One of numbers that need not be whole?
[[nodiscard]] constexpr bool IsReal(ArgKey key) {
  return key == ArgKey::kBandwidth || key == ArgKey::kBlocksPerSm || key == ArgKey::kWarpsPerSm ||
         key == ArgKey::kOccupancy;
}

// One of texts?
[[nodiscard]] constexpr bool IsText(ArgKey key) {
  switch (key) {
    case ArgKey::kCallStack:
    case ArgKey::kCallFrom:
    case ArgKey::kCollectiveName:
    case ArgKey::kDtype:
    case ArgKey::kGroupName:
    case ArgKey::kGroupDescription:
    case ArgKey::kGroupRanks:
    case ArgKey::kName:
    case ArgKey::kLabels:
      return true;
    default:
      return false;
  }
}

namespace internal {

struct ArgName {
  std::string_view text;
  ArgKey key = ArgKey::kCount;
};

constexpr auto kArgNames = std::to_array<ArgName>({
    {"External id", ArgKey::kExternalId},
    {"external id", ArgKey::kExternalId},
    {"correlation", ArgKey::kCorrelation},
    {"Sequence number", ArgKey::kSequenceNumber},
    {"Fwd thread id", ArgKey::kForwardThread},
    {"Input Dims", ArgKey::kInputDims},
    {"Input dims", ArgKey::kInputDims},
    {"Input type", ArgKey::kInputTypes},
    {"Concrete Inputs", ArgKey::kConcreteInputs},
    {"Call stack", ArgKey::kCallStack},
    {"finished", ArgKey::kFinished},
    {"device", ArgKey::kDevice},
    {"stream", ArgKey::kStream},
    {"bytes", ArgKey::kBytes},
    {"memory bandwidth (GB/s)", ArgKey::kBandwidth},
    {"blocks per SM", ArgKey::kBlocksPerSm},
    {"warps per SM", ArgKey::kWarpsPerSm},
    {"est. achieved occupancy %", ArgKey::kOccupancy},
    {"grid", ArgKey::kGrid},
    {"block", ArgKey::kBlock},
    {"registers per thread", ArgKey::kRegisters},
    {"shared memory", ArgKey::kSharedMemory},
    {"graph id", ArgKey::kGraphId},
    {"graph node id", ArgKey::kGraphNodeId},
    {"Python id", ArgKey::kPythonId},
    {"Python parent id", ArgKey::kPythonParentId},
    {"Python module id", ArgKey::kPythonModuleId},
    {"CallFrom", ArgKey::kCallFrom},
    {"Device Type", ArgKey::kDeviceType},
    {"Device Id", ArgKey::kDeviceId},
    {"Addr", ArgKey::kAddress},
    {"Bytes", ArgKey::kMemoryBytes},
    {"Total Allocated", ArgKey::kTotalAllocated},
    {"Total Reserved", ArgKey::kTotalReserved},
    {"Collective name", ArgKey::kCollectiveName},
    {"dtype", ArgKey::kDtype},
    {"In msg nelems", ArgKey::kInElements},
    {"In msg size", ArgKey::kInElements},
    {"Out msg nelems", ArgKey::kOutElements},
    {"Out msg size", ArgKey::kOutElements},
    {"Group size", ArgKey::kGroupSize},
    {"Process Group Name", ArgKey::kGroupName},
    {"Process Group Description", ArgKey::kGroupDescription},
    {"Process Group Ranks", ArgKey::kGroupRanks},
    {"Seq", ArgKey::kSequence},
    {"Comms Id", ArgKey::kCommunicator},
    {"Src Rank", ArgKey::kSourceRank},
    {"Dst Rank", ArgKey::kDestinationRank},
    {"wait_on_stream", ArgKey::kWaitOnStream},
    {"wait_on_cuda_event_record_corr_id", ArgKey::kWaitOnRecord},
    {"wait_on_cuda_event_id", ArgKey::kWaitOnEvent},
    {"name", ArgKey::kName},
    {"labels", ArgKey::kLabels},
    {"sort_index", ArgKey::kSortIndex},
});

constexpr size_t kArgSlots = 256;

// Told apart by length and three characters; two names in one slot go to the next free one.
constexpr size_t ArgSlot(std::string_view text) {
  const auto at = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(text[i]));
  };
  return (text.size() * 11 + at(0) * 3 + at(text.size() / 2) * 7 + at(text.size() - 1) * 17) %
         kArgSlots;
}

constexpr std::array<ArgName, kArgSlots> MakeArgTable() {
  std::array<ArgName, kArgSlots> table = {};
  for (const ArgName& name : kArgNames) {
    size_t slot = ArgSlot(name.text);
    while (!table[slot].text.empty()) slot = (slot + 1) % kArgSlots;
    table[slot] = name;
  }
  return table;
}

inline constexpr std::array<ArgName, kArgSlots> kArgTable = MakeArgTable();

}  // namespace internal

// ArgKey::kCount if the key is not one of ours.
[[nodiscard]] inline ArgKey FindArgKey(std::string_view text) {
  if (text.empty()) return ArgKey::kCount;
  for (size_t slot = internal::ArgSlot(text);; slot = (slot + 1) % internal::kArgSlots) {
    const internal::ArgName& name = internal::kArgTable[slot];
    if (name.text.empty()) return ArgKey::kCount;
    if (name.text == text) return name.key;
  }
}

}  // namespace telltale::trace_rows
