// SPDX-License-Identifier: Apache-2.0
#include "views/runs/query_runs.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/value.h"
#include "base/json_writer.h"
#include "base/media_type.h"
#include "formats/tfevents/decode.h"
#include "io/byte_source.h"
#include "views/runs/histogram_buckets.h"

namespace telltale {

namespace {

const double kUnknown = std::nan("");

std::string BucketsText(const std::vector<HistogramBucket>& buckets) {
  JsonWriter json(false);
  json.BeginArray();
  for (const HistogramBucket& bucket : buckets) {
    json.BeginArray();
    json.Double(bucket.left);
    json.Double(bucket.right);
    json.Double(bucket.count);
    json.EndArray();
  }
  json.EndArray();
  std::string text = json.Take();
  text.pop_back();
  return text;
}

// Empty: none that is known.
std::string_view KnownTypeOf(std::string_view bytes) {
  const std::string_view type = SafeTypeOf(bytes);
  return type == kUnknownType ? std::string_view() : type;
}

// Where a value of a piece was logged.
QueryPlace PlaceOf(const TagSeries& tag, const StoredValue& value) {
  return {tag.tag, value.step, value.wall_time};
}

// Calls use(tag, value, bytes or "", logged or nullptr) for each value of the plugins. The bytes
// are those of the file; a value that cannot be read any more is left out.
template <typename Wanted, typename Use>
void ForEachValue(const std::vector<TagSeries>& tags, const FileGate& gate, Wanted wanted,
                  Use use) {
  for (const TagSeries& tag : tags) {
    if (!wanted(tag.plugin)) continue;
    for (const TagSeries::Piece& piece : tag.pieces) {
      for (size_t i = 0; i < piece.tag->values.size(); ++i) {
        const StoredValue& value = piece.tag->values[i];
        if (piece.logged != nullptr) {
          if (i < piece.logged->size()) use(tag, piece, value, std::string(), &(*piece.logged)[i]);
          continue;
        }
        const Result<std::string> bytes = tfevents::ReadStored(piece.path, gate, value);
        if (bytes) use(tag, piece, value, *bytes, static_cast<const LoggedValue*>(nullptr));
      }
    }
  }
}

// A histogram of W&B or trackio: n counts between n + 1 edges, or equal steps from a first one.
std::vector<HistogramBucket> LoggedBuckets(const JsonValue& value) {
  std::vector<HistogramBucket> buckets;
  const std::vector<JsonValue>& counts = value["values"].elements();
  const std::vector<JsonValue>& edges = value["bins"].elements();
  const JsonValue& packed = value["packedBins"];
  for (size_t i = 0; i < counts.size(); ++i) {
    HistogramBucket bucket;
    if (i + 1 < edges.size()) {
      bucket.left = edges[i].AsDouble();
      bucket.right = edges[i + 1].AsDouble();
    } else if (packed.IsObject()) {
      bucket.left = packed["min"].AsDouble() + packed["size"].AsDouble() * static_cast<double>(i);
      bucket.right = bucket.left + packed["size"].AsDouble();
    } else {
      break;
    }
    bucket.count = counts[i].AsDouble();
    buckets.push_back(bucket);
  }
  return buckets;
}

QueryHistogram WithBuckets(QueryPlace place, const std::vector<HistogramBucket>& buckets) {
  QueryHistogram row{std::move(place), kUnknown, kUnknown, 0, kUnknown, kUnknown, {}};
  for (const HistogramBucket& bucket : buckets) row.count += bucket.count;
  if (!buckets.empty()) {
    row.min = buckets.front().left;
    row.max = buckets.back().right;
  }
  row.buckets = BucketsText(buckets);
  return row;
}

std::vector<QueryHistogram> Histograms(const std::vector<TagSeries>& tags, const FileGate& gate) {
  std::vector<QueryHistogram> rows;
  ForEachValue(
      tags, gate, [](std::string_view plugin) { return plugin == "histograms"; },
      [&](const TagSeries& tag, const TagSeries::Piece&, const StoredValue& value,
          const std::string& bytes, const LoggedValue* logged) {
        if (logged != nullptr) {
          if (const Result<JsonValue> json = ParseJson(logged->json)) {
            rows.push_back(WithBuckets(PlaceOf(tag, value), LoggedBuckets(*json)));
          }
          return;
        }
        const Result<tfevents::HistogramValue> read = tfevents::DecodeHistogram(bytes);
        if (!read) return;
        QueryHistogram row = WithBuckets(PlaceOf(tag, value), BucketsOf(*read));
        if (read->old_style) {
          row.min = read->min;
          row.max = read->max;
          row.count = read->num;
          row.sum = read->sum;
          row.sum_squares = read->sum_squares;
        }
        rows.push_back(std::move(row));
      });
  return rows;
}

std::vector<QueryMedia> Media(const std::vector<TagSeries>& tags, const FileGate& gate) {
  std::vector<QueryMedia> rows;
  ForEachValue(
      tags, gate,
      [](std::string_view plugin) {
        return plugin == "images" || plugin == "audio" || plugin == "video";
      },
      [&](const TagSeries& tag, const TagSeries::Piece& piece, const StoredValue& value,
          const std::string& bytes, const LoggedValue* logged) {
        QueryMedia row{PlaceOf(tag, value), tag.plugin, 0, {}, 0, 0, 0};
        if (logged != nullptr) {
          constexpr size_t kMost = size_t{1} << 30;
          const std::string path = (std::filesystem::path(piece.media) / logged->file).string();
          const Result<std::string> file = ReadSmallFile(path, gate, kMost);
          if (file) {
            row.content_type = KnownTypeOf(*file);
            row.bytes = static_cast<int64_t>(file->size());
          }
          if (const Result<JsonValue> json = ParseJson(logged->json)) {
            row.width = (*json)["width"].AsInt();
            row.height = (*json)["height"].AsInt();
          }
          // Several of one step.
          if (!rows.empty() && rows.back().tag == row.tag && rows.back().step == row.step) {
            row.sample = rows.back().sample + 1;
          }
          rows.push_back(std::move(row));
          return;
        }
        const Result<std::vector<tfevents::MediaSample>> samples =
            tag.plugin == "audio" ? tfevents::DecodeAudio(bytes) : tfevents::DecodeImages(bytes);
        if (!samples) return;
        for (const tfevents::MediaSample& sample : *samples) {
          row.content_type = KnownTypeOf(sample.bytes);
          row.bytes = static_cast<int64_t>(sample.bytes.size());
          row.width = sample.width;
          row.height = sample.height;
          rows.push_back(row);
          ++row.sample;
        }
      });
  return rows;
}

std::vector<QueryText> Texts(const std::vector<TagSeries>& tags, const FileGate& gate) {
  std::vector<QueryText> rows;
  ForEachValue(
      tags, gate, [](std::string_view plugin) { return plugin == "text"; },
      [&](const TagSeries& tag, const TagSeries::Piece&, const StoredValue& value,
          const std::string& bytes, const LoggedValue* logged) {
        QueryText row{PlaceOf(tag, value), {}};
        if (logged != nullptr) {
          const Result<JsonValue> json = ParseJson(logged->json);
          row.text = json && json->IsString() ? json->AsString() : logged->json;
          rows.push_back(std::move(row));
          return;
        }
        const Result<tfevents::TextValue> read = tfevents::DecodeText(bytes);
        if (!read) return;
        // Cells of a row by tabs, rows by lines.
        for (size_t i = 0; i < read->rows; ++i) {
          if (i > 0) row.text += '\n';
          for (size_t j = 0; j < read->columns; ++j) {
            if (j > 0) row.text += '\t';
            row.text += read->Cell(i, j);
          }
        }
        rows.push_back(std::move(row));
      });
  return rows;
}

}  // namespace

std::vector<QueryRun> QueryRunsOf(const Workspace& workspace, bool raw) {
  std::vector<QueryRun> runs;
  for (const auto& listed : workspace.runs(raw)->runs) {
    if (listed->info.deleted) continue;
    QueryRun run;
    run.info = listed->info;
    workspace.WithSeries(
        listed->info.id,
        [&](const RunSeries& series) {
          for (const TagSeries& tag : series.tags) {
            if (tag.plugin == "scalars") {
              run.scalars.push_back({tag.tag, JoinedScalars(*tag.files, tag.own_tag)});
            }
          }
          const auto tags = std::make_shared<const std::vector<TagSeries>>(series.tags);
          const FileGate& gate = workspace.gate();  // each takes a copy
          run.histograms = [tags, gate] { return Histograms(*tags, gate); };
          run.media = [tags, gate] { return Media(*tags, gate); };
          run.texts = [tags, gate] { return Texts(*tags, gate); };
        },
        raw);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace telltale
