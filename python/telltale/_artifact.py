# SPDX-License-Identifier: Apache-2.0
"""Artifact: named files of a run, as W&B's programs make them. They are copied into the run's outputs when they are logged; there are
no versions and no store."""
from __future__ import annotations

import os
import shutil
from typing import Any, Dict, List, Optional, Tuple


class Artifact:
    def __init__(self, name: str, type: str, description: Optional[str] = None, metadata: Optional[Dict[str, Any]] = None,
                 **others: Any) -> None:
        self.name, self.type, self.description = name, type, description
        self.metadata = dict(metadata or {})
        self._sources: List[Tuple[str, str]] = []  # where a file is, and its path in the artifact
        self.folder: Optional[str] = None

    def add_file(self, local_path: str, name: Optional[str] = None, **others: Any) -> None:
        self._sources.append((os.fspath(local_path), name or os.path.basename(os.fspath(local_path))))

    def add_dir(self, local_path: str, name: Optional[str] = None, **others: Any) -> None:
        for folder, _, files in os.walk(local_path):
            for file in files:
                path = os.path.join(folder, file)
                self.add_file(path, os.path.join(name or "", os.path.relpath(path, local_path)))

    def add(self, path: Any, name: Optional[str] = None) -> None:
        if os.path.isdir(path):
            self.add_dir(path, name)
        else:
            self.add_file(path, name)

    def add_reference(self, uri: str, name: Optional[str] = None, **others: Any) -> None:
        self.metadata.setdefault("references", []).append(uri)

    def copy_to(self, folder: str) -> None:
        self.folder = folder
        for source, below in self._sources:
            place = os.path.normpath(os.path.join(folder, below))
            if place.startswith(folder + os.sep):
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy2(source, place)

    def wait(self, timeout: Any = None) -> "Artifact":
        return self

    def download(self, root: Optional[str] = None, **others: Any) -> str:
        """Where its files are."""
        return self.folder or os.getcwd()
