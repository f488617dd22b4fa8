# SPDX-License-Identifier: Apache-2.0
_group = {}


def init_process_group(backend=None, init_method=None, rank=-1, world_size=-1):
    _group.update(rank=rank, world_size=world_size)


def get_rank():
    return _group["rank"]


def get_world_size():
    return _group["world_size"]


def is_initialized():
    return bool(_group)


class FileStore:
    """Of the ranks that share a folder."""

    def set(self, key, value):
        with open(key.replace("/", "_"), "w") as file:
            file.write(value)

    def check(self, keys):
        from os.path import exists

        return all(exists(key.replace("/", "_")) for key in keys)

    def get(self, key):
        with open(key.replace("/", "_"), "rb") as file:
            return file.read()


def _get_default_store():
    return FileStore()
