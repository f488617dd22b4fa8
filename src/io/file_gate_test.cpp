// SPDX-License-Identifier: Apache-2.0
#include "io/file_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Gate : public testing::Test {
 protected:
  Gate() {
    std::string folder = testing::TempDir() + "telltale_gate_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    top_ = fs::canonical(folder);
    Write("in/a.json", "inside");
    Write("in/deep/b.json", "deep");
    Write("out/secret.json", "SECRET");
    Write("inside/c.json", "beside");
  }
  ~Gate() override { fs::remove_all(top_); }

  void Write(const std::string& name, std::string_view text) const {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name) << text;
  }
  [[nodiscard]] std::string Path(const std::string& name) const { return (top_ / name).string(); }
  [[nodiscard]] FileGate ToFolder() const { return FileGate({{Path("in"), true}}); }
  // What an open file holds, or why it could not be opened.
  [[nodiscard]] static std::string Read(const FileGate& gate, const std::string& path) {
    const Result<OpenedFile> file = gate.Open(path);
    if (!file) return file.error().message;
    char bytes[100];
    const ssize_t count = ::read(file->descriptor.get(), bytes, sizeof(bytes));
    return {bytes, static_cast<size_t>(std::max<ssize_t>(count, 0))};
  }

  fs::path top_;
};

TEST_F(Gate, OpensWhatIsBelowItsRoots) {
  EXPECT_EQ(Read(ToFolder(), Path("in/a.json")), "inside");
  EXPECT_EQ(Read(ToFolder(), Path("in/deep/b.json")), "deep");
  EXPECT_EQ(Read(ToFolder(), Path("in/deep/../a.json")), "inside");
  EXPECT_EQ(Read(FileGate({{Path("in/a.json"), false}}), Path("in/a.json")), "inside");
  EXPECT_EQ(Read(FileGate({{"/", true}}), Path("in/a.json")), "inside");
  EXPECT_EQ(Read(FileGate(), Path("out/secret.json")), "SECRET");
}

TEST_F(Gate, NothingElseIsOpened) {
  const auto refused = HasSubstr("leads out of the folders that may be read");
  EXPECT_THAT(Read(ToFolder(), Path("out/secret.json")), refused);
  EXPECT_THAT(Read(ToFolder(), Path("in/../out/secret.json")), refused);
  EXPECT_THAT(Read(ToFolder(), Path("inside/c.json")), refused);
  EXPECT_THAT(Read(ToFolder(), "/etc/passwd"), refused);
  EXPECT_THAT(Read(ToFolder(), "/proc/self/environ"), refused);
  EXPECT_THAT(Read(FileGate({{Path("in/a.json"), false}}), Path("in/deep/b.json")), refused);
  EXPECT_THAT(Read(FileGate(std::vector<FileGate::Root>()), Path("in/a.json")), refused);
  EXPECT_THAT(Read(ToFolder(), Path("in/missing.json")), HasSubstr("does not exist"));
  EXPECT_THAT(Read(ToFolder(), "-"), HasSubstr("does not exist"));
  EXPECT_THAT(Read(ToFolder(), Path("in")), HasSubstr("is a folder"));
  EXPECT_THAT(Read(ToFolder(), Path("in/deep")), HasSubstr("is a folder"));
}

TEST_F(Gate, LinksLeadWithinTheRootsOnly) {
  fs::create_symlink(Path("in/a.json"), top_ / "in/absolute.json");
  fs::create_symlink("../a.json", top_ / "in/deep/up.json");
  fs::create_symlink("../out/secret.json", top_ / "in/way_out.json");
  fs::create_symlink(Path("out"), top_ / "in/folder");
  fs::create_symlink("/proc/self/root/etc/passwd", top_ / "in/magic.json");
  fs::create_symlink("loop.json", top_ / "in/loop.json");
  EXPECT_EQ(Read(ToFolder(), Path("in/absolute.json")), "inside");
  EXPECT_EQ(Read(ToFolder(), Path("in/deep/up.json")), "inside");
  for (const char* name : {"in/way_out.json", "in/folder/secret.json", "in/magic.json"}) {
    EXPECT_THAT(Read(ToFolder(), Path(name)), HasSubstr("leads out")) << name;
    EXPECT_FALSE(ToFolder().Allows(Path(name))) << name;
  }
  EXPECT_THAT(Read(ToFolder(), Path("in/loop.json")), HasSubstr("cannot open"));
  // A second root makes the way out a way in.
  const FileGate both({{Path("in"), true}, {Path("out"), true}});
  EXPECT_EQ(Read(both, Path("in/way_out.json")), "SECRET");
}

TEST_F(Gate, APipeInThePlaceOfAFileHoldsUpNobody) {
  ASSERT_EQ(::mkfifo(Path("in/pipe.json").c_str(), 0600), 0);
  EXPECT_THAT(Read(ToFolder(), Path("in/pipe.json")), HasSubstr("is no regular file"));
  EXPECT_THAT(Read(FileGate({{"/", true}}), "/dev/zero"), HasSubstr("is no regular file"));
}

TEST_F(Gate, ARootThatWasMadeAnewIsTheRoot) {
  const FileGate gate = ToFolder();
  fs::remove_all(top_ / "in");
  EXPECT_THAT(Read(gate, Path("in/a.json")), HasSubstr("does not exist"));
  Write("in/a.json", "again");
  EXPECT_EQ(Read(gate, Path("in/a.json")), "again");
  // But not what somebody put in its place.
  fs::rename(top_ / "in", top_ / "elsewhere");
  fs::create_symlink(Path("out"), top_ / "in");
  EXPECT_THAT(Read(gate, Path("in/secret.json")), HasSubstr("leads out"));
}

TEST_F(Gate, ALinkThatIsSwappedAllTheTimeNeverLeadsOut) {
  const FileGate gate = ToFolder();
  std::atomic<bool> done = false;
  std::thread swapping([&] {
    while (!done) {
      for (const char* target : {"a.json", "../out/secret.json"}) {
        fs::remove(top_ / "in/new.json");
        fs::create_symlink(target, top_ / "in/new.json");
        fs::rename(top_ / "in/new.json", top_ / "in/link.json");
      }
      std::error_code ignored;
      fs::rename(top_ / "in/deep", top_ / "moved", ignored);
      fs::create_directory_symlink(Path("out"), top_ / "in/deep", ignored);
      fs::remove(top_ / "in/deep", ignored);
      fs::rename(top_ / "moved", top_ / "in/deep", ignored);
    }
  });
  for (int i = 0; i < 4000; ++i) {
    EXPECT_NE(Read(gate, Path("in/link.json")), "SECRET");
    EXPECT_NE(Read(gate, Path("in/deep/secret.json")), "SECRET");
  }
  done = true;
  swapping.join();
}

// The rest of this thread lives on a kernel before 5.6.
void LoseOpenAt2() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(filter), filter};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST_F(Gate, IsTheSameWhereTheKernelIsOld) {
  fs::create_symlink("../a.json", top_ / "in/deep/up.json");
  fs::create_symlink("../out/secret.json", top_ / "in/way_out.json");
  ASSERT_EQ(::mkfifo(Path("in/pipe.json").c_str(), 0600), 0);
  std::thread([&] {
    LoseOpenAt2();
    EXPECT_EQ(Read(ToFolder(), Path("in/deep/b.json")), "deep");
    EXPECT_EQ(Read(ToFolder(), Path("in/deep/up.json")), "inside");
    EXPECT_EQ(Read(FileGate({{"/", true}}), Path("in/a.json")), "inside");
    EXPECT_THAT(Read(ToFolder(), Path("in/way_out.json")), HasSubstr("leads out"));
    EXPECT_THAT(Read(ToFolder(), Path("in/pipe.json")), HasSubstr("is no regular file"));
    EXPECT_THAT(Read(ToFolder(), Path("in/missing.json")), HasSubstr("does not exist"));
  }).join();
}

TEST_F(Gate, TheStampIsThatOfTheOpenFile) {
  const Result<OpenedFile> file = FileGate().Open(Path("in/a.json"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->stamp, StampOf(Path("in/a.json")));
  Write("new.json", "inside");
  fs::rename(top_ / "new.json", top_ / "in/a.json");
  EXPECT_NE(file->stamp, StampOf(Path("in/a.json")));
  EXPECT_EQ(StampOf(Path("in")), std::nullopt);
}

}  // namespace
}  // namespace telltale
