// SPDX-License-Identifier: Apache-2.0
// Times queries on telltale's tables against the same queries on ordinary SQLite tables that hold
// the same rows, in one process and in turns. Prints one JSON document. Each query runs on fresh
// tables of ours first, so that what they compute on first use is part of the time; the ordinary
// tables have been filled before, and what that took is told apart.
//
//   query_tables TRACE [ROUNDS]
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/json_writer.h"
#include "query/database.h"
#include "runs/load.h"

namespace {

using telltale::Database;
using telltale::QueryInput;
using telltale::ResultValue;
using Clock = std::chrono::steady_clock;

struct Query {
  const char* name;
  const char* sql;
};

constexpr Query kQueries[] = {
    {"group by name", "SELECT name, count(*), sum(duration_ns) FROM events GROUP BY name"},
    {"group by name, sorted",
     "SELECT name, count(*) AS n, sum(duration_ns) AS total FROM events GROUP BY name ORDER BY "
     "total "
     "DESC LIMIT 20"},
    {"group by kind",
     "SELECT kind, count(*), avg(duration_ns), max(duration_ns) FROM events GROUP BY kind"},
    {"group by tid, kind", "SELECT tid, kind, sum(duration_ns) FROM events GROUP BY tid, kind"},
    {"group by a computed value",
     "SELECT duration_ns / 1000000 AS ms, count(*) FROM events GROUP BY ms"},
    {"group by operator", "SELECT operator, sum(duration_ns) FROM events GROUP BY operator"},
    {"where kind = , group by name",
     "SELECT name, sum(duration_ns) FROM events WHERE kind = 'kernel' GROUP BY name"},
    {"where name like", "SELECT count(*), sum(duration_ns) FROM events WHERE name LIKE '%add%'"},
    {"where duration between",
     "SELECT count(*), sum(duration_ns) FROM events WHERE duration_ns BETWEEN 2000 AND 5000"},
    {"sum of all", "SELECT sum(duration_ns), min(start_ns), max(end_ns) FROM events"},
    {"order by duration limit 10",
     "SELECT name, duration_ns FROM events ORDER BY duration_ns DESC LIMIT 10"},
    {"order by name, start",
     "SELECT sum(duration_ns) FROM (SELECT duration_ns FROM events ORDER BY name, start_ns LIMIT "
     "500000)"},
    {"distinct names", "SELECT count(*) FROM (SELECT DISTINCT name FROM events)"},
    {"join by correlation",
     "SELECT r.name, count(*), sum(k.duration_ns) FROM events k JOIN events r ON r.correlation = "
     "k.correlation WHERE k.kind = 'kernel' AND r.kind = 'runtime' GROUP BY r.name"},
    {"join kernels and operators",
     "SELECT o.name, count(*), sum(k.duration_ns) FROM kernels k JOIN operators o ON o.id = "
     "k.operator_id GROUP BY o.name"},
};

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "query_tables: %s\n", message.c_str());
  std::exit(1);
}

double Seconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// All rows as one number, so that both sides do the same work and can be compared.
struct Answer {
  uint64_t rows = 0;
  uint64_t hash = 1469598103934665603U;
  void Add(std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211U;
  }
};

Answer RunOurs(Database& database, const char* sql) {
  auto statement = database.Prepare(sql);
  if (!statement) Die(statement.error().message);
  Answer answer;
  while (true) {
    const auto next = statement->Next();
    if (!next) Die(next.error().message);
    if (!*next) return answer;
    ++answer.rows;
    for (size_t c = 0; c < statement->columns().size(); ++c) {
      const ResultValue value = statement->Get(c);
      answer.Add(value.kind == ResultValue::Kind::kInteger ? std::to_string(value.integer)
                                                           : std::string(value.bytes));
    }
  }
}

Answer RunOrdinary(sqlite3* connection, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection, sql, -1, &statement, nullptr) != SQLITE_OK)
    Die(sqlite3_errmsg(connection));
  Answer answer;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    ++answer.rows;
    for (int c = 0; c < sqlite3_column_count(statement); ++c) {
      const int type = sqlite3_column_type(statement, c);
      if (type == SQLITE_INTEGER) {
        answer.Add(std::to_string(sqlite3_column_int64(statement, c)));
      } else if (type == SQLITE_TEXT) {
        answer.Add({static_cast<const char*>(sqlite3_column_blob(statement, c)),
                    static_cast<size_t>(sqlite3_column_bytes(statement, c))});
      }
    }
  }
  sqlite3_finalize(statement);
  return answer;
}

void Execute(sqlite3* connection, const std::string& sql) {
  if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    Die(sqlite3_errmsg(connection));
}

void CopyTable(Database& database, const telltale::SqlTable& table, sqlite3* connection) {
  std::string columns;
  std::string marks;
  for (const telltale::SqlColumn& column : table.columns) {
    columns += columns.empty() ? "" : ", ";
    columns += "\"" + std::string(column.name) + "\" " + std::string(NameOf(column.type));
    marks += marks.empty() ? "?" : ", ?";
  }
  const std::string name(table.name);
  Execute(connection, "CREATE TABLE " + name + "(" + columns + "); BEGIN");
  sqlite3_stmt* insert = nullptr;
  const std::string sql = "INSERT INTO " + name + " VALUES(" + marks + ")";
  if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &insert, nullptr) != SQLITE_OK)
    Die(sqlite3_errmsg(connection));
  auto rows = database.Prepare("SELECT * FROM " + name);
  if (!rows) Die(rows.error().message);
  while (true) {
    const auto next = rows->Next();
    if (!next) Die(next.error().message);
    if (!*next) break;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const ResultValue value = rows->Get(c);
      const int i = static_cast<int>(c) + 1;
      switch (value.kind) {
        case ResultValue::Kind::kInteger:
          sqlite3_bind_int64(insert, i, value.integer);
          break;
        case ResultValue::Kind::kReal:
          sqlite3_bind_double(insert, i, value.real);
          break;
        case ResultValue::Kind::kText:
          sqlite3_bind_text64(insert, i, value.bytes.data(), value.bytes.size(), SQLITE_STATIC,
                              SQLITE_UTF8);
          break;
        default:
          sqlite3_bind_null(insert, i);
      }
    }
    if (sqlite3_step(insert) != SQLITE_DONE) Die(sqlite3_errmsg(connection));
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  Execute(connection, "COMMIT");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) Die("usage: query_tables TRACE [ROUNDS]");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::vector<std::string> paths = {argv[1]};
  const auto subject = telltale::LoadTraces(paths, {});
  if (!subject) Die(subject.error().message);
  QueryInput input;
  input.subject = *subject;
  const telltale::QueryLimits limits = {std::chrono::milliseconds(0), 0};

  sqlite3* ordinary = nullptr;
  sqlite3_open(":memory:", &ordinary);
  Execute(ordinary, "PRAGMA temp_store=MEMORY");
  const Clock::time_point begin = Clock::now();
  {
    Database database(input, limits);
    for (const telltale::SqlTable& table : telltale::Tables()) {
      if (table.name == "events" || table.name == "kernels" || table.name == "operators")
        CopyTable(database, table, ordinary);
    }
  }
  const double import_seconds = Seconds(begin);

  telltale::JsonWriter json;
  json.BeginObject();
  json.Field("events", subject->Each<telltale::Trace>().at(0)->spans.size());
  json.Field("import_seconds", import_seconds);
  json.Key("queries");
  json.BeginArray();
  for (const Query& query : kQueries) {
    std::vector<double> first;
    std::vector<double> again;
    std::vector<double> theirs;
    for (int round = 0; round < rounds; ++round) {
      Database database(input, limits);
      Clock::time_point start = Clock::now();
      const Answer ours = RunOurs(database, query.sql);
      first.push_back(Seconds(start));
      start = Clock::now();
      (void)RunOurs(database, query.sql);
      again.push_back(Seconds(start));
      start = Clock::now();
      const Answer expected = RunOrdinary(ordinary, query.sql);
      theirs.push_back(Seconds(start));
      if (ours.rows != expected.rows || ours.hash != expected.hash)
        Die(std::string("the answers differ: ") + query.sql);
    }
    json.BeginObject();
    json.Field("name", query.name);
    json.Field("first_seconds", *std::min_element(first.begin(), first.end()));
    json.Field("again_seconds", *std::min_element(again.begin(), again.end()));
    json.Field("ordinary_seconds", *std::min_element(theirs.begin(), theirs.end()));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  std::fputs(json.Take().c_str(), stdout);
  sqlite3_close(ordinary);
  return 0;
}
