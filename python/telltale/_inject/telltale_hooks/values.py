# SPDX-License-Identifier: Apache-2.0
"""Configuration as flat JSON values: nested mappings become keys joined with dots, what is no plain value is left out, and
secrets never pass. A secret is a text under a name that says so, or one that looks like a well-known kind of key."""
import re

MAX_TEXT = 2000  # characters of one value
MAX_ITEMS = 200  # of one list
MAX_KEYS = 2000  # of one configuration
HIDDEN = "(hidden)"

_secret_words = frozenset(("token", "secret", "password", "passwd", "passphrase", "pwd", "key", "apikey", "credential",
                           "credentials", "auth", "authorization", "cookie"))  # fmt: skip
_secret_texts = re.compile(
    r"^(hf_|sk-|ghp_|gho_|github_pat_|glpat-|xox[abpr]-|AKIA|ASIA|AIza|eyJ[\w-]+\.)[\w.-]{8,}$|://[^/\s:@]+:[^/\s@]+@|-----BEGIN "
)
_special_token = re.compile(r"^[<\[].{0,40}[>\]]$")  # <pad>, [CLS]
_words = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def is_secret(name, value):
    if not isinstance(value, str) or not value:
        return False
    if _secret_texts.search(value):
        return True
    words = [word.lower() for word in _words.findall(name.rpartition(".")[2])]
    return any(word in _secret_words for word in words) and not _special_token.match(value)


def _plain(name, value, depth=0):
    """(whether it is one, the JSON value)."""
    if value is None or isinstance(value, (bool, int)) and type(value).__module__ == "builtins":
        return True, value
    if isinstance(value, float):
        return True, float(value) if value - value == 0 else {"inf": "Infinity", "-inf": "-Infinity"}.get(repr(float(value)), "NaN")
    if isinstance(value, str):
        text = str(value.value) if hasattr(value, "value") and hasattr(value, "name") else str(value)
        return True, HIDDEN if is_secret(name, text) else text[:MAX_TEXT]
    if isinstance(value, (list, tuple, set, frozenset)) and depth < 4:
        items = [_plain(name, item, depth + 1) for item in list(value)[:MAX_ITEMS]]
        return all(known for known, _ in items), [item for _, item in items]
    if isinstance(value, dict) and depth > 0 and depth < 4:
        items = [(str(key), _plain(str(key), item, depth + 1)) for key, item in list(value.items())[:MAX_ITEMS]]
        return all(known for _, (known, _) in items), {key: item for key, (_, item) in items}
    kind = type(value)
    if hasattr(value, "__fspath__"):
        return True, str(value.__fspath__())[:MAX_TEXT]
    if hasattr(kind, "__members__") and hasattr(value, "name"):  # an enumeration
        return _plain(name, value.value, depth) if isinstance(value.value, (str, int, float)) else (True, value.name)
    if hasattr(kind, "__index__") or kind.__name__.startswith(("float", "int", "bool")) and hasattr(value, "item"):
        try:  # a number of numpy's
            return _plain(name, value.item() if hasattr(value, "item") else int(value), depth + 1) if depth < 4 else (False, None)
        except Exception:
            return False, None
    if kind.__module__.partition(".")[0] == "torch" and kind.__name__ in ("device", "dtype") or kind.__module__ == "datetime":
        return True, str(value)
    return False, None


def _mapping(value):
    """A dict with the same items where the value is one of the usual containers of options, otherwise None."""
    if isinstance(value, dict):
        return value
    kind = type(value)
    if kind.__name__ == "Namespace":
        return vars(value)
    if kind.__module__.startswith("omegaconf."):
        from omegaconf import OmegaConf

        try:
            found = OmegaConf.to_container(value, resolve=True)
        except Exception:
            found = OmegaConf.to_container(value, resolve=False)
        return found if isinstance(found, dict) else None
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name, None) for name in kind.__dataclass_fields__}
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    return None


def flatten(values):
    """{"model": {"depth": 3}} -> {"model.depth": 3}; values that are not plain are left out."""
    flat = {}

    def add(prefix, value, depth):
        inner = _mapping(value) if depth < 8 else None
        if inner is None:
            known, plain = _plain(prefix, value)
            if known and prefix and len(flat) < MAX_KEYS:
                flat[prefix] = plain
            return
        for key, item in inner.items():
            add("%s.%s" % (prefix, key) if prefix else str(key), item, depth + 1)

    add("", values, 0)
    return flat
