// SPDX-License-Identifier: Apache-2.0
// The layout of custom charts: that of all runs that have one, joined.
#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "formats/tfevents/custom_layout.h"
#include "formats/tfevents/decode.h"
#include "server/tensorboard/custom_layout.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/stored_values.h"

namespace telltale {

namespace {

HttpResponse AnswerLayout(const DataContext& context, const DataRequest& /*request*/) {
  std::vector<Board::Run> runs = context.board.Runs();
  std::ranges::sort(runs, {}, &Board::Run::name);
  tfevents::CustomLayout layout;
  bool found_one = false;
  for (const Board::Run& run : runs) {
    FoundValues found = FindValues(context, run.name, tfevents::kLayoutTag, "custom_scalars");
    if (found.values.empty()) continue;
    // The latest one.
    found.values.erase(found.values.begin(), found.values.end() - 1);
    ForEachStored(context.board.gate(), found.values,
                  [&](const StoredValue&, std::string_view bytes) {
                    const Result<tfevents::Tensor> tensor = tfevents::DecodeValueTensor(bytes);
                    if (!tensor || tensor->strings.empty()) return;
                    JoinLayout(tfevents::ReadCustomLayout(tensor->strings[0]), layout);
                    found_one = true;
                  });
  }
  JsonWriter json(false);
  json.BeginObject();
  if (found_one) WriteLayout(layout, json);
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const DataRoute> LayoutDataRoutes() {
  static constexpr std::array<DataRoute, 1> kRoutes = {
      {{"plugin/custom_scalars/layout", AnswerLayout}}};
  return kRoutes;
}

}  // namespace telltale
