// SPDX-License-Identifier: Apache-2.0
#include "collect/joint_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "collect/files.h"
#include "collect/run_name.h"

namespace telltale {

namespace {

constexpr std::string_view kIndex = "/.joint/";  // below the folder for runs
constexpr int kMostRounds = 10'000;

uint64_t HashOf(std::string_view text) {
  uint64_t out = 0xcbf29ce484222325;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  out = (out ^ (out >> 32)) * 0xd6e8feb86659fd93;
  return out ^ (out >> 32);
}

// The value of `--name VALUE`, `--name=VALUE`, with - or _ inside; of the first of them.
std::string_view OptionOf(std::span<const std::string> command, std::string_view name) {
  for (size_t i = 0; i < command.size(); ++i) {
    const std::string_view word = command[i];
    if (!word.starts_with("--")) continue;
    const size_t equals = std::min(word.find('='), word.size());
    std::string spelt(word.substr(2, equals - 2));
    std::ranges::replace(spelt, '_', '-');
    if (spelt != name) continue;
    if (equals < word.size()) return word.substr(equals + 1);
    return i + 1 < command.size() ? std::string_view(command[i + 1]) : std::string_view();
  }
  return {};
}

bool IsTorchrun(std::span<const std::string> command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
    return name == "torchrun" || name == "torch.distributed.run" ||
           name == "torch.distributed.launch";
  });
}

std::optional<JointRun> ByTorchrun(std::span<const std::string> command, std::string_view host) {
  const std::string_view nodes = OptionOf(command, "nnodes");
  if (!IsTorchrun(command) || nodes.empty() || nodes == "1" || nodes == "1:1") return std::nullopt;
  const std::string_view id = OptionOf(command, "rdzv-id");
  if (!id.empty()) {
    return JointRun{fmt::format("rdzv {} {}", id, OptionOf(command, "rdzv-endpoint")),
                    std::string(host)};
  }
  const std::string_view address = OptionOf(command, "master-addr");
  const std::string_view rank = OptionOf(command, "node-rank");
  if (address.empty()) return std::nullopt;
  return JointRun{fmt::format("master {} {}", address, OptionOf(command, "master-port")),
                  rank.empty() ? std::string(host) : std::string(rank)};
}

}  // namespace

std::optional<JointRun> JointRunOf(const Environment& environment,
                                   std::span<const std::string> command, std::string_view host) {
  const auto get = [&](std::string_view name) { return environment.Get(name); };
  // Inside of a run these are that run's.
  if (!get("TELLTALE_RUN_DIR").empty()) return std::nullopt;
  if (!get("TELLTALE_RUN_ID").empty()) {
    return JointRun{std::string(get("TELLTALE_RUN_ID")), {}};
  }
  const auto is_several = [](std::string_view count) { return !count.empty() && count != "1"; };
  const std::string_view elastic = get("TORCHELASTIC_RUN_ID");
  if (!elastic.empty() && is_several(get("WORLD_SIZE"))) {
    return JointRun{
        fmt::format("elastic {} {} {}", elastic, get("MASTER_ADDR"), get("MASTER_PORT")),
        fmt::format("{}-{}", get("RANK"), get("TORCHELASTIC_RESTART_COUNT"))};
  }
  if (!get("SLURM_JOB_ID").empty() && !get("SLURM_STEP_ID").empty() &&
      is_several(get("SLURM_STEP_NUM_TASKS").empty() ? get("SLURM_NTASKS")
                                                     : get("SLURM_STEP_NUM_TASKS"))) {
    return JointRun{fmt::format("slurm {} {} {}", get("SLURM_JOB_ID"), get("SLURM_STEP_ID"),
                                get("SLURM_RESTART_COUNT")),
                    std::string(get("SLURM_PROCID"))};
  }
  if (!get("PMIX_NAMESPACE").empty() && is_several(get("OMPI_COMM_WORLD_SIZE"))) {
    return JointRun{fmt::format("pmix {}", get("PMIX_NAMESPACE")),
                    std::string(get("OMPI_COMM_WORLD_RANK"))};
  }
  return ByTorchrun(command, host);
}

Result<RunFolder> JoinRunFolder(const std::string& root, std::string_view name, int64_t start_ns,
                                const JointRun& joint, std::string_view host) {
  std::error_code problem;
  const std::string above = std::filesystem::absolute(root, problem).lexically_normal().string();
  const std::string index = above + std::string(kIndex);
  std::filesystem::create_directories(index, problem);
  if (problem) {
    return Fail(ErrorCode::kUnwritable,
                fmt::format("the folder for runs cannot be made: {}: {}; name another one with "
                            "--root",
                            root, problem.message()));
  }
  for (int round = 1; round <= kMostRounds; ++round) {
    const std::string entry = fmt::format("{}{:016x}-{}", index, HashOf(joint.key), round);
    if (!joint.slot.empty()) {
      const std::string slot = fmt::format("{}.{}", entry, FileNameOf(joint.slot));
      const FileDescriptor claim(
          ::open(slot.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
      if (!claim.valid() && errno == EEXIST) continue;
      if (!claim.valid()) return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", slot));
    }
    RunFolder out;
    const std::filesystem::path known = std::filesystem::read_symlink(entry, problem);
    if (!problem && std::filesystem::is_directory(above / known, problem)) {
      out.path = (above / known).string();
      out.is_first = false;
    } else {
      Result<RunFolder> made = MakeRunFolder(root, name, start_ns);
      if (!made) return made;
      // Of a run that was removed since.
      if (!known.empty()) ::unlink(entry.c_str());
      const std::string own = std::filesystem::path(made->path).filename().string();
      if (::symlink(own.c_str(), entry.c_str()) == 0) {
        out.path = made->path;
      } else if (errno == EEXIST) {
        // Another one was first. Nobody else has seen ours.
        std::filesystem::remove_all(made->path, problem);
        const std::filesystem::path theirs = std::filesystem::read_symlink(entry, problem);
        if (problem) return Fail(ErrorCode::kUnwritable, SystemProblem("cannot read", entry));
        out.path = (above / theirs).string();
        out.is_first = false;
      } else {
        return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", entry));
      }
    }
    out.member = FileNameOf(fmt::format("{}-{}", host, ::getpid()));
    // That of a run with one collector is not used.
    ::rmdir((out.path + "/.live").c_str());
    ::mkdir((out.path + "/nodes").c_str(), 0755);
    if (::mkdir(out.Live().c_str(), 0700) != 0 && errno != EEXIST) {
      return Fail(ErrorCode::kUnwritable, SystemProblem("cannot make", out.Live()));
    }
    // For whoever brings in what is left of it.
    if (out.is_first) (void)WriteWhole(out.FirstMark(), "", false);
    return out;
  }
  return Fail(ErrorCode::kUnwritable, "there are too many runs of one name: " + index);
}

std::string JointRunId(const JointRun& joint, const RunFolder& folder) {
  if (joint.slot.empty()) return joint.key;
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  uint64_t number =
      HashOf(joint.key + "\n" + std::filesystem::path(folder.path).filename().string());
  std::string out;
  for (int i = 0; i < 12; ++i, number >>= 5) out += kDigits[number % 32];
  return out;
}

}  // namespace telltale
