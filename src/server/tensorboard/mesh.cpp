// SPDX-License-Identifier: Apache-2.0
// Meshes: vertices, faces and colours of a step, each a tensor under a tag of its own.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "formats/tfevents/mesh.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/stored_values.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

using tfevents::MeshKind;
using tfevents::MeshPart;
using tfevents::ReadMeshPart;

constexpr std::string_view kMesh = "mesh";

template <typename T>
void Append(T value, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// One sample of a batch: float32 for vertices, int32 for faces, bytes for colours.
void AppendMesh(const tfevents::Tensor& tensor, size_t sample, MeshKind kind, std::string& out) {
  if (tensor.shape.empty() || tensor.shape[0] <= 0) return;
  const auto samples = static_cast<size_t>(tensor.shape[0]);
  if (sample >= samples) return;
  const size_t each = tensor.numbers.size() / samples;
  for (size_t i = sample * each; i < (sample + 1) * each; ++i) {
    const double value = tensor.numbers[i];
    switch (kind) {
      case MeshKind::kFace:
        Append(static_cast<int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)), out);
        break;
      case MeshKind::kColor:
        Append(static_cast<uint8_t>(std::clamp(value, 0.0, 255.0)), out);
        break;
      default:
        Append(static_cast<float>(value), out);
    }
  }
}

HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  context.board.ForEachRun([&](const BoardRun& run) {
    std::vector<std::pair<std::string, int64_t>> meshes;
    const std::vector<BoardSeries> all = run.Series(kMesh);
    if (all.empty()) return;
    for (const BoardSeries& series : all) {
      const MeshPart part = ReadMeshPart(series.first().plugin_content);
      if (!HasKnownVersion(series) || part.shape.empty()) continue;
      const auto known =
          std::ranges::find(meshes, part.name, &std::pair<std::string, int64_t>::first);
      if (known == meshes.end()) meshes.emplace_back(part.name, part.shape[0]);
    }
    json.Key(RepairUtf8(run.name()));
    json.BeginObject();
    for (const auto& [name, samples] : meshes) {
      json.Key(name);
      json.BeginObject();
      json.Field("samples", samples);
      json.EndObject();
    }
    json.EndObject();
  });
  json.EndObject();
  return JsonResponse(json.Take());
}

struct PartValues {
  MeshPart part;
  std::vector<BoardValue> values;
};

std::vector<PartValues> PartsOf(const DataContext& context, std::string_view run,
                                std::string_view name) {
  std::vector<PartValues> parts;
  context.board.WithRun(run, [&](const BoardRun& shown) {
    for (const BoardSeries& series : shown.Series(kMesh)) {
      MeshPart part = ReadMeshPart(series.first().plugin_content);
      if (part.name != name) continue;
      parts.push_back({std::move(part), series.Values(context.options.purge)});
    }
  });
  return parts;
}

HttpResponse AnswerMeshes(const DataContext& context, const DataRequest& request) {
  struct Step {
    StoredValue value;
    const MeshPart* part = nullptr;
  };
  const std::vector<PartValues> parts =
      PartsOf(context, request.Argument("run").value_or(""), request.Argument("tag").value_or(""));
  std::vector<Step> steps;
  for (const PartValues& part : parts) {
    for (const BoardValue& value : part.values) steps.push_back({value.stored, &part.part});
  }
  std::ranges::stable_sort(steps, {}, [](const Step& step) { return step.value.step; });
  JsonWriter json(false);
  json.BeginArray();
  for (const Step& step : steps) {
    json.BeginObject();
    json.Key("wall_time");
    json.Raw(JsonNumber(step.value.wall_time));
    json.Field("step", step.value.step);
    json.Field("content_type", static_cast<int>(step.part->kind));
    json.Field("components", step.part->components);
    json.Field("config", step.part->config);
    json.Key("data_shape");
    json.BeginArray();
    for (const int64_t size : step.part->shape) json.Int(size);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

HttpResponse AnswerData(const DataContext& context, const DataRequest& request) {
  constexpr std::array<std::string_view, 4> kKinds = {"UNDEFINED", "VERTEX", "FACE", "COLOR"};
  const auto kind = std::ranges::find(kKinds, request.Argument("content_type").value_or(""));
  if (kind == kKinds.end() || kind == kKinds.begin()) {
    return PlainResponse(400, "Bad content_type");
  }
  const std::optional<int64_t> step = request.Number("step", 0);
  const std::optional<int64_t> sample = request.Number("sample", 0);
  if (!step || !sample || *sample < 0) {
    return InvalidArgument("step and sample take whole numbers");
  }
  const auto wanted = static_cast<MeshKind>(kind - kKinds.begin());
  std::string body;
  for (PartValues& part : PartsOf(context, request.Argument("run").value_or(""),
                                  request.Argument("tag").value_or(""))) {
    if (part.part.kind != wanted) continue;
    std::erase_if(part.values, [&](const BoardValue& value) { return value.stored.step != *step; });
    ForEachStored(context.board.gate(), part.values,
                  [&](const StoredValue&, std::string_view bytes) {
                    const Result<tfevents::Tensor> tensor = tfevents::DecodeValueTensor(bytes);
                    if (tensor) AppendMesh(*tensor, static_cast<size_t>(*sample), wanted, body);
                  });
  }
  return BodyResponse(std::move(body), "arraybuffer");
}

}  // namespace

std::span<const DataRoute> MeshDataRoutes() {
  static constexpr std::array<DataRoute, 3> kRoutes = {{
      {"plugin/mesh/tags", AnswerTags},
      {"plugin/mesh/meshes", AnswerMeshes},
      {"plugin/mesh/data", AnswerData, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
