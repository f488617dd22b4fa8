// SPDX-License-Identifier: Apache-2.0
// Where a function is from: the module that gives its colour, and whether it is the user's own code or a library's.
// Full paths follow the rule of docs/analyses/functions.md; torch's traces shorten paths to what follows
// site-packages or the standard library, so there the first word of the path decides.

// First words of shortened paths that are no code of one's own.
const LIBRARIES = new Set(
  (
    "torch torchvision torchaudio torchtext torchdata torchmetrics functorch triton lightning pytorch_lightning " +
    "lightning_fabric transformers accelerate datasets tokenizers diffusers peft timm numpy scipy pandas sklearn PIL cv2 " +
    "jax flax tensorflow keras deepspeed apex megatron vllm sglang xformers einops tqdm matplotlib wandb tensorboard " +
    "mlflow hydra omegaconf ray dask importlib concurrent multiprocessing logging collections json asyncio unittest " +
    "email http urllib xml encodings ctypes sqlite3 site-packages dist-packages setuptools pkg_resources"
  ).split(" "),
);
const STANDARD = new Set(
  (
    "abc argparse ast bdb bisect calendar codecs contextlib copy copyreg csv dataclasses datetime decimal dis enum " +
    "fnmatch fractions functools genericpath getpass gettext glob gzip hashlib heapq hmac inspect io ipaddress keyword linecache locale " +
    "numbers opcode operator os pathlib pickle pkgutil platform posixpath pprint queue random re reprlib runpy selectors shutil " +
    "signal site socket sre_compile sre_parse ssl stat statistics string struct subprocess sysconfig tarfile tempfile textwrap " +
    "threading timeit token tokenize traceback types typing typing_extensions uuid warnings weakref zipfile _collections_abc _weakrefset six"
  ).split(" "),
);

const PACKAGES = /(?:^|[\\/])(?:site|dist)-packages[\\/]([^\\/]+)/;
const STDLIB = /(?:^|[\\/])(?:lib(?:64)?[\\/](?:python|pypy)[0-9.]*|Lib)[\\/]([^\\/]+)/;
const stem = (part: string): string => part.replace(/\.(py|pyc|so|pyd)$/, "");

export interface Origin {
  readonly module: string; // what is coloured alike
  readonly own: boolean;
}

export function originOf(file: string, name: string): Origin {
  if (file === "" || file === "~") {
    if (name.startsWith("nn.Module:")) return { module: "nn.Module", own: true };
    return { module: "built-in", own: false };
  }
  if (file.startsWith("<frozen")) return { module: file.slice(8, -1).split(".")[0] ?? file, own: false };
  const packaged = PACKAGES.exec(file)?.[1];
  if (packaged !== undefined) return { module: stem(packaged), own: false };
  const standard = STDLIB.exec(file)?.[1];
  if (standard !== undefined) return { module: stem(standard), own: false };
  const parts = file.split(/[\\/]/);
  const first = parts[0] ?? file;
  if (first !== "" && !/^[A-Za-z]:$/.test(first)) {
    if (LIBRARIES.has(first)) return { module: first, own: false };
    if (parts.length === 1 && STANDARD.has(stem(first))) return { module: stem(first), own: false };
  }
  return { module: parts[parts.length - 1] ?? file, own: true };
}

// "data.py:55"; built-ins have no place.
export function shortPlace(file: string, line: number | null): string {
  if (file === "" || file === "~") return "built-in";
  const base = file.split(/[\\/]/).pop() ?? file;
  return line === null || line === 0 ? base : `${base}:${line}`;
}
export function fullPlace(file: string, line: number | null): string {
  if (file === "" || file === "~") return "built-in";
  return line === null || line === 0 ? file : `${file}:${line}`;
}
