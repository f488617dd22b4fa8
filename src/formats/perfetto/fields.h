// SPDX-License-Identifier: Apache-2.0
// Field numbers of Perfetto's trace messages that are read or written here, by message. The schema
// is Perfetto's public one (protos/perfetto/trace); numbers never change there.
#pragma once

#include <cstdint>

#include "base/protobuf.h"

namespace telltale::perfetto {

using protobuf::Field;
using protobuf::ForEachNumber;
using protobuf::MessageReader;
using protobuf::MessageWriter;
using protobuf::ReadVarint;
using protobuf::WireType;

namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace packet {
constexpr uint32_t kClockSnapshot = 6;
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequenceId = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kInternedData = 12;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kIncrementalStateCleared = 41;
constexpr uint32_t kProcessDescriptor = 43;
constexpr uint32_t kThreadDescriptor = 44;
constexpr uint32_t kCompressedPackets = 50;
constexpr uint32_t kTimestampClockId = 58;
constexpr uint32_t kDefaults = 59;
constexpr uint32_t kTrackDescriptor = 60;
constexpr uint64_t kFlagStateCleared = 1;
constexpr uint64_t kFlagNeedsState = 2;
}  // namespace packet
namespace defaults {
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kTimestampClockId = 58;
}  // namespace defaults
namespace interned {
constexpr uint32_t kCategories = 1;
constexpr uint32_t kEventNames = 2;
constexpr uint32_t kAnnotationNames = 3;
constexpr uint32_t kAnnotationStrings = 29;
constexpr uint32_t kIid = 1;   // of each entry
constexpr uint32_t kText = 2;  // of each entry
}  // namespace interned
namespace event {
constexpr uint32_t kTimestampDeltaUs = 1;
constexpr uint32_t kCategoryIids = 3;
constexpr uint32_t kAnnotations = 4;
constexpr uint32_t kLegacyEvent = 6;
constexpr uint32_t kType = 9;
constexpr uint32_t kNameIid = 10;
constexpr uint32_t kTrackUuid = 11;
constexpr uint32_t kExtraCounterValues = 12;
constexpr uint32_t kTimestampAbsoluteUs = 16;
constexpr uint32_t kCategories = 22;
constexpr uint32_t kName = 23;
constexpr uint32_t kCounterValue = 30;
constexpr uint32_t kExtraCounterTracks = 31;
constexpr uint32_t kFlowIdsOld = 36;
constexpr uint32_t kTerminatingFlowIdsOld = 42;
constexpr uint32_t kDoubleCounterValue = 44;
constexpr uint32_t kExtraDoubleCounterTracks = 45;
constexpr uint32_t kExtraDoubleCounterValues = 46;
constexpr uint32_t kFlowIds = 47;
constexpr uint32_t kTerminatingFlowIds = 48;
enum Type : uint64_t {
  kUnspecified = 0,
  kSliceBegin = 1,
  kSliceEnd = 2,
  kInstant = 3,
  kCounter = 4
};
}  // namespace event
namespace legacy {
constexpr uint32_t kNameIid = 1;
constexpr uint32_t kPhase = 2;
constexpr uint32_t kDurationUs = 3;
constexpr uint32_t kUnscopedId = 6;
constexpr uint32_t kBindId = 8;
constexpr uint32_t kLocalId = 10;
constexpr uint32_t kGlobalId = 11;
constexpr uint32_t kBindToEnclosing = 12;
constexpr uint32_t kFlowDirection = 13;
constexpr uint32_t kInstantScope = 14;
constexpr uint32_t kPidOverride = 18;
constexpr uint32_t kTidOverride = 19;
}  // namespace legacy
namespace annotation {
constexpr uint32_t kNameIid = 1;
constexpr uint32_t kBool = 2;
constexpr uint32_t kUint = 3;
constexpr uint32_t kInt = 4;
constexpr uint32_t kDouble = 5;
constexpr uint32_t kString = 6;
constexpr uint32_t kPointer = 7;
constexpr uint32_t kNested = 8;
constexpr uint32_t kJson = 9;
constexpr uint32_t kName = 10;
constexpr uint32_t kDictEntries = 11;
constexpr uint32_t kArrayValues = 12;
constexpr uint32_t kStringIid = 17;
}  // namespace annotation
namespace nested {
constexpr uint32_t kType = 1;  // 1: dict, 2: array
constexpr uint32_t kDictKeys = 2;
constexpr uint32_t kDictValues = 3;
constexpr uint32_t kArrayValues = 4;
constexpr uint32_t kInt = 5;
constexpr uint32_t kDouble = 6;
constexpr uint32_t kBool = 7;
constexpr uint32_t kString = 8;
}  // namespace nested
namespace track {
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kThread = 4;
constexpr uint32_t kParentUuid = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kStaticName = 10;
constexpr uint32_t kChildOrdering = 11;
constexpr uint32_t kSiblingOrderRank = 12;
constexpr uint32_t kAtraceName = 13;
constexpr uint32_t kDescription = 14;
constexpr uint64_t kOrderingExplicit = 3;
}  // namespace track
namespace process {
constexpr uint32_t kPid = 1;
constexpr uint32_t kSortIndex = 3;
constexpr uint32_t kName = 6;
constexpr uint32_t kLabels = 8;
}  // namespace process
namespace thread {
constexpr uint32_t kPid = 1;
constexpr uint32_t kTid = 2;
constexpr uint32_t kSortIndex = 3;
constexpr uint32_t kName = 5;
constexpr uint32_t kReferenceTimestampUs = 6;
}  // namespace thread
namespace counter {
constexpr uint32_t kUnitMultiplier = 4;
constexpr uint32_t kIsIncremental = 5;
}  // namespace counter
namespace clocks {
constexpr uint32_t kClock = 1;
constexpr uint32_t kPrimary = 2;
constexpr uint32_t kId = 1;                // of a clock
constexpr uint32_t kTimestamp = 2;         // of a clock
constexpr uint32_t kIsIncremental = 3;     // of a clock
constexpr uint32_t kUnitMultiplierNs = 4;  // of a clock
constexpr uint64_t kRealtime = 1;
constexpr uint64_t kBoottime = 6;
}  // namespace clocks

}  // namespace telltale::perfetto
