// SPDX-License-Identifier: Apache-2.0
// The fields of profile.proto's messages that are read and written here.
#pragma once

#include <cstdint>
#include <string_view>

namespace telltale::pprof {

enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kTimeNanos = 9,
  kDefaultSampleType = 14,
  kLastField = 15,
};
enum ValueTypeField : uint32_t { kTypeName = 1, kTypeUnit = 2 };
enum SampleField : uint32_t { kSampleLocations = 1, kSampleValues = 2 };
enum MappingField : uint32_t { kMappingId = 1, kMappingFile = 5 };
enum LocationField : uint32_t {
  kLocationId = 1,
  kLocationMapping = 2,
  kLocationAddress = 3,
  kLocationLine = 4,
};
enum LineField : uint32_t { kLineFunction = 1, kLineNumber = 2 };
enum FunctionField : uint32_t {
  kFunctionId = 1,
  kFunctionName = 2,
  kFunctionSystemName = 3,
  kFunctionFile = 4,
  kFunctionStartLine = 5,
};

// A kind of value that is how often a path was called: profilers that count have it.
inline constexpr std::string_view kCallsType = "calls";

}  // namespace telltale::pprof
