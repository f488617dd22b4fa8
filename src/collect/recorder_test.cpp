// SPDX-License-Identifier: Apache-2.0
// The recorder (src/record), seen through the reader of its regions: what threads, signals, fork
// and a full disk do to it.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <map>
#include <set>
#include <thread>

#include <telltale/telltale.hpp>

#include "collect/recording_fixture.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using Kind = RegionRecord::Kind;
using RecorderTest = Recording;

int64_t WallNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A child that ends with what `run` returns, without the parent's exit handlers.
template <typename Run>
int InChild(const Run& run) {
  const pid_t child = fork();
  if (child == 0) _exit(run());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(RecorderTest, KeepsEveryKindWithItsFields) {
  const int64_t before = WallNanoseconds();
  Start();
  telltale_scalar(Number("loss"), 0.25, 7);
  telltale_scalar_at(Number("loss"), -1e300, TELLTALE_NO_STEP, 12345);
  telltale_text(Number("log"), "hello", 5, 3);
  telltale_value(Number("image"), "\1\2\3", 3, 4, 99);
  telltale_note("config", "{}", 2);
  telltale_span_begin(Number("forward"));
  telltale_instant(Number("now"));
  telltale_counter(Number("queue"), 2.5);
  telltale_span_end();
  telltale_step_begin(9);
  telltale_step_end(9, 1234);
  telltale_heartbeat();
  const int64_t after = WallNanoseconds();

  auto reader = Reader();
  std::map<Kind, KeptRecord> by_kind;
  for (const KeptRecord& record : Drain(reader)) {
    by_kind.insert({record.kind, record});
    EXPECT_EQ(record.thread, static_cast<uint64_t>(gettid()));
    // The counter and the clock were compared microseconds ago.
    if (record.wall_ns > 1'000'000) {
      EXPECT_GT(record.wall_ns, before - 1'000'000);
      EXPECT_LT(record.wall_ns, after + 1'000'000);
    }
  }
  EXPECT_EQ(by_kind.size(), 11U);
  EXPECT_EQ(by_kind.at(Kind::kScalar).name, "loss");
  EXPECT_EQ(by_kind.at(Kind::kScalar).value, 0.25);
  EXPECT_EQ(by_kind.at(Kind::kScalar).step, 7);
  EXPECT_EQ(by_kind.at(Kind::kText).bytes, "hello");
  EXPECT_EQ(by_kind.at(Kind::kText).step, 3);
  EXPECT_EQ(by_kind.at(Kind::kValue).bytes, "\1\2\3");
  EXPECT_EQ(by_kind.at(Kind::kValue).wall_ns, 99);
  EXPECT_EQ(by_kind.at(Kind::kNote).name, "config");
  EXPECT_EQ(by_kind.at(Kind::kNote).bytes, "{}");
  EXPECT_EQ(by_kind.at(Kind::kNote).step, TELLTALE_NO_STEP);
  EXPECT_EQ(by_kind.at(Kind::kSpanBegin).name, "forward");
  EXPECT_EQ(by_kind.at(Kind::kInstant).name, "now");
  EXPECT_EQ(by_kind.at(Kind::kCounter).value, 2.5);
  EXPECT_EQ(by_kind.at(Kind::kStepBegin).step, 9);
  EXPECT_EQ(by_kind.at(Kind::kStepEnd).step, 9);
  EXPECT_EQ(by_kind.at(Kind::kStepEnd).data_wait_ns, 1234);
  EXPECT_GE(by_kind.at(Kind::kStepEnd).value, 0);
  EXPECT_LT(by_kind.at(Kind::kStepEnd).value, static_cast<double>(after - before));
  EXPECT_EQ(reader.info().pid, static_cast<uint64_t>(getpid()));
  EXPECT_EQ(reader.info().parent_pid, 0U);
  EXPECT_FALSE(reader.info().is_closed);
  EXPECT_GT(reader.info().last_heartbeat_ns, before - 1'000'000);
}

TEST_F(RecorderTest, DoesNothingWhileItIsOff) {
  EXPECT_EQ(telltale_recording(), 0);
  EXPECT_EQ(Number("loss"), 0U);
  telltale_scalar(1, 1, 1);
  telltale_span_begin(1);
  telltale_span_end();
  telltale_note("config", "{}", 2);
  telltale_step_end(1, -1);
  telltale_heartbeat();
  telltale_flush();
  telltale_stop();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(RecorderTest, CannotStartWhereNoFolderCanBe) {
  EXPECT_EQ(telltale_start("/proc/no/such/folder"), 0);
  EXPECT_EQ(telltale_recording(), 0);
  EXPECT_EQ(telltale_start(nullptr), 0);
  EXPECT_EQ(telltale_start(std::string(5000, 'a').c_str()), 0);
}

TEST_F(RecorderTest, StartsAgainIntoAnotherRegion) {
  Start();
  const uint32_t loss = Number("loss");
  telltale_scalar(loss, 1, 1);
  EXPECT_EQ(telltale_start(folder_.c_str()), 1);
  EXPECT_EQ(Regions().size(), 1U);
  telltale_stop();
  telltale_scalar(loss, 2, 2);
  Start();
  EXPECT_EQ(Number("loss"), loss);
  telltale_scalar(loss, 3, 3);
  const auto regions = Regions();
  ASSERT_EQ(regions.size(), 2U);
  std::vector<double> values;
  size_t closed = 0;
  for (const std::string& path : regions) {
    auto reader = RegionReader::Open(path);
    ASSERT_TRUE(reader);
    closed += static_cast<size_t>(reader->info().is_closed);
    for (const KeptRecord& record : Drain(*reader)) {
      EXPECT_EQ(record.name, "loss");
      values.push_back(record.value);
    }
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<double>{1, 3}));
  EXPECT_EQ(closed, 1U);
}

TEST_F(RecorderTest, KeepsErrno) {
  errno = 4242;
  Start();
  EXPECT_EQ(errno, 4242);
  const std::string text(200'000, 'x');
  telltale_text(Number("log"), text.data(), text.size(), 1);
  for (int i = 0; i < 10'000; ++i) telltale_scalar(Number("loss"), 1, i);
  EXPECT_EQ(errno, 4242);
}

TEST_F(RecorderTest, CutsNamesThatAreTooLong) {
  Start();
  const std::string longest(5000, 'n');
  telltale_scalar(Number(longest), 1, 1);
  auto reader = Reader();
  EXPECT_EQ(Drain(reader).at(0).name, longest.substr(0, 4096));
}

TEST_F(RecorderTest, KnowsTensOfThousandsOfNames) {
  // A process keeps its names: not in that of the other tests.
  EXPECT_EQ(InChild([&] {
              if (telltale_start(folder_.c_str()) != 1) return 1;
              for (int i = 0; i < 30'000; ++i)
                telltale_scalar(Number("layer." + std::to_string(i)), i, i);
              auto reader = Reader();
              const auto all = Drain(reader);
              for (const KeptRecord& record : all) {
                if (record.name != "layer." + std::to_string(record.step)) return 2;
              }
              return all.size() == 30'000 && reader.diagnostics.empty() ? 0 : 3;
            }),
            0);
}

TEST_F(RecorderTest, TellsTimeWithoutTheCounter) {
  EXPECT_EQ(InChild([&] {
              setenv("TELLTALE_CLOCK", "monotonic", 1);
              const int64_t before = WallNanoseconds();
              if (telltale_start(folder_.c_str()) != 1) return 1;
              telltale_scalar(Number("loss"), 1, 1);
              auto reader = Reader();
              if (reader.info().clock != record::ClockKind::kMonotonic) return 2;
              const int64_t wall_ns = Drain(reader).at(0).wall_ns;
              return wall_ns > before - 1'000'000 && wall_ns < WallNanoseconds() + 1'000'000 ? 0
                                                                                             : 3;
            }),
            0);
}

TEST_F(RecorderTest, KnowsItsRankFromTheLauncher) {
  EXPECT_EQ(InChild([&] {
              setenv("RANK", "3", 1);
              setenv("LOCAL_RANK", "1", 1);
              setenv("WORLD_SIZE", "8", 1);
              setenv("SLURM_PROCID", "99", 1);
              if (telltale_start(folder_.c_str()) != 1) return 1;
              const auto reader = Reader();
              const RegionHeaderInfo& info = reader.info();
              return info.rank == 3 && info.local_rank == 1 && info.world_size == 8 ? 0 : 2;
            }),
            0);
}

TEST_F(RecorderTest, SaysHelloToTheCollector) {
  fs::create_directories(folder_ + "/.live");
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder_ + "/.live/socket";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 4), 0);
  Start();
  const int peer = accept(listener, nullptr, nullptr);
  ASSERT_GE(peer, 0);
  char text[512] = {};
  ASSERT_GT(recv(peer, text, sizeof text - 1, 0), 0);
  const std::string region = fs::path(Regions().at(0)).filename();
  EXPECT_EQ(std::string(text), "{\"hello\": 1, \"pid\": " + std::to_string(getpid()) +
                                   ", \"region\": \"" + region + "\", \"role\": \"main\"}");
  close(peer);
  close(listener);
}

// Threads

TEST_F(RecorderTest, KeepsWhatManyThreadsRecord) {
  Start();
  constexpr int kThreads = 8;
  constexpr int kScalars = 20'000;
  const uint32_t loss = Number("loss");
  auto reader = Reader();
  std::map<uint64_t, int64_t> next;
  size_t found = 0;
  size_t out_of_order = 0;
  const auto read = [&] {
    ASSERT_TRUE(reader.Drain([&](const RegionRecord& record) {
      if (record.kind != Kind::kScalar) return;
      // Of a thread in order, although its chunks are filled while others are looked at.
      out_of_order +=
          static_cast<size_t>(record.step != next[static_cast<uint64_t>(record.value)]++);
      ++found;
    }));
    reader.Release();
  };
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int64_t step = 0; step < kScalars; ++step) {
        TELLTALE_SPAN("step");
        telltale_scalar(loss, thread, step);
      }
      --running;
    });
  }
  while (running > 0) read();
  for (std::thread& thread : threads) thread.join();
  read();
  EXPECT_EQ(found, static_cast<size_t>(kThreads * kScalars));
  EXPECT_EQ(out_of_order, 0U);
  EXPECT_TRUE(reader.diagnostics.empty());
}

TEST_F(RecorderTest, ReusesWhatEndedThreadsLeft) {
  Start();
  const uint32_t loss = Number("loss");
  std::set<uint64_t> tids;
  for (int i = 0; i < 500; ++i) {
    std::thread([&] {
      telltale_scalar(loss, static_cast<double>(gettid()), i);
      TELLTALE_SPAN("short");
      tids.insert(static_cast<uint64_t>(gettid()));
    }).join();
  }
  EXPECT_LT(fs::file_size(Regions().at(0)), 1U << 20);
  auto reader = Reader();
  const auto all = Drain(reader);
  EXPECT_EQ(Count(all, Kind::kScalar), 500U);
  EXPECT_EQ(Count(all, Kind::kSpanEnd), 500U);
  std::set<uint64_t> found;
  for (const KeptRecord& record : all) {
    if (record.kind == Kind::kScalar) {
      EXPECT_EQ(static_cast<double>(record.thread), record.value);
    }
    found.insert(record.thread);
  }
  EXPECT_EQ(found, tids);
}

TEST_F(RecorderTest, KnowsTheNameOfAThread) {
  Start();
  uint64_t tid = 0;
  std::thread([&] {
    pthread_setname_np(pthread_self(), "loader");
    tid = static_cast<uint64_t>(gettid());
    telltale_heartbeat();
  }).join();
  auto reader = Reader();
  Drain(reader);
  EXPECT_EQ(reader.thread_names().at(tid), "loader");
}

// Spans

// Begins and ends of a thread as they must nest; returns the largest depth.
size_t CheckNesting(const std::vector<KeptRecord>& all) {
  std::map<uint64_t, size_t> depth;
  size_t deepest = 0;
  for (const KeptRecord& record : all) {
    if (record.kind == Kind::kSpanBegin) deepest = std::max(deepest, ++depth[record.thread]);
    if (record.kind != Kind::kSpanEnd) continue;
    EXPECT_GT(depth[record.thread], 0U);
    --depth[record.thread];
  }
  for (const auto& [thread, open] : depth) EXPECT_EQ(open, 0U);
  return deepest;
}

TEST_F(RecorderTest, DropsSpansWholeAndCountsThem) {
  Start();
  const uint32_t name = Number("span");
  constexpr size_t kSpans = 400'000;
  for (size_t i = 0; i < kSpans / 4; ++i) {
    telltale_span_begin(name);
    telltale_span_begin(name);
    telltale_span_end();
    telltale_span_begin(name);
    telltale_span_begin(name);
    telltale_span_end();
    telltale_span_end();
    telltale_span_end();
  }
  telltale_scalar(name, 1, 1);
  auto reader = Reader();
  const auto all = Drain(reader);
  CheckNesting(all);
  EXPECT_GT(reader.dropped_spans(), 0U);
  EXPECT_EQ(Count(all, Kind::kSpanBegin) + reader.dropped_spans(), kSpans);
  EXPECT_EQ(Count(all, Kind::kScalar), 1U);
  EXPECT_LT(fs::file_size(reader.path()), 6U << 20);
}

TEST_F(RecorderTest, RecordsSpansInsideADroppedOneAgain) {
  Start();
  const uint32_t name = Number("span");
  auto reader = Reader();
  telltale_heartbeat();
  while (Reader().dropped_spans() == 0) {
    for (int i = 0; i < 10'000; ++i) telltale_instant(name);
  }
  telltale_span_begin(name);  // dropped
  Drain(reader);
  reader.Release();
  // The next try is a thousandth of a second later.
  size_t inner = 0;
  while (inner == 0) {
    telltale_span_begin(name);
    telltale_span_end();
    const auto all = Drain(reader);
    CheckNesting(all);
    inner = Count(all, Kind::kSpanBegin);
  }
  telltale_span_end();
  telltale_span_begin(name);
  telltale_span_end();
  const auto all = Drain(reader);
  CheckNesting(all);
  EXPECT_EQ(Count(all, Kind::kSpanBegin), 1U);
}

TEST_F(RecorderTest, KeepsNestingHoweverDeep) {
  Start();
  const uint32_t name = Number("span");
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10'000; ++i) telltale_span_begin(name);
    for (int i = 0; i < 10'001; ++i) telltale_span_end();  // one too many
  }
  auto reader = Reader();
  const auto all = Drain(reader);
  EXPECT_GT(CheckNesting(all), 3000U);
  EXPECT_EQ(Count(all, Kind::kSpanBegin) + reader.dropped_spans(), 30'000U);
}

// Signals

uint32_t signal_name = 0;
std::atomic<int64_t> signals_handled = 0;

void RecordInHandler(int) {
  telltale_span_begin(signal_name);
  telltale_scalar(signal_name, 1, signals_handled.load());
  telltale_text(signal_name, "signal", 6, signals_handled.load());
  telltale_span_end();
  ++signals_handled;
}

TEST_F(RecorderTest, SurvivesHandlersThatRecordInTheMiddleOfARecord) {
  Start();
  signal_name = Number("signal");
  const uint32_t name = Number("main");
  signals_handled = 0;
  struct sigaction action{};
  action.sa_handler = RecordInHandler;
  action.sa_flags = SA_RESTART;
  struct sigaction before{};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  std::atomic<bool> is_over = false;
  const pthread_t self = pthread_self();
  std::thread sender([&] {
    while (!is_over) {
      pthread_kill(self, SIGUSR1);
      // Handlers must not fill the region faster than a slow build can read it.
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  auto reader = Reader();
  int64_t expected = 0;
  int64_t handled = 0;
  int64_t depth = 0;
  std::map<std::string, int64_t> open;
  const auto read = [&] {
    ASSERT_TRUE(reader.Drain([&](const RegionRecord& record) {
      if (record.kind == Kind::kSpanBegin) ++depth;
      if (record.kind == Kind::kSpanEnd) --depth;
      if (record.kind == Kind::kText) {
        ASSERT_EQ(record.bytes, "signal");
      }
      if (record.kind != Kind::kScalar) return;
      if (record.name == "main") {
        ASSERT_EQ(record.step, expected);
        ++expected;
      } else {
        ASSERT_EQ(record.name, "signal");
        ++handled;
      }
    }));
    reader.Release();
  };
  int64_t step = 0;
  for (; step < 3'000'000 && (signals_handled < 2000 || step < 200'000); ++step) {
    telltale_span_begin(name);
    telltale_scalar(name, 2, step);
    telltale_span_end();
    if (step % 20'000 == 0) read();
  }
  is_over = true;
  sender.join();
  sigaction(SIGUSR1, &before, nullptr);
  read();
  EXPECT_EQ(expected, step);
  EXPECT_EQ(handled, signals_handled);
  EXPECT_GT(handled, 0);
  EXPECT_EQ(depth, 0);
  EXPECT_TRUE(reader.diagnostics.empty());
}

// Fork

TEST_F(RecorderTest, GivesAForkedChildARegionOfItsOwn) {
  Start();
  const uint32_t loss = Number("loss");
  telltale_span_begin(loss);
  telltale_scalar(loss, 1, 1);
  EXPECT_EQ(InChild([&] {
              telltale_span_end();  // of the parent's span: nothing here
              telltale_scalar(loss, 2, 2);
              telltale_scalar(Number("child"), 3, 3);
              return 0;
            }),
            0);
  EXPECT_EQ(InChild([] { return 0; }), 0);  // nothing recorded, no region
  telltale_scalar(loss, 4, 4);
  telltale_span_end();
  ASSERT_EQ(Regions().size(), 2U);
  for (const std::string& path : Regions()) {
    auto reader = RegionReader::Open(path);
    ASSERT_TRUE(reader);
    const auto all = Drain(*reader);
    if (reader->info().pid == static_cast<uint64_t>(getpid())) {
      EXPECT_EQ(Count(all, Kind::kScalar), 2U);
      EXPECT_EQ(Count(all, Kind::kSpanEnd), 1U);
      continue;
    }
    EXPECT_EQ(reader->info().parent_pid, static_cast<uint64_t>(getpid()));
    EXPECT_EQ(reader->info().role, record::Role::kWorker);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "loss");
    EXPECT_EQ(all[0].value, 2);
    EXPECT_EQ(all[1].name, "child");
  }
}

TEST_F(RecorderTest, SurvivesForksWhileOtherThreadsRecord) {
  constexpr int kForks = 30;
  constexpr size_t kScalars = 3000;
  std::atomic<int64_t> recorded = 0;
  const auto record_and_fork = [&] {
    const uint32_t loss = Number("loss");
    std::atomic<bool> is_over = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        // New names take the lock, and so does this flush: a child must not wait for it.
        while (!is_over) {
          telltale_flush();
          if (recorded < 3000) telltale_scalar(Number("name " + std::to_string(recorded++)), 1, 1);
        }
      });
    }
    int failed = 0;
    for (int i = 0; i < kForks; ++i) {
      failed += InChild([&] {
        alarm(20);  // a lock that never opens would keep the child
        for (size_t step = 0; step < kScalars; ++step)
          telltale_scalar(loss, i, static_cast<int64_t>(step));
        return 0;
      });
    }
    is_over = true;
    for (std::thread& thread : threads) thread.join();
    return failed;
  };
  // In a process of its own, which keeps all these names.
  EXPECT_EQ(InChild([&] {
              if (telltale_start(folder_.c_str()) != 1) return 1;
              if (record_and_fork() != 0) return 2;
              auto reader = Reader(getpid());
              const size_t count = Drain(reader).size();
              return count == static_cast<size_t>(recorded) && reader.diagnostics.empty() ? 0 : 3;
            }),
            0);
  ASSERT_EQ(Regions().size(), size_t{kForks} + 1);
  for (const std::string& path : Regions()) {
    auto reader = RegionReader::Open(path);
    ASSERT_TRUE(reader);
    const auto all = Drain(*reader);
    EXPECT_TRUE(reader->diagnostics.empty());
    if (all.at(0).name != "loss") continue;
    EXPECT_EQ(all.size(), kScalars);
  }
}

TEST_F(RecorderTest, LetsAChildOfAChildRecord) {
  Start();
  const uint32_t loss = Number("loss");
  EXPECT_EQ(InChild([&] {
              telltale_scalar(loss, 1, 1);
              return InChild([&] {
                telltale_scalar(loss, 2, 2);
                return 0;
              });
            }),
            0);
  telltale_scalar(loss, 0, 0);
  EXPECT_EQ(Regions().size(), 3U);
}

// A full disk: the limit of a file's size refuses in the same places.

TEST_F(RecorderTest, HoldsInMemoryWhatTheDiskHasNoRoomFor) {
  EXPECT_EQ(InChild([&] {
              rlimit limit{};
              getrlimit(RLIMIT_FSIZE, &limit);
              limit.rlim_cur = 1 << 20;
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              if (telltale_start(folder_.c_str()) != 1) return 2;
              constexpr int64_t kSteps = 100'000;
              const std::string blob(2 << 20, 'b');
              for (int64_t step = 0; step < kSteps; ++step) {
                // Names that come while the disk is full, too.
                const std::string name = "name " + std::to_string(step / 10);
                telltale_scalar(Number(name), 1, step);
              }
              telltale_text(Number("log"), blob.data(), blob.size(), 5);
              auto reader = Reader();
              std::vector<KeptRecord> all = Drain(reader);
              if (reader.info().held_bytes < blob.size()) return 3;
              if (fs::file_size(reader.path()) > 1 << 20) return 4;
              limit.rlim_cur = limit.rlim_max;
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 5;
              telltale_flush();
              for (KeptRecord& record : Drain(reader)) all.push_back(std::move(record));
              if (reader.info().held_bytes != 0 || reader.info().lost != 0) return 6;
              if (all.size() != kSteps + 1 || !reader.diagnostics.empty()) return 7;
              std::set<int64_t> steps;
              for (const KeptRecord& record : all) {
                if (record.kind == Kind::kText && record.bytes != blob) return 8;
                if (record.kind != Kind::kScalar) continue;
                if (record.name != "name " + std::to_string(record.step / 10)) return 9;
                steps.insert(record.step);
              }
              return steps.size() == kSteps ? 0 : 10;
            }),
            0);
}

TEST_F(RecorderTest, BringsInWhatItHeldWhenItStops) {
  EXPECT_EQ(InChild([&] {
              rlimit limit{};
              getrlimit(RLIMIT_FSIZE, &limit);
              limit.rlim_cur = 1 << 20;
              setrlimit(RLIMIT_FSIZE, &limit);
              if (telltale_start(folder_.c_str()) != 1) return 1;
              std::thread([] {
                for (int64_t step = 0; step < 100'000; ++step)
                  telltale_scalar(Number("loss"), 1, step);
              }).join();
              const std::string blob(2 << 20, 'b');
              telltale_text(Number("log"), blob.data(), blob.size(), 5);
              limit.rlim_cur = limit.rlim_max;
              setrlimit(RLIMIT_FSIZE, &limit);
              auto reader = Reader();
              telltale_stop();
              return Drain(reader).size() == 100'001 && reader.info().held_bytes == 0 ? 0 : 2;
            }),
            0);
}

// C++

TEST_F(RecorderTest, HasAFaceInCpp) {
  static Name loss("train/loss");
  {
    TELLTALE_SPAN("off");
    Log(loss, 1, 1);
  }
  Start();
  for (int64_t step = 0; step < 3; ++step) {
    StepScope scope(step);
    scope.AddDataWait(std::chrono::microseconds(2));
    TELLTALE_SPAN("forward");
    Log(loss, 0.5, step);
    Log("train/accuracy", 0.25, step);
    static Counter queue("queue");
    queue.Set(4);
  }
  LogText("note", "text", 1);
  Note("config", "{}");
  auto reader = Reader();
  const auto all = Drain(reader);
  EXPECT_EQ(Count(all, Kind::kScalar), 6U);
  EXPECT_EQ(Count(all, Kind::kSpanBegin), 3U);
  EXPECT_EQ(Count(all, Kind::kSpanEnd), 3U);
  EXPECT_EQ(Count(all, Kind::kCounter), 3U);
  EXPECT_EQ(Count(all, Kind::kStepEnd), 3U);
  for (const KeptRecord& record : all) {
    if (record.kind == Kind::kStepEnd) {
      EXPECT_EQ(record.data_wait_ns, 2000);
    }
    EXPECT_NE(record.name, "off");
  }
}

}  // namespace
}  // namespace telltale
