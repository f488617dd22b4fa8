// SPDX-License-Identifier: Apache-2.0
// `steps`: the training steps and how their time divides, as `telltale profile --view steps`.
#include "query/tables/tables.h"

namespace telltale {

namespace {

const StepRow& RowOf(const QueryFile& file, uint32_t row) { return file.Steps().rows[row]; }

template <StepCategory Which>
Value Part(const QueryFile& f, uint32_t r) {
  return Value::Integer(RowOf(f, r).categories[static_cast<size_t>(Which)]);
}

}  // namespace

SqlTable StepsTable() {
  SqlTable table;
  table.name = "steps";
  table.meaning = "the training steps, and how their time divides";
  table.rows = [](const QueryFile& f) { return f.trace == nullptr ? 0 : f.Steps().rows.size(); };
  table.about = [](const QueryFile& f) { return size_t{f.trace == nullptr ? 0U : 16U}; };
  table.columns = FileColumns();
  Append(
      table.columns,
      {{"number", ColumnType::kInteger, "place among the steps of its file, from 1",
        [](const QueryFile&, uint32_t r) { return Value::Integer(int64_t{r} + 1); },
        Spread::kUnique},
       {"name", ColumnType::kText, "N of ProfilerStep#N; 0 where the whole trace is one step",
        [](const QueryFile& f, uint32_t r) { return f.StepName(r); }, Spread::kFew,
        TextNumbers::kOwn},
       {"source", ColumnType::kText, "ProfilerStep, annotation or whole_trace",
        [](const QueryFile& f, uint32_t) { return f.source().Own(NameOf(f.Steps().source)); },
        Spread::kMany, TextNumbers::kOwn},
       {"start_ns", ColumnType::kInteger, "when it began, after the device work of the one before",
        [](const QueryFile& f, uint32_t r) { return Value::Integer(RowOf(f, r).start_ns); },
        Spread::kUnique},
       {"duration_ns", ColumnType::kInteger, "how long it took, device work included",
        [](const QueryFile& f, uint32_t r) { return Value::Integer(RowOf(f, r).duration_ns); },
        Spread::kFew},
       {"end_ns", ColumnType::kInteger, "start_ns + duration_ns",
        [](const QueryFile& f, uint32_t r) {
          return f.Time(f.Context().steps.rows[r].bounds.end_ns);
        },
        Spread::kUnique},
       {"host_start_ns", ColumnType::kInteger, "when its host event began",
        [](const QueryFile& f, uint32_t r) {
          return f.Time(f.Context().steps.rows[r].host.start_ns);
        },
        Spread::kUnique},
       {"host_end_ns", ColumnType::kInteger, "when its host event ended",
        [](const QueryFile& f, uint32_t r) {
          return f.Time(f.Context().steps.rows[r].host.end_ns);
        },
        Spread::kUnique},
       {"complete", ColumnType::kInteger, "0 if its device work was not recorded to the end",
        [](const QueryFile& f, uint32_t r) {
          return Value::Integer(RowOf(f, r).complete ? 1 : 0);
        }},
       {"device_events", ColumnType::kInteger, "device events launched inside it",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(RowOf(f, r).device_events); }},
       {"kernel_ns", ColumnType::kInteger, "time in compute kernels", Part<StepCategory::kKernel>},
       {"memcpy_ns", ColumnType::kInteger, "else in copies", Part<StepCategory::kMemcpy>},
       {"memset_ns", ColumnType::kInteger, "else in sets", Part<StepCategory::kMemset>},
       {"communication_ns", ColumnType::kInteger, "else in communication",
        Part<StepCategory::kCommunication>},
       {"runtime_ns", ColumnType::kInteger, "else in calls of the runtime",
        Part<StepCategory::kRuntime>},
       {"dataloader_ns", ColumnType::kInteger, "else waiting for data",
        Part<StepCategory::kDataloader>},
       {"cpu_exec_ns", ColumnType::kInteger, "else in operators on the host",
        Part<StepCategory::kCpuExec>},
       {"other_ns", ColumnType::kInteger, "what is left", Part<StepCategory::kOther>}});
  return table;
}

}  // namespace telltale
