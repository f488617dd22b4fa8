// SPDX-License-Identifier: Apache-2.0
#include "base/origin.h"

#include <algorithm>
#include <array>
#include <optional>

namespace telltale {

namespace {

// First words of shortened paths that are no code of one's own; sorted.
constexpr auto kPackages = std::to_array<std::string_view>({
    "PIL",
    "accelerate",
    "apex",
    "asyncio",
    "collections",
    "concurrent",
    "ctypes",
    "cv2",
    "dask",
    "datasets",
    "deepspeed",
    "diffusers",
    "dist-packages",
    "einops",
    "email",
    "encodings",
    "flax",
    "functorch",
    "http",
    "hydra",
    "importlib",
    "jax",
    "json",
    "keras",
    "lightning",
    "lightning_fabric",
    "logging",
    "matplotlib",
    "megatron",
    "mlflow",
    "multiprocessing",
    "numpy",
    "omegaconf",
    "pandas",
    "peft",
    "pkg_resources",
    "pytorch_lightning",
    "ray",
    "scipy",
    "setuptools",
    "sglang",
    "site-packages",
    "sklearn",
    "sqlite3",
    "tensorboard",
    "tensorflow",
    "timm",
    "tokenizers",
    "torch",
    "torchaudio",
    "torchdata",
    "torchmetrics",
    "torchtext",
    "torchvision",
    "tqdm",
    "transformers",
    "triton",
    "unittest",
    "urllib",
    "vllm",
    "wandb",
    "xformers",
    "xml",
});
// Modules of the standard library that are one file; sorted.
constexpr auto kStandardModules = std::to_array<std::string_view>({
    "_collections_abc",
    "_weakrefset",
    "abc",
    "argparse",
    "ast",
    "bdb",
    "bisect",
    "calendar",
    "codecs",
    "contextlib",
    "copy",
    "copyreg",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "dis",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "genericpath",
    "getpass",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "inspect",
    "io",
    "ipaddress",
    "keyword",
    "linecache",
    "locale",
    "numbers",
    "opcode",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "pkgutil",
    "platform",
    "posixpath",
    "pprint",
    "queue",
    "random",
    "re",
    "reprlib",
    "runpy",
    "selectors",
    "shutil",
    "signal",
    "site",
    "six",
    "socket",
    "sre_compile",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sysconfig",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "token",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "typing_extensions",
    "uuid",
    "warnings",
    "weakref",
    "zipfile",
});
// What only torch has in a folder `torch`.
constexpr auto kTorchParts = std::to_array<std::string_view>({
    "_dynamo/",
    "_functorch/",
    "_higher_order_ops/",
    "_inductor/",
    "_jit_internal.py",
    "_ops.py",
    "_tensor.py",
    "autograd/function.py",
    "autograd/graph.py",
    "cuda/",
    "distributed/",
    "functional.py",
    "nn/functional.py",
    "nn/modules/",
    "nn/parallel/",
    "optim/optimizer.py",
    "utils/_",
    "utils/checkpoint.py",
    "utils/data/",
});
// Code that torch.compile and torch.fx have written.
constexpr auto kGenerated = std::to_array<std::string_view>({"/torchinductor_", "<eval_with_key>"});
static_assert(std::ranges::is_sorted(kPackages) && std::ranges::is_sorted(kStandardModules));

constexpr std::string_view kSlashes = "/\\";

std::string_view FirstPart(std::string_view path) {
  return path.substr(0, path.find_first_of(kSlashes));
}

std::string_view Stem(std::string_view part) {
  for (const std::string_view ending : {".py", ".pyc", ".so", ".pyd"}) {
    if (part.ends_with(ending)) return part.substr(0, part.size() - ending.size());
  }
  return part;
}

// What follows site-packages.
std::optional<std::string_view> InstalledPackage(std::string_view file) {
  for (const std::string_view folder :
       {"/site-packages/", "/dist-packages/", "\\site-packages\\", "\\dist-packages\\"}) {
    const size_t at = file.find(folder);
    if (at != std::string_view::npos) return Stem(FirstPart(file.substr(at + folder.size())));
  }
  return std::nullopt;
}

// torch runs from its sources where it was built by hand: there is a folder `torch` in the path,
// and in it something that only torch has. A project that calls a folder so has none of these.
std::optional<std::string_view> TorchSources(std::string_view file) {
  constexpr std::string_view kFolder = "/torch/";
  const size_t at = file.rfind(kFolder);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view inside = file.substr(at + kFolder.size());
  const bool known = std::ranges::any_of(
      kTorchParts, [&](std::string_view part) { return inside.starts_with(part); });
  return known ? std::optional(file.substr(at + 1, kFolder.size() - 2)) : std::nullopt;
}

// What follows lib/python3.11/, lib/pypy3.9/, or the folder Lib of an installation on Windows.
std::optional<std::string_view> StandardModule(std::string_view file) {
  for (const std::string_view folder : {"/lib/python", "/lib64/python", "/lib/pypy"}) {
    for (size_t at = file.find(folder); at != std::string_view::npos;
         at = file.find(folder, at + 1)) {
      const std::string_view rest = file.substr(at + folder.size());
      if (rest.empty() || rest[0] < '0' || rest[0] > '9') continue;
      const size_t slash = rest.find('/');
      return slash == std::string_view::npos ? "" : Stem(FirstPart(rest.substr(slash + 1)));
    }
  }
  const size_t python = file.find("\\Python");
  if (python == std::string_view::npos) return std::nullopt;
  for (const std::string_view folder : {"\\Lib\\", "\\lib\\"}) {
    const size_t at = file.find(folder, python);
    if (at != std::string_view::npos) return Stem(FirstPart(file.substr(at + folder.size())));
  }
  return std::nullopt;
}

// "torch/nn/modules/module.py", "threading.py": nothing before the package.
std::optional<std::string_view> ShortenedPackage(std::string_view file) {
  const std::string_view first = FirstPart(file);
  if (first.size() == file.size()) {
    const std::string_view module = Stem(file);
    return std::ranges::binary_search(kStandardModules, module) ? std::optional(module)
                                                                : std::nullopt;
  }
  return std::ranges::binary_search(kPackages, first) ? std::optional(first) : std::nullopt;
}

}  // namespace

Origin OriginOf(std::string_view file, std::string_view name) {
  if (file.data() == nullptr) {
    const bool built_in = name.starts_with("<built-in") || name.starts_with("<method") ||
                          name.starts_with("builtins.");  // as viztracer calls them
    if (built_in) return {"built-in", false};
    return {name.starts_with("nn.Module:") ? "nn.Module" : "", true};
  }
  if (file == "~" || file.starts_with("<__array_function__")) return {"built-in", false};
  constexpr std::string_view kFrozen = "<frozen ";
  if (file.starts_with(kFrozen)) {
    const std::string_view module = file.substr(kFrozen.size());
    return {module.substr(0, module.find_first_of(".>")), false};
  }
  const auto generated = std::ranges::find_if(
      kGenerated, [&](std::string_view part) { return file.find(part) != std::string_view::npos; });
  if (generated != kGenerated.end()) return {"torch", false};
  for (const auto find : {InstalledPackage, StandardModule, ShortenedPackage, TorchSources}) {
    if (const std::optional<std::string_view> package = find(file)) return {*package, false};
  }
  return {file.substr(file.find_last_of(kSlashes) + 1), true};
}

}  // namespace telltale
