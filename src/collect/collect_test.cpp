// SPDX-License-Identifier: Apache-2.0
// The pure parts of the collector: lines of the log, names, secrets, run.json, notes; and the way
// from a region to event files across crashes.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collect/clock.h"
#include "collect/environment.h"
#include "collect/files.h"
#include "collect/git_facts.h"
#include "collect/leftovers.h"
#include "collect/line_folder.h"
#include "collect/run_facts.h"
#include "collect/run_folder.h"
#include "collect/run_keeper.h"
#include "collect/run_name.h"
#include "collect/run_record.h"

namespace telltale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr int64_t kNow = 1'794'861'901'123'456'789;  // 2026-11-15T20:45:01.123456789Z

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "collect-test-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

// The lines without their times.
std::string Lines(std::initializer_list<std::string_view> pieces) {
  LineFolder folder;
  std::string out;
  for (const std::string_view piece : pieces) folder.Add(piece, kNow, out);
  folder.Finish(kNow, out);
  std::string texts;
  size_t begin = 0;
  while (begin < out.size()) {
    const size_t end = out.find('\n', begin);
    texts += out.substr(begin + 25, end - begin - 24);
    begin = end + 1;
  }
  return texts;
}

TEST(Clock, WritesTimesAsTheFilesHaveThem) {
  EXPECT_EQ(FormatTime(kNow), "2026-11-16T20:45:01.123456789Z");
  EXPECT_EQ(FormatLogTime(kNow), "2026-11-16T20:45:01.123Z");
  EXPECT_EQ(FormatFolderTime(kNow), "2026-11-16T204501Z");
  EXPECT_EQ(FormatDuration(83'000'000), "83 ms");
  EXPECT_EQ(FormatDuration(12'400'000'000), "12.4 s");
  EXPECT_EQ(FormatDuration(200'000'000'000), "3 min 20 s");
  EXPECT_EQ(FormatDuration(7'500'000'000'000), "2 h 5 min");
}

TEST(LineFolder, PutsATimeBeforeEachLine) {
  LineFolder folder;
  std::string out;
  folder.Add("a\nb", kNow, out);
  EXPECT_EQ(out, "2026-11-16T20:45:01.123Z a\n");
  folder.Finish(kNow, out);
  EXPECT_EQ(out, "2026-11-16T20:45:01.123Z a\n2026-11-16T20:45:01.123Z b\n");
}

TEST(LineFolder, KeepsWhatALineFinallyShows) {
  EXPECT_EQ(Lines({"10%\r20%\r100%\n"}), "100%\n");
  EXPECT_EQ(Lines({"a longer line\rshort\n"}), "shortger line\n");
  EXPECT_EQ(Lines({"a longer line\r\x1b[Kshort\n"}), "short\n");
  EXPECT_EQ(Lines({"a longer line\r\x1b[2Kshort\n"}), "short\n");
  EXPECT_EQ(Lines({"abc\b\bX\n"}), "aXc\n");
  EXPECT_EQ(Lines({"\r50%\r100%"}), "100%\n");
  EXPECT_EQ(Lines({"done\r\n"}), "done\n");
  EXPECT_EQ(Lines({"x\r"}), "x\n");
  EXPECT_EQ(Lines({"\n\n"}), "\n\n");
}

TEST(LineFolder, IsTheSameHoweverBytesAreCut) {
  const std::string text =
      "plain\r\n\x1b[31mred\x1b[0m\n 5%|\xe2\x96\x88 |\r99%|\xe2\x96\x88\xe2\x96\x88|\n"
      "\x1b]0;title\atext\nlast \xff\n";
  const std::string whole = Lines({text});
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Lines({std::string_view(text).substr(0, cut), std::string_view(text).substr(cut)}),
              whole)
        << cut;
  }
  EXPECT_THAT(whole, HasSubstr("\x1b[31mred\x1b[0m\n"));
}

TEST(LineFolder, CutsALineThatNeverEnds) {
  LineFolder folder;
  std::string out;
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 30; ++i) folder.Add(piece, kNow, out);
  EXPECT_GT(out.size(), 2'000'000);
  folder.Finish(kNow, out);
  EXPECT_EQ(std::ranges::count(out, 'x'), 3'000'000);
}

TEST(RunName, IsThatOfTheScript) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(NameOfCommand(Words{"python", "src/train.py", "--lr", "0.1"}), "train");
  EXPECT_EQ(NameOfCommand(Words{"torchrun", "--nproc-per-node", "2", "train.py"}), "train");
  EXPECT_EQ(NameOfCommand(Words{"python", "-m", "pkg.train", "x.py"}), "pkg.train");
  EXPECT_EQ(NameOfCommand(Words{"python", "-c", "print()", "x.py"}), "python");
  EXPECT_EQ(NameOfCommand(Words{"/opt/bin/trainer"}), "trainer");
  EXPECT_EQ(FileNameOf("a b/c\xc3\xa9"), "a_b_c__");
}

TEST(Secrets, AreKnownByTheirNames) {
  for (const char* name : {"WANDB_API_KEY", "api_key", "apiKey", "--api-key", "HF_TOKEN", "token",
                           "db.password", "AWS_SECRET_ACCESS_KEY", "PRIVATE_KEY"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
  for (const char* name : {"max_tokens", "pad_token", "tokenizer", "lr", "key", "monkey", "author",
                           "num_heads_key", "CUDA_VISIBLE_DEVICES"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
  const std::vector<std::string> words = {
      "x", "--api-key", "s3", "--api-key=s3", "--lr", "1", "http://me:pw@host/a", "TOKEN=s3"};
  EXPECT_THAT(WithoutSecrets(words), ElementsAre("x", "--api-key", "***", "--api-key=***", "--lr",
                                                 "1", "http://***@host/a", "TOKEN=***"));
}

TEST(Environment, WritesOnlyWhatIsKnown) {
  Environment environment;
  environment.Set("OMP_NUM_THREADS", "4");
  environment.Set("AWS_SECRET_ACCESS_KEY", "no");
  environment.Set("SLURM_JWT_TOKEN", "no");
  environment.Set("TORCH_API_KEY", "no");
  environment.Set("HOME", "/root");
  environment.Set("RANK", "1");
  EXPECT_THAT(WritableEnvironment(environment),
              ElementsAre(Pair("OMP_NUM_THREADS", "4"), Pair("RANK", "1")));
}

TEST(Environment, ReadsFiles) {
  const auto read =
      ParseEnvFile("# x\nexport A=1\nB = \"two words\" # why\n\nC='#'\nDD=a b #c\nE=");
  ASSERT_TRUE(read);
  EXPECT_THAT(*read, ElementsAre(Pair("A", "1"), Pair("B", "two words"), Pair("C", "#"),
                                 Pair("DD", "a b"), Pair("E", "")));
  EXPECT_THAT(ParseEnvFile("A=1\nnonsense\n").error().message, HasSubstr("line 2"));
  EXPECT_FALSE(ParseEnvFile("A='open\n"));
}

TEST(Git, ReadsItsStatus) {
  const GitFacts facts = ReadGitStatus(
      "# branch.oid 0123abc\n# branch.head main\n1 .M N... 100644 100644 100644 a b file\n");
  EXPECT_EQ(facts.commit, "0123abc");
  EXPECT_EQ(facts.branch, "main");
  EXPECT_EQ(facts.dirty, true);
  const GitFacts fresh = ReadGitStatus("# branch.oid (initial)\n# branch.head (detached)\n");
  EXPECT_EQ(fresh.commit, "");
  EXPECT_EQ(fresh.branch, "");
  EXPECT_EQ(fresh.dirty, false);
}

TEST(RunRecord, ReadsBackWhatItWrote) {
  RunRecord record;
  record.id = "abc";
  record.name = "train \xff";
  record.tags = {"a", "b"};
  record.note = "x\ny";
  record.status = RunStatus::kFailed;
  record.command = {"python", "train.py"};
  record.git = GitFacts{"0123", "main", true};
  record.versions = {{"telltale", "0.2.0"}};
  record.host = "here";
  record.pid = 17;
  record.ranks = {{0, 0, "here", 17, RunStatus::kFailed, std::nullopt, 9}};
  record.start_ns = kNow;
  record.end_ns = kNow + 5;
  record.signal = 9;
  record.steps = 40;
  record.error = *ParseJson(R"({"type": "ValueError", "frames": []})");
  const std::string text = ToJson(record);
  const Result<RunRecord> again = RunRecordFrom(text);
  ASSERT_TRUE(again);
  record.name = "train \xef\xbf\xbd";
  EXPECT_EQ(ToJson(*again), ToJson(record));
  EXPECT_FALSE(RunRecordFrom("[]"));
  EXPECT_FALSE(RunRecordFrom(text.substr(0, text.size() / 2)));
}

TEST(RunFacts, MergesNotes) {
  RunFacts facts(RunRecord{}, "old: 1\n");
  ProcessFacts main_process, worker;
  worker.is_worker = true;
  EXPECT_TRUE(
      facts.Take("config", R"({"lr": 0.1, "model": {"depth": 3, "act": null}})", 1, main_process));
  EXPECT_TRUE(facts.Take("config", R"({"lr": 0.2, "api_key": "s3", "on": true})", 2, main_process));
  EXPECT_EQ(facts.Args(),
            "old: 1\nlr: 0.2\nmodel.depth: 3\nmodel.act: None\napi_key: ***\non: True\n");
  EXPECT_TRUE(facts.Take("exception", R"({"type": "A"})", 3, worker));
  EXPECT_TRUE(facts.Take("exception", R"({"type": "B"})", 4, main_process));
  EXPECT_TRUE(facts.Take("exception", R"({"type": "C"})", 5, main_process));
  EXPECT_FALSE(facts.Take("config", "[1", 6, main_process));
  EXPECT_TRUE(facts.Take("unknown", "{}", 6, main_process));
  RunRecord record;
  facts.ApplyTo(record);
  EXPECT_EQ(record.error["type"].AsString(), "B");
}

TEST(RunFacts, AForkedProcessIsWhatItSays) {
  RunFacts facts(RunRecord{}, "");
  ProcessFacts forked;
  forked.is_worker = true;
  EXPECT_TRUE(facts.Take("rank", R"({"rank": 1})", 1, forked));
  EXPECT_TRUE(forked.is_worker);
  EXPECT_TRUE(facts.Take("rank", R"({"role": "other"})", 2, forked));
  EXPECT_FALSE(forked.is_worker);
  EXPECT_TRUE(facts.Take("rank", R"({"role": "worker"})", 3, forked));
  EXPECT_TRUE(forked.is_worker);
}

TEST(RunFacts, TheLastWordAboutAFlagOfAQuickRunCounts) {
  RunRecord record;
  record.quick_run =
      *ParseJson(R"({"applied": {}, "not_applied": {"a": "nobody", "b": "nobody"}})");
  RunFacts facts(record, "");
  ProcessFacts process;
  EXPECT_TRUE(facts.Take("quick_run", R"({"applied": {"a": 2}})", 1, process));
  EXPECT_TRUE(facts.Take("quick_run", R"({"said": {"checkpoint": "elsewhere"}})", 2, process));
  facts.ApplyTo(record);
  EXPECT_EQ(
      ToJsonText(record.quick_run),
      R"({"applied":{"a":2},"not_applied":{"b":"nobody"},"said":{"checkpoint":"elsewhere"}})");
  EXPECT_TRUE(facts.Take("quick_run", R"({"not_applied": {"a": "no"}})", 3, process));
  facts.ApplyTo(record);
  EXPECT_EQ(ToJsonText(record.quick_run["not_applied"]), R"({"b":"nobody","a":"no"})");
  EXPECT_EQ(ToJsonText(record.quick_run["applied"]), "{}");
}

TEST(RunFacts, SayWhatOfAToolIsNotRecorded) {
  RunFacts facts(RunRecord{}, "");
  ProcessFacts process;
  RunRecord record;
  record.remarks = {"something else"};
  EXPECT_TRUE(facts.Take("hooks", R"({"wandb": "too new"})", 1, process));
  facts.ApplyTo(record);
  EXPECT_TRUE(facts.Take("hooks", R"({"wandb": "too new; no media"})", 2, process));
  facts.ApplyTo(record);
  EXPECT_EQ(record.remarks,
            (std::vector<std::string>{"something else", "wandb: too new; no media"}));
}

TEST(RunFacts, TakeWhatTheProgramCallsItsRunUnlessTheUserSaidOtherwise) {
  RunFacts facts(RunRecord{}, "");
  ProcessFacts process;
  process.pid = 7;
  EXPECT_TRUE(facts.Take(
      "run",
      R"({"name": "warm", "experiment": "e", "group": "g", "note": "n", "tags": ["a", "b"]})", 1,
      process));
  RunRecord by_default;
  by_default.command = {"python", "train.py"};
  by_default.name = "train";
  by_default.tags = {"a"};
  facts.ApplyTo(by_default);
  facts.ApplyTo(by_default);
  EXPECT_EQ(by_default.name, "warm");
  EXPECT_EQ(by_default.experiment, "e");
  EXPECT_EQ(by_default.note, "n");
  EXPECT_EQ(by_default.tags, (std::vector<std::string>{"a", "b"}));
  RunRecord by_user = by_default;
  by_user.name = "mine";
  by_user.group = "theirs";
  facts.ApplyTo(by_user);
  EXPECT_EQ(by_user.name, "mine");
  EXPECT_EQ(by_user.group, "theirs");
}

TEST(RunFacts, KnowEveryNoteOfThePackage) {
  RunFacts facts(RunRecord{}, "");
  ProcessFacts process;
  process.pid = 7;
  RunRecord record;
  EXPECT_TRUE(facts.Take("alert", R"({"title": "hot"})", 1, process));
  EXPECT_TRUE(facts.Take("define_metric", R"({"loss": {"summary": "min"}})", 1, process));
  EXPECT_TRUE(facts.Take("artifact", R"({"name": "model", "type": "m"})", 1, process));
  facts.ApplyTo(record);
  EXPECT_TRUE(record.remarks.empty());
  EXPECT_EQ(record.metrics["loss"]["summary"].AsString(), "min");
  EXPECT_EQ(record.artifacts["model"]["type"].AsString(), "m");
  const char* const ended = R"({"thread": "reader", "type": "KeyError", "message": "'k'"})";
  EXPECT_TRUE(facts.Take("thread_exception", ended, 1, process));
  EXPECT_TRUE(facts.Take("preempting", "true", 1, process));
  EXPECT_TRUE(facts.Take("else", "{}", 1, process));
  facts.ApplyTo(record);
  facts.ApplyTo(record);
  EXPECT_EQ(record.remarks,
            (std::vector<std::string>{"thread reader of process 7 ended by KeyError: 'k'",
                                      "the program said that it is about to be preempted",
                                      "a note 'else' of process 7 was not understood"}));
}

TEST(RunFolder, NeverTakesOneThatIsThere) {
  const TemporaryFolder root;
  const Result<RunFolder> first = MakeRunFolder(root.path + "/runs", "a b", kNow);
  const Result<RunFolder> second = MakeRunFolder(root.path + "/runs", "a b", kNow);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->path, root.path + "/runs/2026-11-16T204501Z_a_b");
  EXPECT_EQ(second->path, first->path + "-2");
  EXPECT_FALSE(MakeRunFolder("/proc/nowhere", "a", kNow));
}

TEST(RunLock, BelongsToOne) {
  const TemporaryFolder root;
  const Result<RunFolder> folder = MakeRunFolder(root.path, "a", kNow);
  ASSERT_TRUE(folder);
  {
    const std::optional<RunLock> lock = RunLock::Take(*folder, false);
    EXPECT_TRUE(lock);
    EXPECT_FALSE(RunLock::Take(*folder, false));
    EXPECT_TRUE(BringInRun(folder->path).empty());
  }
  EXPECT_TRUE(RunLock::Take(*folder, false));
}

TEST(Leftovers, ARunThatIsBeingStartedIsLeftAlone) {
  const TemporaryFolder root;
  const Result<RunFolder> folder = MakeRunFolder(root.path, "a", kNow);
  EXPECT_TRUE(BringInLeftovers(std::vector<std::string>{root.path}).empty());
  EXPECT_TRUE(std::filesystem::exists(folder->Live()));
}

TEST(Leftovers, ARunWithoutProcessIsLostAndSaid) {
  const TemporaryFolder root;
  const Result<RunFolder> folder = MakeRunFolder(root.path, "a", kNow);
  RunRecord record;
  record.id = "x";
  record.name = "a";
  record.start_ns = kNow;
  ASSERT_TRUE(WriteWhole(folder->RunJson(), ToJson(record), false));
  const std::vector<Leftover> found = BringInLeftovers(std::vector<std::string>{root.path});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].status, RunStatus::kLost);
  EXPECT_THAT(Describe(found[0]), HasSubstr("Lost"));
  EXPECT_FALSE(std::filesystem::exists(folder->Live()));
  EXPECT_TRUE(BringInLeftovers(std::vector<std::string>{root.path}).empty());
}

TEST(GrowingFile, TellsOnceAndGoesOn) {
  const TemporaryFolder root;
  int told = 0;
  Trouble trouble([&](std::string_view) { ++told; });
  GrowingFile file(root.path + "/a/log", trouble);
  EXPECT_FALSE(file.Append("x\n"));
  EXPECT_FALSE(file.Append("y\n"));
  EXPECT_EQ(told, 1);
  std::filesystem::create_directory(root.path + "/a");
  EXPECT_TRUE(file.Append("z\n"));
  std::filesystem::remove_all(root.path + "/a");
  EXPECT_FALSE(file.Append("gone\n"));
  EXPECT_EQ(file.lost_bytes(), 9);
}

}  // namespace
}  // namespace telltale
