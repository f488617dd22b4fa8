// SPDX-License-Identifier: Apache-2.0
// Embeddings: which runs have some, the points of one, their labels, the picture of their sprites.
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/media_type.h"
#include "base/utf8.h"
#include "formats/tfevents/projector_tensor.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/projector_files.h"

namespace telltale {

namespace {

using tfevents::ProjectorEmbedding;
using tfevents::ProjectorTensor;
using tfevents::ReadProjectorTensor;

HttpResponse AnswerRuns(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginArray();
  for (const ProjectorRun& run : ProjectorRuns(context.board)) json.String(RepairUtf8(run.name));
  json.EndArray();
  return JsonResponse(json.Take());
}

void WriteNumbers(const std::vector<int64_t>& numbers, JsonWriter& json) {
  json.BeginArray();
  for (const int64_t number : numbers) json.Int(number);
  json.EndArray();
}

void WriteText(std::string_view key, std::string_view text, JsonWriter& json) {
  if (!text.empty()) json.Field(key, RepairUtf8(text));
}

void WriteEmbedding(const ProjectorRun& run, const ProjectorEmbedding& embedding,
                    const FileGate& gate, JsonWriter& json) {
  std::vector<int64_t> shape = embedding.tensor_shape;
  if (shape.empty() && !embedding.tensor_path.empty()) {
    if (const Result<std::string> bytes = ReadAsset(run.folder, embedding.tensor_path, gate)) {
      if (const Result<ProjectorTensor> tensor = ReadProjectorTensor(*bytes, shape)) {
        shape = {static_cast<int64_t>(tensor->rows), static_cast<int64_t>(tensor->columns)};
      }
    }
  }
  json.BeginObject();
  WriteText("tensorName", embedding.tensor_name, json);
  WriteText("metadataPath", embedding.metadata_path, json);
  WriteText("bookmarksPath", embedding.bookmarks_path, json);
  if (!shape.empty()) {
    json.Key("tensorShape");
    WriteNumbers(shape, json);
  }
  if (!embedding.sprite_path.empty() || !embedding.sprite_size.empty()) {
    json.Key("sprite");
    json.BeginObject();
    WriteText("imagePath", embedding.sprite_path, json);
    if (!embedding.sprite_size.empty()) {
      json.Key("singleImageDim");
      WriteNumbers(embedding.sprite_size, json);
    }
    json.EndObject();
  }
  WriteText("tensorPath", embedding.tensor_path, json);
  json.EndObject();
}

// The run that is asked for, or what to say instead.
struct Asked {
  std::optional<ProjectorRun> run;
  const ProjectorEmbedding* embedding = nullptr;
  HttpResponse problem;
};

Asked Find(const DataContext& context, const DataRequest& request, bool named) {
  Asked asked;
  const std::optional<std::string_view> run = request.Argument("run");
  if (!run) {
    asked.problem = PlainResponse(400, "query parameter \"run\" is required");
    return asked;
  }
  const std::optional<std::string_view> name = request.Argument("name");
  if (named && !name) {
    asked.problem = PlainResponse(400, "query parameter \"name\" is required");
    return asked;
  }
  for (ProjectorRun& one : ProjectorRuns(context.board)) {
    if (one.name == *run) asked.run = std::move(one);
  }
  if (!asked.run) {
    asked.problem = PlainResponse(400, fmt::format("Unknown run: \"{}\"", *run));
    return asked;
  }
  if (!named) return asked;
  asked.embedding = FindEmbedding(asked.run->config, *name);
  if (asked.embedding == nullptr) {
    asked.problem = PlainResponse(400, fmt::format("Tensor \"{}\" not found", *name));
  }
  return asked;
}

HttpResponse AnswerInfo(const DataContext& context, const DataRequest& request) {
  const Asked asked = Find(context, request, false);
  if (!asked.run) return asked.problem;
  JsonWriter json(false);
  json.BeginObject();
  WriteText("modelCheckpointPath", asked.run->config.model_checkpoint_path, json);
  json.Key("embeddings");
  json.BeginArray();
  for (const ProjectorEmbedding& embedding : asked.run->config.embeddings) {
    WriteEmbedding(*asked.run, embedding, context.board.gate(), json);
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(json.Take());
}

// 0: all; nullopt: it is no positive number.
std::optional<size_t> RowLimit(const DataRequest& request) {
  if (request.Argument("num_rows").value_or("").empty()) return 0;
  const std::optional<int64_t> rows = request.Number("num_rows", 0);
  return rows && *rows > 0 ? std::optional(static_cast<size_t>(*rows)) : std::nullopt;
}

HttpResponse WrongRows() {
  return PlainResponse(400, "query parameter num_rows must be integer > 0");
}

HttpResponse AnswerTensor(const DataContext& context, const DataRequest& request) {
  const std::optional<size_t> limit = RowLimit(request);
  if (!limit) return WrongRows();
  const Asked asked = Find(context, request, true);
  if (asked.embedding == nullptr) return asked.problem;
  const Result<std::string> bytes =
      ReadAsset(asked.run->folder, asked.embedding->tensor_path, context.board.gate());
  if (!bytes) return PlainResponse(400, bytes.error().message);
  const Result<ProjectorTensor> tensor = ReadProjectorTensor(*bytes, asked.embedding->tensor_shape);
  if (!tensor) return PlainResponse(400, tensor.error().message);
  const size_t rows = *limit == 0 ? tensor->rows : std::min(*limit, tensor->rows);
  std::string body(rows * tensor->columns * sizeof(float), '\0');
  std::memcpy(body.data(), tensor->values.data(), body.size());
  return BinaryResponse(std::move(body));
}

HttpResponse AnswerMetadata(const DataContext& context, const DataRequest& request) {
  const std::optional<size_t> limit = RowLimit(request);
  if (!limit) return WrongRows();
  const Asked asked = Find(context, request, true);
  if (asked.embedding == nullptr) return asked.problem;
  if (asked.embedding->metadata_path.empty()) {
    return PlainResponse(400, "No metadata file found for this tensor");
  }
  Result<std::string> text =
      ReadAsset(asked.run->folder, asked.embedding->metadata_path, context.board.gate());
  if (!text) return PlainResponse(400, text.error().message);
  if (*limit > 0) {
    // A first line of several columns is a heading.
    const size_t first = std::min(text->find('\n'), text->size());
    const bool heading = text->substr(0, first).find('\t') != std::string::npos;
    size_t end = 0;
    for (size_t lines = *limit + (heading ? 1 : 0); lines > 0 && end < text->size(); --lines) {
      end = std::min(text->find('\n', end), text->size() - 1) + 1;
    }
    text->resize(end);
  }
  return PlainResponse(200, std::move(*text));
}

HttpResponse AnswerBookmarks(const DataContext& context, const DataRequest& request) {
  const Asked asked = Find(context, request, true);
  if (asked.embedding == nullptr) return asked.problem;
  if (asked.embedding->bookmarks_path.empty()) {
    return PlainResponse(400, "No bookmarks file found for this tensor");
  }
  Result<std::string> text =
      ReadAsset(asked.run->folder, asked.embedding->bookmarks_path, context.board.gate());
  if (!text) return PlainResponse(400, text.error().message);
  return JsonResponse(std::move(*text));
}

HttpResponse AnswerSpriteImage(const DataContext& context, const DataRequest& request) {
  const Asked asked = Find(context, request, true);
  if (asked.embedding == nullptr) return asked.problem;
  if (asked.embedding->sprite_path.empty()) {
    return PlainResponse(400, "No sprite image file found for this tensor");
  }
  Result<std::string> bytes =
      ReadAsset(asked.run->folder, asked.embedding->sprite_path, context.board.gate());
  if (!bytes) return PlainResponse(400, bytes.error().message);
  const std::string_view type = SafeTypeOf(*bytes);
  return BodyResponse(std::move(*bytes), type);
}

}  // namespace

std::span<const DataRoute> ProjectorDataRoutes() {
  static constexpr std::array<DataRoute, 6> kRoutes = {{
      {"plugin/projector/runs", AnswerRuns},
      {"plugin/projector/info", AnswerInfo},
      {"plugin/projector/tensor", AnswerTensor, DataMethod::kGet, true},
      {"plugin/projector/metadata", AnswerMetadata, DataMethod::kGet, true},
      {"plugin/projector/bookmarks", AnswerBookmarks},
      {"plugin/projector/sprite_image", AnswerSpriteImage, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
