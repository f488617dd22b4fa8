// SPDX-License-Identifier: Apache-2.0
// What every era writes must arrive in the columns; how the text is cut into blocks and how many
// threads read it must not matter; damage is repaired or skipped, counted and located.
#include "formats/kineto_json/reader.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/kineto_json/simdjson_oracle.h"
#include "formats/kineto_json/trace_dump.h"

namespace telltale {
namespace {

using testing::HasSubstr;

Result<Trace> Read(std::string_view text, ReadOptions options = {}, size_t chunk = SIZE_MAX) {
  if (options.threads == 0) options.threads = 1;
  const auto source = OpenMemory(text, chunk);
  return ReadKinetoJson(*source, options);
}

Trace ReadGood(std::string_view text) {
  Result<Trace> trace = Read(text);
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  const std::string difference = CompareWithSimdjson(text, trace);
  EXPECT_EQ(difference, "");
  return trace ? std::move(*trace) : Trace();
}

uint64_t Count(const Trace& trace, DiagnosticKind kind) { return trace.diagnostics.Count(kind); }

// A bit of everything, as torch 2.x lays it out.
constexpr std::string_view kModern = R"json( {
    "schemaVersion": 1,
    "deviceProperties": [
    { "id": 0, "name": "NVIDIA H100", "totalGlobalMem": 84000000000, "computeMajor": 9, "computeMinor": 0, "numSms": 132 }
    ],
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0"}, {"pg_name": "1"}]},
    "with_stack": 1,
    "displayTimeUnit": "ms",
    "baseTimeNanoseconds": 1790857026000000000,
    "traceEvents": [
  {
    "ph": "M", "name": "process_name", "ts": 10.000, "pid": 7, "tid": 0,
    "args": { "name": "python" }
  },
  {
    "ph": "M", "name": "thread_name", "ts": 10.000, "pid": 7, "tid": 7,
    "args": { "name": "thread 7 (main)" }
  },
  {
    "ph": "M", "name": "thread_sort_index", "ts": 10.000, "pid": 7, "tid": 7,
    "args": { "sort_index": 5 }
  },
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7,
    "ts": 3918958179380.880, "dur": 52.528
    ,
    "args": {
      "External id": 3,"Sequence number": 52, "Fwd thread id": 1, "Record function id": 0, "Concrete Inputs": ["", "0"], "Input type": ["float", "Scalar"], "Input Strides": [[784, 1], []], "Input Dims": [[2048, 784], [784, 4]], "Call stack": "a.py(1): f;b.py(2): g", "Ev Idx": 2
    }
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7,
    "ts": 3918958179390.001, "dur": 4.5,
    "args": { "External id": 3, "cbid": 211, "correlation": 4294967299 }
  },
  {
    "ph": "s", "id": 4294967299, "pid": 7, "tid": 7, "ts": 3918958179390.001, "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7,
    "ts": 3918958179400.25, "dur": 30,
    "args": { "External id": 3, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 4294967299,
      "registers per thread": 40, "shared memory": 400, "blocks per SM": 4.740741, "warps per SM": 75.85,
      "grid": [512, 2, 1], "block": [256, 1, 1], "est. achieved occupancy %": 75,
      "Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 8, "dtype": "BFloat16",
      "Process Group Name": "0", "Process Group Ranks": [0, 1, 2], "Seq": 12, "Comms Id": 18446744073709551614 }
  },
  {
    "ph": "f", "id": 4294967299, "pid": 0, "tid": 7, "ts": 3918958179400.25, "cat": "ac2g", "name": "ac2g", "bp": "e"
  },
  {
    "ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 7, "tid": 7,
    "ts": 3918958179000, "dur": 900.5,
    "args": { "Python id": 12, "Python parent id": 3, "Python module id": 0, "CallFrom": "vae.py:99" }
  },
  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 7, "tid": 7, "ts": 3918958179385.000,
    "args": { "Total Reserved": 0, "Total Allocated": 3136, "Bytes": -3136, "Device Id": 0, "Device Type": 1, "Addr": 93973326569856 }
  },
  {
    "ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 3918958179500, "dur": 1,
    "args": { "stream": 7, "correlation": 9, "device": 0, "wait_on_stream": 20, "wait_on_cuda_event_record_corr_id": 8, "wait_on_cuda_event_id": 5 }
  },
  {
    "ph": "C", "name": "GPU 0 Utilization", "pid": 0, "ts": 3918958179400, "args": { "a": 0.5, "b": 2 }
  },
  {
    "ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 3918958261147.561
  }
  ],"traceName": "x.json" }
)json";

TEST(KinetoReader, FillsTheColumnsOfAModernTrace) {
  const Trace t = ReadGood(kModern);
  EXPECT_TRUE(t.diagnostics.empty()) << DumpTrace(t);
  EXPECT_EQ(t.source.events, 13U);
  EXPECT_EQ(t.base_time_ns, 1790857026000000000);
  ASSERT_EQ(t.devices.size(), 1U);
  EXPECT_EQ(t.devices[0].name, "NVIDIA H100");
  EXPECT_EQ(t.devices[0].multiprocessors, 132);
  EXPECT_EQ(t.distributed.rank, 3);
  EXPECT_EQ(t.distributed.world_size, 8);
  EXPECT_EQ(t.Metadata("with_stack"), "1");
  EXPECT_EQ(t.Metadata("traceName"), "x.json");

  ASSERT_EQ(t.spans.size(), 5U);
  EXPECT_EQ(t.spans.start_ns[0], 3918958179380880);
  EXPECT_EQ(t.spans.duration_ns[0], 52528);
  const OperatorDetail* op = t.OperatorOf(0);
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->external_id, 3U);
  EXPECT_EQ(op->sequence_number, 52);
  EXPECT_EQ(t.Text(op->input_dims), "[[2048,784],[784,4]]");
  EXPECT_EQ(t.Text(op->input_types), R"json(["float","Scalar"])json");
  EXPECT_EQ(t.Text(op->call_stack), "a.py(1): f;b.py(2): g");
  EXPECT_EQ(t.RuntimeOf(1)->correlation, 4294967299U);
  const DeviceDetail* d = t.DeviceOf(2);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(t.spans.start_ns[2], 3918958179400250);
  EXPECT_EQ(d->stream, 7);
  EXPECT_EQ(d->grid[0], 512U);
  EXPECT_EQ(d->grid[1], 2U);
  EXPECT_DOUBLE_EQ(d->blocks_per_sm, 4.740741);
  EXPECT_EQ(d->occupancy_percent, 75);
  ASSERT_NE(d->collective, kNoDetail);
  const CollectiveDetail& c = t.collectives[d->collective];
  EXPECT_EQ(t.Text(c.name), "allreduce");
  EXPECT_EQ(t.Text(c.group_ranks), "[0,1,2]");
  EXPECT_EQ(c.communicator, 18446744073709551614U);
  EXPECT_EQ(t.python_details[t.spans.detail[3]].python_id, 12);
  EXPECT_EQ(t.sync_details[t.spans.detail[4]].wait_on_record_correlation, 8);
  ASSERT_EQ(t.memory.size(), 1U);
  EXPECT_EQ(t.memory.bytes[0], -3136);
  EXPECT_EQ(t.memory.device_type[0], 1);
  ASSERT_EQ(t.flows.size(), 2U);
  EXPECT_EQ(t.flows.phase[1], FlowPhase::kEnd);
  ASSERT_EQ(t.counters.size(), 2U);
  EXPECT_EQ(t.counters.value[1], 2);
  const Track& track = t.tracks[static_cast<uint32_t>(t.spans.track[0])];
  EXPECT_EQ(t.Text(track.thread_name), "thread 7 (main)");
  EXPECT_EQ(track.thread_sort_index, 5);
  EXPECT_EQ(t.Text(t.processes[track.process].name), "python");
}

TEST(KinetoReader, OffsetsPointAtTheEvents) {
  const Trace t = ReadGood(kModern);
  for (size_t i = 0; i < t.spans.size(); ++i) {
    const std::string_view event = kModern.substr(t.spans.offset[i]);
    EXPECT_EQ(event[0], '{');
    EXPECT_THAT(std::string(event.substr(0, 120)), HasSubstr(std::string(t.NameOfSpan(i))));
  }
}

TEST(KinetoReader, ReadsOldTracesWithTextIdsAndUpperCaseCategories) {
  const Trace t = ReadGood(
      R"json({"schemaVersion": 1, "computeProperties": [{"id": 0, "name": "Tesla V100"}], "traceEvents": [
    {"ph": "X", "cat": "Operator", "name": "aten::conv2d", "pid": 25738, "tid": "25772", "ts": 1623142623531625, "dur": 12,
     "args": {"Device": 25738, "External id": 544, "Input dims": [[1, 2]]}},
    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 1623142623531639, "dur": 605,
     "args": {"correlation": 34442, "external id": 544}},
    {"ph": "s", "id": 1, "pid": 25738, "tid": 25772, "ts": 1623142623531625, "cat": "async", "name": "launch"}]})json");
  EXPECT_EQ(t.spans.category[0], Category::kOperator);
  EXPECT_EQ(t.spans.category[1], Category::kKernel);
  EXPECT_EQ(t.DeviceOf(1)->stream, 7);
  EXPECT_EQ(t.DeviceOf(1)->device, 0);
  EXPECT_EQ(t.DeviceOf(1)->external_id, 544U);
  EXPECT_EQ(t.devices[0].name, "Tesla V100");
  // "25772" on the span and 25772 on the flow are one thread.
  EXPECT_EQ(t.flows.track[0], t.spans.track[0]);
  EXPECT_EQ(t.Text(t.OperatorOf(0)->input_dims), "[[1,2]]");
}

TEST(KinetoReader, ReadsBareListsWithTextPids) {
  const Trace t = ReadGood(
      R"json([{"name": "aten::add", "ph": "X", "ts": 1.5, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}}])json");
  ASSERT_EQ(t.spans.size(), 1U);
  EXPECT_EQ(t.spans.start_ns[0], 1500);
  EXPECT_EQ(t.Text(t.tracks[0].pid.text), "CPU functions");
  EXPECT_EQ(t.spans.category[0], Category::kOperator)
      << "this writer has no cat and says it in pid";
}

TEST(KinetoReader, TellsEveryCategoryOfEveryEra) {
  const std::pair<const char*, Category> cases[] = {
      {"cpu_op", Category::kOperator},
      {"Operator", Category::kOperator},
      {"user_annotation", Category::kAnnotation},
      {"cuda_runtime", Category::kRuntime},
      {"cuda_driver", Category::kRuntime},
      {"Runtime", Category::kRuntime},
      {"xpu_driver", Category::kRuntime},
      {"privateuse1_runtime", Category::kRuntime},
      {"Memcpy", Category::kMemcpy},
      {"gpu_memset", Category::kMemset},
      {"mtia_ccp_events", Category::kKernel},
      {"gpu_user_annotation", Category::kGpuAnnotation},
      {"python_function", Category::kPython},
      {"cuda_sync", Category::kSync},
      {"Trace", Category::kTraceSpan},
      {"FEE", Category::kOther},
      {"", Category::kOther}};
  for (const auto& [text, category] : cases) EXPECT_EQ(CategoryOf(text), category) << text;
}

TEST(KinetoReader, PairsBeginWithEndAndCountsTheRest) {
  const Trace t = ReadGood(R"json([
    {"ph":"E","ts":1,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"outer","ts":2,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"inner","ts":3,"pid":1,"tid":1,"args":{"Sequence number":4}},
    {"ph":"E","ts":5,"pid":1,"tid":1},
    {"ph":"E","ts":9,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"open","ts":10,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"other thread","ts":0,"pid":1,"tid":2},
    {"ph":"E","ts":7,"pid":1,"tid":2}])json");
  ASSERT_EQ(t.spans.size(), 4U);
  EXPECT_EQ(t.spans.duration_ns[0], 7000);
  EXPECT_EQ(t.spans.duration_ns[1], 2000);
  EXPECT_EQ(t.OperatorOf(1)->sequence_number, 4);
  EXPECT_EQ(t.spans.category[2], Category::kUnmatched);
  EXPECT_EQ(t.spans.duration_ns[3], 7000);
  EXPECT_EQ(Count(t, DiagnosticKind::kUnmatchedBegin), 1U);
  EXPECT_EQ(Count(t, DiagnosticKind::kUnmatchedEnd), 1U);
}

TEST(KinetoReader, ReadsAsynchronousEventsInstantsAndUnknownPhases) {
  const Trace t = ReadGood(R"json([
    {"ph":"b","cat":"c","name":"a","id":"0x10","ts":1,"pid":1,"tid":1},
    {"ph":"n","cat":"c","name":"a","id":"0x10","ts":2,"pid":1,"tid":1},
    {"ph":"e","cat":"c","name":"a","id":"0x10","ts":3,"pid":1,"tid":1},
    {"ph":"i","name":"mark","ts":4,"pid":1,"tid":1,"s":"g"},
    {"ph":"N","name":"object","ts":5,"pid":1,"tid":1}])json");
  ASSERT_EQ(t.instants.size(), 4U);
  EXPECT_EQ(t.instants.id[0], t.instants.id[2]);
  EXPECT_EQ(t.instants.id[3], kNoUint);
  EXPECT_EQ(Count(t, DiagnosticKind::kUnknownPhase), 1U);
}

TEST(KinetoReader, UnescapesNamesWithSurrogatePairs) {
  const Trace t = ReadGood(
      R"json([{"ph":"X","name":"a\"b\\c\/d\n\u00e9 \ud83d\ude00","ts":1,"dur":1,"pid":1,"tid":1},)json"
      R"json({"ph":"X","name":"\u0061\"b\\c/d\n\u00E9 \uD83D\uDE00","ts":2,"dur":1,"pid":1,"tid":1}])json");
  EXPECT_EQ(t.NameOfSpan(0), "a\"b\\c/d\né 😀");
  EXPECT_EQ(t.spans.name[0], t.spans.name[1]) << "two spellings of one text are one string";
}

TEST(KinetoReader, RepairsWhatTorchIsKnownToWrite) {
  const std::string text =
      "{\"metadata\": {\"x\": N/A}, \"note\": \"a \"quoted\" word\",\n \"traceEvents\": [\n"
      R"json({"ph":"X","cat":"cpu_op","name":"say "hi", twice","ts":1,"dur":1,"pid":1,"tid":1,"args":{"stream":N/A,"x":NaN,}},)json"
      "\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"tab\there\",\"ts\":2,\"dur\":1,\"pid\":1,"
      "\"tid\":1},"
      "\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"bad \xff\xfe "
      "utf8\",\"ts\":3,\"dur\":1,\"pid\":1,\"tid\":1},"
      "\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"C:\\qdir "
      "\\ud800\",\"ts\":4,\"dur\":1,\"pid\":1,\"tid\":1},\n]}";
  const Result<Trace> read = Read(text);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const Trace& t = *read;
  ASSERT_EQ(t.spans.size(), 4U) << DumpTrace(t);
  EXPECT_EQ(t.NameOfSpan(0), "say \"hi\", twice");
  EXPECT_EQ(t.NameOfSpan(1), "tab\there");
  EXPECT_EQ(t.NameOfSpan(2), "bad \xef\xbf\xbd\xef\xbf\xbd utf8");
  EXPECT_EQ(t.NameOfSpan(3), "C:\\qdir \xef\xbf\xbd");
  EXPECT_EQ(t.Metadata("note"), "a \"quoted\" word");
  EXPECT_EQ(Count(t, DiagnosticKind::kUnescapedQuote),
            3U);  // two in the name, one entry for the note
  EXPECT_EQ(Count(t, DiagnosticKind::kBareWord), 2U);
  EXPECT_EQ(Count(t, DiagnosticKind::kTrailingComma), 2U);
  EXPECT_EQ(Count(t, DiagnosticKind::kControlCharacter), 1U);
  EXPECT_EQ(Count(t, DiagnosticKind::kInvalidUtf8), 1U);
  EXPECT_EQ(Count(t, DiagnosticKind::kInvalidEscape), 1U);
}

TEST(KinetoReader, SkipsAnEventItCannotUnderstandAndSaysWhere) {
  const std::string text =
      R"json({"traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1},
{"ph":"X","name":"broken" "ts":2 = },
{"ph":"X","name":"b","ts":3,"dur":1,"pid":1,"tid":1}], "traceName": "t"})json";
  const Result<Trace> read = Read(text);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->spans.size(), 2U);
  EXPECT_EQ(read->NameOfSpan(1), "b");
  EXPECT_EQ(Count(*read, DiagnosticKind::kMalformedEvent), 1U);
  EXPECT_EQ(read->diagnostics.entries()[0].first_offset,
            text.find("{\"ph\":\"X\",\"name\":\"broken"));
  EXPECT_EQ(read->Metadata("traceName"), "t");
}

TEST(KinetoReader, ReadsOnWhereABracketIsMissing) {
  const Result<Trace> no_bracket = Read(
      R"json({"traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1}, "traceName": "t"})json");
  ASSERT_TRUE(no_bracket.has_value());
  EXPECT_EQ(no_bracket->spans.size(), 1U);
  EXPECT_EQ(no_bracket->Metadata("traceName"), "t");
  const Result<Trace> extra_brace = Read(
      R"json([{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1}}, {"ph":"X","name":"b","ts":1,"dur":1,"pid":1,"tid":1}])json");
  ASSERT_TRUE(extra_brace.has_value());
  EXPECT_EQ(extra_brace->spans.size(), 2U);
}

constexpr std::string_view kEvent =
    R"json({"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1})json";

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::optional<uint64_t> FirstOffset(const Trace& trace, DiagnosticKind kind) {
  for (const Diagnostic& d : trace.diagnostics.entries()) {
    if (d.kind == kind) return d.first_offset;
  }
  return std::nullopt;
}

// The same however the text is cut.
Trace ReadDamaged(std::string_view text) {
  Result<Trace> whole = Read(text);
  EXPECT_TRUE(whole.has_value()) << whole.error().message;
  for (const size_t block : {1U, 7U, 60U, 200U}) {
    ReadOptions options;
    options.threads = 2;
    options.block_bytes = block;
    const Result<Trace> cut = Read(text, options);
    EXPECT_TRUE(cut.has_value());
    EXPECT_EQ(DumpTrace(*cut), DumpTrace(*whole)) << "blocks of " << block;
  }
  return std::move(*whole);
}

TEST(KinetoReader, SaysWhereACommaIsMissing) {
  const std::string list = Join({"[", kEvent, ",\n", kEvent, "\n", kEvent, kEvent, "]"});
  const Trace t = ReadDamaged(list);
  EXPECT_EQ(t.spans.size(), 4U);
  EXPECT_EQ(Count(t, DiagnosticKind::kMissingComma), 2U);
  EXPECT_EQ(FirstOffset(t, DiagnosticKind::kMissingComma), 1 + 2 * kEvent.size() + 3);
  EXPECT_EQ(InfoOf(DiagnosticKind::kMissingComma).severity, Severity::kError);

  const std::string object =
      Join({R"json({"a": 1 "traceEvents": [)json", kEvent, R"json(] "b": "c" "d": 2})json"});
  const Trace top = ReadDamaged(object);
  EXPECT_EQ(top.Metadata("b"), "c");
  EXPECT_EQ(top.Metadata("d"), "2");
  EXPECT_EQ(Count(top, DiagnosticKind::kMissingComma), 3U);
  EXPECT_EQ(FirstOffset(top, DiagnosticKind::kMissingComma), object.find("\"traceEvents"));
}

TEST(KinetoReader, CommasThatAreThereAreNotMissed) {
  for (const std::string& text :
       {Join({"[", kEvent, " , ", kEvent, "]"}),
        Join({R"json({"a": 1, "traceEvents": [], "b": 2})json"}),
        Join({R"json({"traceEvents": [)json", kEvent, R"json(, "b": 2})json"})}) {
    EXPECT_EQ(Count(ReadDamaged(text), DiagnosticKind::kMissingComma), 0U) << text;
  }
  EXPECT_EQ(
      Count(ReadDamaged(Join({"[,", kEvent, ",,", kEvent, ",]"})), DiagnosticKind::kTrailingComma),
      3U);
}

TEST(KinetoReader, SaysWhereBytesAreZero) {
  const std::string hole(300, '\0');
  const std::string between = Join({"[", kEvent, ",", hole, kEvent, "]"});
  const Trace t = ReadDamaged(between);
  EXPECT_EQ(t.spans.size(), 2U);
  EXPECT_EQ(Count(t, DiagnosticKind::kZeroBytes), 300U);
  EXPECT_EQ(FirstOffset(t, DiagnosticKind::kZeroBytes), between.find('\0'));
  EXPECT_EQ(InfoOf(DiagnosticKind::kZeroBytes).severity, Severity::kError);

  // From the middle of one event to the middle of another.
  const std::string across =
      Join({"[", kEvent, ",", kEvent.substr(0, 15), hole, kEvent.substr(15), ",", kEvent, "]"});
  EXPECT_EQ(Count(ReadDamaged(across), DiagnosticKind::kZeroBytes), 300U);
  const std::string top = Join({R"json({"traceEvents": [)json", kEvent, "]", hole, "}"});
  EXPECT_EQ(Count(ReadDamaged(top), DiagnosticKind::kZeroBytes), 300U);
}

TEST(KinetoReader, CallsWhatFollowsTheDocumentByItsName) {
  for (const std::string& document :
       {Join({"[", kEvent, "]"}), Join({R"json({"traceEvents": [)json", kEvent, "]}"}),
        Join({R"json({"traceEvents": [)json", kEvent, R"json(], "traceName": "x"})json"})}) {
    for (const std::string_view rest : {std::string_view("garbage"), std::string_view("say \"no\""),
                                        std::string_view("\0\0\0\0", 4), std::string_view("}]"),
                                        std::string_view(", \"x\": 1}")}) {
      const Trace t = ReadDamaged(Join({document, "\n", rest}));
      EXPECT_EQ(Count(t, DiagnosticKind::kTrailingData), 1U) << rest;
      EXPECT_EQ(FirstOffset(t, DiagnosticKind::kTrailingData), document.size() + 1) << rest;
      EXPECT_EQ(t.diagnostics.entries().size(), 1U) << DumpTrace(t);
    }
    const Trace two = ReadDamaged(Join({document, "\n", document}));
    EXPECT_EQ(two.spans.size(), 1U);
    EXPECT_EQ(FirstOffset(two, DiagnosticKind::kSecondDocument), document.size() + 1);
    EXPECT_EQ(InfoOf(DiagnosticKind::kSecondDocument).severity, Severity::kLoss);
    EXPECT_TRUE(ReadDamaged(document + " \r\n\t").diagnostics.empty());
  }
}

TEST(KinetoReader, CountsEventsWithoutUsableTimes) {
  const Trace t = ReadGood(R"json([
    {"ph":"X","name":"no ts","dur":1,"pid":1,"tid":1},
    {"ph":"X","name":"no dur","ts":1,"pid":1,"tid":1},
    {"ph":"X","name":"negative","ts":1,"dur":-5,"pid":1,"tid":1},
    {"ph":"X","name":"huge","ts":1e300,"dur":1,"pid":1,"tid":1},
    {"ph":"X","name":"text","ts":"12.5","dur":"3","pid":1,"tid":1}])json");
  EXPECT_EQ(Count(t, DiagnosticKind::kMissingTime), 2U);
  EXPECT_EQ(Count(t, DiagnosticKind::kMissingDuration), 1U);
  EXPECT_EQ(Count(t, DiagnosticKind::kNegativeDuration), 1U);
  EXPECT_EQ(Count(t, DiagnosticKind::kNumberOutOfRange), 1U);
  ASSERT_EQ(t.spans.size(), 3U);
  EXPECT_EQ(t.spans.start_ns[2], 12500);
}

TEST(KinetoReader, GivesTheSameTraceHoweverTheTextIsCut) {
  const std::string expected = DumpTrace(ReadGood(kModern));
  for (const unsigned threads : {1U, 2U, 3U}) {
    for (size_t block = 1; block < kModern.size() + 2; block += block < 64 ? 1 : 37) {
      ReadOptions options;
      options.threads = threads;
      options.block_bytes = block;
      const Result<Trace> cut = Read(kModern, options, 1 + block % 5);
      ASSERT_TRUE(cut.has_value());
      ASSERT_EQ(DumpTrace(*cut), expected)
          << "blocks of " << block << ", " << threads << " threads";
    }
  }
}

TEST(KinetoReader, CountsFlawsTheSameHoweverTheTextIsCut) {
  // Categories and tracks are remembered from event to event; their flaws must not be forgotten
  // with that.
  std::string text = "[";
  for (int i = 0; i < 12; ++i) {
    text +=
        "{\"ph\":\"X\",\"cat\":\"a\tb\",\"name\":\"n\",\"ts\":1,\"dur\":1,\"pid\":\"p\xff\","
        "\"tid\":\"t\x01\"},\n";
  }
  text += "{\"ph\":\"X\",\"cat\":\"c\xfe\",\"name\":\"n\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1}]";
  const Result<Trace> whole = Read(text);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(Count(*whole, DiagnosticKind::kInvalidUtf8), 13U);
  for (const size_t block : {1U, 90U, 150U, 400U}) {
    ReadOptions options;
    options.threads = 2;
    options.block_bytes = block;
    const Result<Trace> cut = Read(text, options);
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(DumpTrace(*cut), DumpTrace(*whole)) << block;
  }
}

TEST(KinetoReader, ReadsWhatIsThereAtEveryTruncationPoint) {
  const Trace whole = ReadGood(kModern);
  const size_t first_event = kModern.find("\"ph\"");
  for (size_t size = 0; size < kModern.size(); ++size) {
    const Result<Trace> cut = Read(kModern.substr(0, size));
    if (!cut) {
      EXPECT_FALSE(cut.error().message.empty());
      EXPECT_LT(size, first_event + 200) << cut.error().message;
      continue;
    }
    // Everything up to the last whole event is there.
    size_t expected = 0;
    for (size_t i = 0; i < whole.spans.size(); ++i) {
      const size_t end = kModern.find("\n  }", whole.spans.offset[i]) + 4;
      expected += end <= size ? 1U : 0U;
    }
    ASSERT_EQ(cut->spans.size(), expected) << size;
    const bool missing = kModern.substr(size).find_first_not_of(" \n") != std::string_view::npos;
    ASSERT_EQ(Count(*cut, DiagnosticKind::kTruncated), missing ? 1U : 0U) << size;
  }
}

TEST(KinetoReader, SurvivesEveryFlippedBit) {
  std::string text(kModern);
  for (size_t i = 0; i < text.size(); ++i) {
    for (const int bit : {0, 3, 5, 7}) {
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
      ReadOptions options;
      options.block_bytes = 200;
      const Result<Trace> cut = Read(text, options);
      const Result<Trace> whole = Read(text);
      ASSERT_EQ(cut ? DumpTrace(*cut) : cut.error().message,
                whole ? DumpTrace(*whole) : whole.error().message)
          << "bit " << bit << " of byte " << i;
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
    }
  }
}

TEST(KinetoReader, StandsHostileDepthAndSizes) {
  const std::string deep(200'000, '[');
  EXPECT_FALSE(Read(deep).has_value());
  const std::string event =
      R"json({"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"args":{"x":)json";
  const Result<Trace> nested = Read("[" + event + deep + std::string(200'000, ']') + "}}]");
  ASSERT_TRUE(nested.has_value());
  EXPECT_EQ(nested->spans.size(), 1U);

  ReadOptions options;
  options.block_bytes = 1000;
  options.max_value_bytes = 20'000;
  const std::string large = R"json({"metadata": ")json" + std::string(100'000, 'x') +
                            R"json(", "traceEvents": [)json" + event + "\"" +
                            std::string(50'000, 'y') + "\"}}," +
                            R"json({"ph":"X","name":"b","ts":1,"dur":1,"pid":1,"tid":1}]})json";
  const Result<Trace> skipped = Read(large, options);
  ASSERT_TRUE(skipped.has_value()) << skipped.error().message;
  EXPECT_EQ(skipped->spans.size(), 1U);
  EXPECT_EQ(Count(*skipped, DiagnosticKind::kOversizedValue), 2U);
}

TEST(KinetoReader, SaysWhatItFoundInsteadOfATrace) {
  const auto message = [](std::string_view text) {
    const Result<Trace> read = Read(text);
    return read ? std::string("read") : read.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_THAT(message("  \n"), HasSubstr("empty"));
  EXPECT_THAT(message("<!DOCTYPE html><html>404"), HasSubstr("web page"));
  EXPECT_THAT(message("<?xml version=\"1.0\"?><!DOCTYPE svg>"), HasSubstr("picture"));
  EXPECT_THAT(message("hello"), HasSubstr("\"hello\""));
  const std::string pickle = message("\x80\4\x95\x10\0\0}");
  EXPECT_THAT(pickle, HasSubstr("Python pickle"));
  EXPECT_THAT(pickle, HasSubstr("json.dump(pickle.load("));
  EXPECT_THAT(pickle, HasSubstr("torch.cuda.memory._snapshot()"));
  EXPECT_THAT(message(std::string("PK\3\4 archive/data.pkl\x80\2", 24)),
              HasSubstr("json.dump(torch.load("));
  EXPECT_THAT(message(R"json({"schema": 1, "nodes": []})json"), HasSubstr("schema, nodes"));
  EXPECT_THAT(message("[1, 2, 3]"), HasSubstr("no events"));
  EXPECT_THAT(message(R"json([{"a": 1}])json"), HasSubstr("no events"));
  EXPECT_THAT(message(R"json({"schemaVersion": 1, "dev)json"), HasSubstr("cut short"));
  EXPECT_EQ(message(R"json({"traceEvents": []})json"), "read");
}

TEST(KinetoReader, StopsWhenAsked) {
  std::atomic<bool> canceled = true;
  ReadOptions options;
  options.canceled = &canceled;
  const Result<Trace> read = Read(kModern, options);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kCanceled);
}

TEST(KinetoReader, ManyThreadsAndCategoriesKeepTheirNames) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) {
    text += R"json({"ph":"X","cat":"c)json" + std::to_string(i % 300) +
            R"json(","name":"n","ts":1,"dur":1,"pid":1,"tid":)json" + std::to_string(i) + "},";
  }
  text.back() = ']';
  const Trace t = ReadGood(text);
  ASSERT_EQ(t.tracks.size(), 5000U);
  EXPECT_EQ(t.categories.size(), 300U);
  for (size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(t.tracks[static_cast<uint32_t>(t.spans.track[i])].tid.number,
              static_cast<int64_t>(i));
  }
}

}  // namespace
}  // namespace telltale
