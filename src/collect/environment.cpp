// SPDX-License-Identifier: Apache-2.0
#include "collect/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include <fmt/format.h>

#include "base/utf8.h"
#include "collect/run_name.h"

namespace telltale {

namespace {

// What decides how a training runs: devices, threads, ranks, libraries.
constexpr std::array<std::string_view, 30> kNames = {"CONDA_DEFAULT_ENV",
                                                     "CONDA_PREFIX",
                                                     "CUDA_HOME",
                                                     "CUDA_VISIBLE_DEVICES",
                                                     "GROUP_RANK",
                                                     "HF_HOME",
                                                     "HF_HUB_OFFLINE",
                                                     "HIP_VISIBLE_DEVICES",
                                                     "HSA_OVERRIDE_GFX_VERSION",
                                                     "LD_LIBRARY_PATH",
                                                     "LD_PRELOAD",
                                                     "LOCAL_RANK",
                                                     "LOCAL_WORLD_SIZE",
                                                     "MASTER_ADDR",
                                                     "MASTER_PORT",
                                                     "NODE_RANK",
                                                     "NVIDIA_VISIBLE_DEVICES",
                                                     "PYTHONHASHSEED",
                                                     "PYTHONPATH",
                                                     "PYTHONUNBUFFERED",
                                                     "RANK",
                                                     "ROCR_VISIBLE_DEVICES",
                                                     "ROLE_RANK",
                                                     "TOKENIZERS_PARALLELISM",
                                                     "TRANSFORMERS_OFFLINE",
                                                     "VIRTUAL_ENV",
                                                     "WANDB_MODE",
                                                     "WORLD_SIZE",
                                                     "XLA_FLAGS",
                                                     "ZE_AFFINITY_MASK"};
constexpr std::array<std::string_view, 14> kBeginnings = {
    "CUBLAS_",  "CUDA_LAUNCH_", "CUDNN_",           "GLOO_",        "KMP_",
    "MKL_",     "NCCL_",        "OMPI_COMM_WORLD_", "OMP_",         "OPENBLAS_",
    "PYTORCH_", "SLURM_",       "TORCH_",           "TORCHELASTIC_"};

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool IsUsable(const std::string& path, bool& found_unusable) {
  struct stat state = {};
  if (::stat(path.c_str(), &state) != 0) {
    if (errno == EACCES) found_unusable = true;
    return false;
  }
  if (!S_ISDIR(state.st_mode) && ::access(path.c_str(), X_OK) == 0) return true;
  found_unusable = true;
  return false;
}

// A variable is passed on to anyone who reads run.json: better one too few.
bool MayBeSecret(std::string_view name) {
  constexpr std::array<std::string_view, 7> kParts = {"TOKEN", "KEY",    "JWT",       "AUTH",
                                                      "PASS",  "SECRET", "CREDENTIAL"};
  if (name == "TOKENIZERS_PARALLELISM") return false;
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool IsVariableName(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

}  // namespace

Environment Environment::Own() {
  Environment out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.entries_.emplace_back(*entry);
  }
  return out;
}

std::string_view Environment::Get(std::string_view name) const {
  for (const std::string& entry : entries_) {
    if (NameOf(entry) == name) return std::string_view(entry).substr(name.size() + 1);
  }
  return {};
}

bool Environment::Has(std::string_view name) const {
  return std::ranges::any_of(entries_,
                             [&](const std::string& entry) { return NameOf(entry) == name; });
}

void Environment::Set(std::string_view name, std::string_view value) {
  Unset(name);
  entries_.push_back(fmt::format("{}={}", name, value));
}

void Environment::Unset(std::string_view name) {
  std::erase_if(entries_, [&](const std::string& entry) { return NameOf(entry) == name; });
}

std::vector<char*> Environment::Pointers() {
  std::vector<char*> out;
  out.reserve(entries_.size() + 1);
  for (std::string& entry : entries_) out.push_back(entry.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::pair<std::string, std::string>> WritableEnvironment(
    const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& entry : environment.entries()) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view name = NameOf(entry);
    const bool known = std::ranges::find(kNames, name) != kNames.end() ||
                       std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
                         return name.starts_with(beginning);
                       });
    if (!known || IsSecretName(name) || MayBeSecret(name)) continue;
    out.emplace_back(RepairUtf8(name),
                     RepairUtf8(WithoutPassword(std::string_view(entry).substr(equals + 1))));
  }
  std::ranges::sort(out);
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseEnvFile(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("export ")) line = Trim(line.substr(7));
    const size_t equals = line.find('=');
    const std::string_view name = Trim(line.substr(0, equals));
    if (equals == std::string_view::npos || !IsVariableName(name)) {
      return Fail(ErrorCode::kUsage, fmt::format("line {}: expected NAME=VALUE", number));
    }
    std::string_view value = Trim(line.substr(equals + 1));
    if (value.starts_with('"') || value.starts_with('\'')) {
      const size_t close = value.find(value[0], 1);
      const std::string_view behind =
          close == std::string_view::npos ? "" : Trim(value.substr(close + 1));
      if (close == std::string_view::npos || (!behind.empty() && !behind.starts_with('#'))) {
        return Fail(ErrorCode::kUsage, fmt::format("line {}: a quote is not closed", number));
      }
      value = value.substr(1, close - 1);
    } else if (const size_t remark = value.find(" #"); remark != std::string_view::npos) {
      value = Trim(value.substr(0, remark));
    }
    if (value.find('\0') != std::string_view::npos) {
      return Fail(ErrorCode::kUsage, fmt::format("line {}: a zero byte in a value", number));
    }
    out.emplace_back(name, value);
  }
  return out;
}

std::string FindProgram(const std::string& word, std::string_view path, bool& found_unusable) {
  found_unusable = false;
  if (word.empty()) return {};
  if (word.find('/') != std::string::npos) return IsUsable(word, found_unusable) ? word : "";
  if (path.empty()) path = "/bin:/usr/bin";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string_view folder = path.substr(begin, end - begin);
    const std::string candidate = folder.empty() ? "./" + word : fmt::format("{}/{}", folder, word);
    if (IsUsable(candidate, found_unusable)) return candidate;
    begin = end + 1;
  }
  return {};
}

}  // namespace telltale
