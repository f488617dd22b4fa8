// SPDX-License-Identifier: Apache-2.0
// Numbers of the fields of TensorBoard's messages (FORMAT.md has the table), shared by whoever
// reads or writes them.
#pragma once

#include <cstdint>
#include <string_view>

namespace telltale::tfevents {

namespace event_field {
enum : uint32_t {
  kWallTime = 1,
  kStep = 2,
  kFileVersion = 3,
  kGraphDef = 4,
  kSummary = 5,
  kLogMessage = 6,
  kSessionLog = 7,
  kTaggedRunMetadata = 8,
  kMetaGraphDef = 9,
  kSourceMetadata = 10,
};
}
namespace value_field {
enum : uint32_t {
  kTag = 1,
  kSimpleValue = 2,
  kOldHistogram = 3,
  kImage = 4,
  kHisto = 5,
  kAudio = 6,
  kNodeName = 7,
  kTensor = 8,
  kMetadata = 9,
};
}
namespace metadata_field {
enum : uint32_t { kPluginData = 1, kDisplayName = 2, kDescription = 3, kDataClass = 4 };
}
namespace tensor_field {
enum : uint32_t {
  kDtype = 1,
  kShape = 2,
  kContent = 4,
  kFloat = 5,
  kDouble = 6,
  kInt = 7,
  kString = 8,
  kInt64 = 10,
  kBool = 11,
  kHalf = 13,
  kUint32 = 16,
  kUint64 = 17,
};
}

enum class DataType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

constexpr uint64_t kSessionStart = 1;  // SessionLog.status
constexpr std::string_view kVersion = "brain.Event:2";

// Names that TensorBoard gives to what has none in the file.
constexpr std::string_view kGraphTag = "__run_graph__";
constexpr std::string_view kMetaGraphTag = "__meta_graph__";

namespace plugin {
constexpr std::string_view kScalars = "scalars";
constexpr std::string_view kHistograms = "histograms";
constexpr std::string_view kImages = "images";
constexpr std::string_view kAudio = "audio";
constexpr std::string_view kText = "text";
constexpr std::string_view kPrCurves = "pr_curves";
constexpr std::string_view kHparams = "hparams";
constexpr std::string_view kMesh = "mesh";
constexpr std::string_view kCustomScalars = "custom_scalars";
constexpr std::string_view kGraphs = "graphs";
constexpr std::string_view kMetaGraphs = "meta_graphs";  // ours: TensorBoard has no name for them
constexpr std::string_view kRunMetadata = "graph_tagged_run_metadata";
constexpr std::string_view kTensors = "tensor";  // as torch's add_tensor calls them
}  // namespace plugin

}  // namespace telltale::tfevents
