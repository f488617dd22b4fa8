// SPDX-License-Identifier: Apache-2.0
#include "query/database.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/query_fixture.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// One step with two operators, a launch each, and a copy whose launch is not in the trace.
Trace Sample() {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#7", 0, 1000);
  builder.Operator("aten::linear", 100, 500);
  const SpanRow addmm = builder.Operator("aten::addmm", 150, 450);
  builder.OperatorDetailOf(addmm).input_dims = builder.Text("[[2,3],[3,4]]");
  builder.Runtime("cudaLaunchKernel", 200, 220, 11);
  builder.Kernel("gemm", 300, 700, 11);
  builder.Runtime("cudaLaunchKernel", 400, 410, 12);
  builder.Kernel("ncclKernel_AllReduce", 700, 800, 12);
  builder.Memcpy("Memcpy DtoH", 820, 830, 99);
  builder.Python("nn.Module: Linear_0", 90, 510);
  builder.Python("linear.py(10): forward", 95, 505);
  builder.Memory(160, 512);
  builder.Memory(440, -128);
  builder.trace().base_time_ns = 1'000'000;
  return std::move(builder.trace());
}

class OneTrace : public testing::Test {
 protected:
  OneTrace() { input.subject.Add(Artifact(Sample())); }
  QueryInput input;
};

TEST_F(OneTrace, EventsHoldEverySpanAsCaptured) {
  Database database(input);
  EXPECT_THAT(
      RowsOf(database,
             "SELECT id, file, rank, kind, category, name, tid, start_ns, "
             "duration_ns, end_ns FROM events LIMIT 2"),
      ElementsAre("0|0|NULL|annotation|user_annotation|ProfilerStep#7|1|1000000|1000|1001000",
                  "1|0|NULL|operator|cpu_op|aten::linear|1|1000100|400|1000500"));
  EXPECT_THAT(
      RowsOf(database, "SELECT kind, count(*) FROM events GROUP BY kind"),
      ElementsAre("annotation|1", "kernel|2", "memcpy|1", "operator|2", "python|2", "runtime|2"));
}

TEST_F(OneTrace, DeviceEventsHaveTheStepAndOperatorOfTheirLaunch) {
  Database database(input);
  EXPECT_THAT(RowsOf(database,
                     "SELECT name, operator, operator_id, step, correlation FROM events "
                     "WHERE device IS NOT NULL"),
              ElementsAre("gemm|aten::addmm|2|7|11", "ncclKernel_AllReduce|aten::addmm|2|7|12",
                          "Memcpy DtoH|NULL|NULL|NULL|99"));
}

TEST_F(OneTrace, OperatorsHaveTheirOwnTimes) {
  Database database(input);
  EXPECT_THAT(RowsOf(database,
                     "SELECT name, host_total_ns, host_self_ns, device_total_ns, device_self_ns, "
                     "memory_total_bytes, memory_self_bytes, parent, depth, input_shapes "
                     "FROM operators ORDER BY id"),
              ElementsAre("ProfilerStep#7|1000|600|500|0|384|0|NULL|0|NULL",
                          "aten::linear|400|100|500|0|384|0|ProfilerStep#7|1|NULL",
                          "aten::addmm|300|270|500|500|384|384|aten::linear|2|[[2,3],[3,4]]"));
}

TEST_F(OneTrace, KernelsHaveTheirLaunch) {
  Database database(input);
  EXPECT_THAT(
      RowsOf(database, "SELECT id, kind, launch_id, launch_delay_ns, operator FROM kernels"),
      ElementsAre("4|compute|3|80|aten::addmm", "6|communication|5|290|aten::addmm",
                  "7|memcpy|NULL|NULL|NULL"));
}

TEST_F(OneTrace, StepsDivideTheirTime) {
  Database database(input);
  EXPECT_EQ(OneOf(database,
                  "SELECT name, source, start_ns, duration_ns, kernel_ns, "
                  "communication_ns, kernel_ns + memcpy_ns + memset_ns + "
                  "communication_ns + runtime_ns + dataloader_ns + cpu_exec_ns + "
                  "other_ns = duration_ns FROM steps"),
            "7|ProfilerStep|1000000|1000|400|100|1");
}

TEST_F(OneTrace, PythonFramesHaveParentsAndModules) {
  Database database(input);
  EXPECT_THAT(RowsOf(database, "SELECT name, module, parent, depth, self_ns FROM python"),
              ElementsAre("nn.Module: Linear_0|Linear_0|NULL|0|10",
                          "linear.py(10): forward|NULL|nn.Module: Linear_0|1|410"));
}

TEST_F(OneTrace, ConditionsAndOrdersAreSqlites) {
  Database database(input);
  const auto count = [&](const std::string& where) {
    return OneOf(database, "SELECT count(*) FROM events WHERE " + where);
  };
  EXPECT_EQ(count("name = 'gemm'"), "1");
  EXPECT_EQ(count("name = 'GEMM' COLLATE NOCASE"), "1");
  EXPECT_EQ(count("name = 'no such name'"), "0");
  EXPECT_EQ(count("name = NULL"), "0");
  EXPECT_EQ(count("name IN ('gemm', 'aten::addmm', 'x')"), "2");
  EXPECT_EQ(count("name = x'67656d6d'"), "0");
  EXPECT_EQ(count("duration_ns = '400'"), "2");
  EXPECT_EQ(count("duration_ns = 400.0"), "2");
  EXPECT_EQ(count("duration_ns = 400.5"), "0");
  EXPECT_EQ(count("duration_ns > 400.5"), "3");
  EXPECT_EQ(count("duration_ns >= 400.0 AND duration_ns < 400.5"), "2");
  EXPECT_EQ(count("duration_ns < 9e99 AND duration_ns > -9e99"), "10");
  EXPECT_EQ(count("duration_ns > 9223372036854775807"), "0");
  EXPECT_EQ(count("duration_ns < -9223372036854775807 - 1"), "0");
  EXPECT_EQ(count("correlation < 100"), "5") << "NULL is no number";
  EXPECT_EQ(count("correlation IS NULL"), "5");
  EXPECT_EQ(count("step = 7"), "9") << "text is compared with a number as SQLite does";
  EXPECT_EQ(count("kind = 'kernel' OR name = 'aten::addmm'"), "3");
  EXPECT_EQ(count("rowid = 4 AND id = 4"), "1");
  EXPECT_THAT(RowsOf(database,
                     "SELECT correlation, id FROM events WHERE id > 2 AND id < 8 "
                     "ORDER BY correlation DESC, id"),
              ElementsAre("99|7", "12|5", "12|6", "11|3", "11|4"));
  EXPECT_THAT(RowsOf(database, "SELECT DISTINCT correlation FROM events ORDER BY correlation"),
              ElementsAre("NULL", "11", "12", "99"));
}

TEST_F(OneTrace, EqualColumnNamesAreMadeDifferent) {
  Database database(input);
  const auto statement = database.Prepare("SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a");
  ASSERT_TRUE(statement);
  EXPECT_THAT(statement->columns(), ElementsAre("a", "a_3", "a_2", "a_4"));
}

TEST_F(OneTrace, OnlyReadingIsPossible) {
  Database database(input);
  for (const char* sql : {"DELETE FROM events",
                          "UPDATE events SET name = 'x'",
                          "INSERT INTO events DEFAULT VALUES",
                          "CREATE TABLE x(y)",
                          "CREATE TEMP TABLE x(y)",
                          "CREATE VIEW v AS SELECT 1",
                          "DROP TABLE events",
                          "ATTACH ':memory:' AS x",
                          "DETACH main",
                          "VACUUM",
                          "VACUUM INTO '/tmp/x'",
                          "BEGIN",
                          "PRAGMA journal_mode=WAL",
                          "PRAGMA writable_schema=ON",
                          "PRAGMA temp_store=1",
                          "PRAGMA hard_heap_limit=0",
                          "ALTER TABLE events RENAME TO x",
                          "REINDEX",
                          "ANALYZE",
                          "SELECT load_extension('x')",
                          "CREATE VIRTUAL TABLE x USING telltale_events"}) {
    EXPECT_THAT(RowsOf(database, sql), ElementsAre(StartsWith("error: "))) << sql;
  }
  EXPECT_THAT(RowsOf(database, "SELECT readfile('/etc/passwd')"),
              ElementsAre("error: no such function: readfile"));
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events"), "10");
}

TEST_F(OneTrace, OneStatementIsTaken) {
  Database database(input);
  EXPECT_EQ(OneOf(database, "SELECT 1; -- and a remark"), "1");
  EXPECT_EQ(OneOf(database, "SELECT 1;;  \n"), "1");
  EXPECT_THAT(OneOf(database, "SELECT 1; SELECT 2"), HasSubstr("second"));
  EXPECT_THAT(OneOf(database, "SELECT 1; DROP"), HasSubstr("second"));
  EXPECT_THAT(OneOf(database, "  -- nothing"), HasSubstr("no SQL"));
  EXPECT_THAT(OneOf(database, std::string_view("SELECT\0 1", 9)), HasSubstr("zero byte"));
  EXPECT_THAT(OneOf(database, "SELECT ?1"), HasSubstr("parameters"));
}

TEST_F(OneTrace, ErrorsSayWhere) {
  Database database(input);
  const auto statement = database.Prepare("SELECT name, durtion_ns FROM events");
  ASSERT_FALSE(statement);
  EXPECT_EQ(statement.error().unknown_column, "durtion_ns");
  EXPECT_EQ(statement.error().offset, 13U);
  const auto table = database.Prepare("SELECT 1 FROM event");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().unknown_table, "event");
}

TEST_F(OneTrace, TimeAndMemoryAreBounded) {
  Database quick(input, {std::chrono::milliseconds(20), int64_t{2} << 30});
  const std::string endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT ";
  EXPECT_THAT(OneOf(quick, endless + "count(*) FROM c"), HasSubstr("time"));
  EXPECT_EQ(OneOf(quick, "SELECT 1"), "1") << "the next statement has time of its own";
  Database small(input, {std::chrono::minutes(5), int64_t{32} << 20});
  EXPECT_THAT(OneOf(small, endless + "sum(length(t)) FROM (SELECT zeroblob(1000000) || x AS t "
                                     "FROM c ORDER BY 1)"),
              HasSubstr("memory"));
  Database database(input);  // and the limit is lifted for the next one
  EXPECT_THAT(OneOf(database, "SELECT length(zeroblob(1000000000))"), HasSubstr("too big"));
}

TEST_F(OneTrace, DeepSqlIsAnErrorAndNoCrash) {
  Database database(input);
  EXPECT_THAT(
      OneOf(database, "SELECT " + std::string(100000, '(') + "1" + std::string(100000, ')')),
      StartsWith("error: "));
  std::string chain = "SELECT 1";
  for (int i = 0; i < 3000; ++i) chain += " UNION ALL SELECT 1";
  EXPECT_THAT(OneOf(database, chain), StartsWith("error: "));
}

TEST_F(OneTrace, HasStatistics) {
  Database database(input);
  EXPECT_EQ(OneOf(database,
                  "SELECT median(x), percentile(x, 25), percentile(x, 100), median(NULL) "
                  "FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 4 UNION ALL "
                  "SELECT 10 UNION ALL SELECT NULL)"),
            "real 3.000000|real 1.750000|real 10.000000|NULL");
  EXPECT_THAT(OneOf(database, "SELECT percentile(id, 101) FROM events"), HasSubstr("0 to 100"));
  EXPECT_THAT(OneOf(database, "SELECT median(name) FROM events"), HasSubstr("numbers"));
}

TEST_F(OneTrace, PatternsAreFound) {
  Database database(input);
  EXPECT_THAT(RowsOf(database, "SELECT name FROM events WHERE name REGEXP '^aten::(add|mul)'"),
              ElementsAre("aten::addmm"));
  EXPECT_THAT(RowsOf(database, "SELECT name FROM events WHERE name LIKE '%GEMM%'"),
              ElementsAre("gemm"));
  EXPECT_THAT(RowsOf(database, "SELECT name FROM events WHERE name GLOB 'Mem*'"),
              ElementsAre("Memcpy DtoH"));
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events WHERE name LIKE NULL"), "0");
  EXPECT_EQ(OneOf(database,
                  "SELECT count(*) FROM events WHERE name LIKE '%a%' AND name NOT LIKE "
                  "'aten%' AND kind GLOB 'k*'"),
            "1");
  EXPECT_EQ(OneOf(database,
                  "SELECT count(*) FROM operators o JOIN events e ON e.name LIKE o.name || '%'"),
            "3");
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events WHERE name LIKE 'aten::a__mm' ESCAPE '_'"),
            "0");
  EXPECT_THAT(OneOf(database, "SELECT name FROM events WHERE name REGEXP '(a'"),
              HasSubstr("a ) is missing"));
}

TEST(SeveralTraces, TextsOfAllFilesAreOne) {
  QueryInput input;
  for (int rank = 0; rank < 2; ++rank) {
    TraceBuilder builder;
    builder.Operator(rank == 0 ? "only in 0" : "only in 1", 0, 10);
    builder.Operator("both", 20, 30 + rank);
    builder.trace().source.rank = rank;
    input.subject.Add(Artifact(std::move(builder.trace())));
  }
  Database database(input);
  EXPECT_THAT(RowsOf(database,
                     "SELECT name, count(*), sum(duration_ns), group_concat(rank) FROM "
                     "events GROUP BY name"),
              ElementsAre("both|2|21|0,1", "only in 0|1|10|0", "only in 1|1|10|1"));
  EXPECT_THAT(RowsOf(database, "SELECT id, file FROM events WHERE name = 'both'"),
              ElementsAre("1|0", "3|1"));
  EXPECT_THAT(RowsOf(database, "SELECT id FROM events WHERE rank = 1 ORDER BY name"),
              ElementsAre("3", "2"));
  EXPECT_THAT(RowsOf(database, "SELECT file, rank FROM files"), ElementsAre("0|0", "1|1"));
}

TEST(SeveralTraces, LookupsAgreeWithScans) {
  // Large enough for indexes, with keys that repeat and keys that are missing.
  QueryInput input;
  for (int file = 0; file < 3; ++file) {
    TraceBuilder builder;
    for (int i = 0; i < 400; ++i) {
      const auto id = static_cast<uint64_t>((i * 7919) % 131);
      builder.Kernel("k" + std::to_string(i % 17 + file), i * 10, i * 10 + i % 5,
                     i % 3 == 0 ? kNoUint : id);
    }
    input.subject.Add(Artifact(std::move(builder.trace())));
  }
  Database database(input);
  // The right side is found by index after a few rows, and by scan where + hides the column.
  for (const char* column : {"correlation", "name", "start_ns", "duration_ns", "id", "file"}) {
    const std::string c = column;
    const std::string pairs =
        "SELECT count(*), sum(a.id * b.id % 1000003) FROM events a JOIN "
        "events b ON ";
    EXPECT_EQ(OneOf(database, pairs + "a." + c + " = b." + c),
              OneOf(database, pairs + "+a." + c + " = +b." + c))
        << c;
  }
  const std::string ranges = "SELECT count(*), sum(b.id) FROM steps s, events b WHERE ";
  EXPECT_EQ(OneOf(database, ranges + "b.start_ns BETWEEN s.start_ns + 100 AND s.start_ns + 900"),
            OneOf(database, ranges + "+b.start_ns BETWEEN s.start_ns + 100 AND s.start_ns + 900"));
}

TEST(FunctionProfiles, HaveRowsForFunctionsAndCalls) {
  FunctionProfile profile;
  CallTreeBuilder tree(profile);
  const CallNodeId outer = tree.Child(kNoCallNode, tree.FunctionOf("a.py", 1, "outer"));
  const CallNodeId inner = tree.Child(outer, tree.FunctionOf("a.py", 9, "inner"));
  profile.tree.self[outer] = 10;
  profile.tree.self[inner] = 32;
  profile.tree.calls[outer] = 1;
  profile.tree.calls[inner] = 4;
  FunctionProfile samples;
  samples.unit = ValueUnit::kSamples;
  CallTreeBuilder other(samples);
  samples.tree.self[other.Child(kNoCallNode, other.FunctionOf("", kNoInt, "main"))] = 5;
  QueryInput input;
  for (FunctionProfile* one : {&profile, &samples}) input.subject.Add(Artifact(std::move(*one)));
  Database database(input);
  EXPECT_THAT(RowsOf(database,
                     "SELECT file, name, line, self_ns, total_ns, unit, self_value FROM "
                     "functions ORDER BY file, function_id"),
              ElementsAre("0|outer|1|10|42|ns|10", "0|inner|9|32|32|ns|32",
                          "1|main|NULL|NULL|NULL|samples|5"));
  EXPECT_THAT(RowsOf(database,
                     "SELECT c.caller, f.name, c.calls, c.total_ns FROM function_calls c "
                     "JOIN functions f ON f.file = c.file AND f.function_id = c.callee_id"),
              ElementsAre("outer|inner|4|32"));
  EXPECT_EQ(OneOf(database, "SELECT count(*) FROM events"), "0");
}

TEST(NoTrace, TablesAreEmpty) {
  Database database({});
  for (const SqlTable& table : Tables()) {
    EXPECT_EQ(OneOf(database, "SELECT count(*) FROM " + std::string(table.name)), "0");
  }
}

TEST(NoTrace, FailuresAreDiagnostics) {
  QueryInput input;
  input.subject.failures = {{ErrorCode::kUnreadable, "no such file", std::nullopt}};
  Database database(input);
  EXPECT_EQ(
      OneOf(database, "SELECT file, severity, kind, count, first_offset, message FROM diagnostics"),
      "NULL|error|unreadable|1|NULL|no such file");
}

TEST(Tables, EveryColumnOfEveryTableCanBeRead) {
  QueryInput input;
  input.subject.Add(Artifact(Sample()));
  Database database(input);
  for (const SqlTable& table : Tables()) {
    for (const SqlColumn& column : table.columns) {
      const std::string name = "\"" + std::string(column.name) + "\"";
      const std::string from = " FROM " + std::string(table.name);
      // Ordered by the table itself and by SQLite.
      EXPECT_EQ(RowsOf(database, "SELECT " + name + from + " ORDER BY " + name),
                RowsOf(database, "SELECT " + name + from + " ORDER BY +" + name))
          << table.name << "." << column.name;
    }
  }
}

}  // namespace
}  // namespace telltale
