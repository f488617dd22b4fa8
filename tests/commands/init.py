#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: init.py TELLTALE
`telltale init` and what it leaves in a project: telltale.toml, which `telltale run` reads, and VS Code's files, which keep what
people wrote into them."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TELLTALE = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else None


class Init(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def telltale(self, *words):
        return subprocess.run([TELLTALE, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def test_defaults_of_a_project(self):
        self.assertEqual(self.telltale("init").returncode, 0)
        file = self.folder / "telltale.toml"
        asked = self.telltale("run", "--dry-run", "--", "true")
        self.assertEqual((asked.returncode, "quick run" in asked.stdout), (0, False), "as it is written it asks for nothing")
        again = self.telltale("init")
        self.assertEqual((again.returncode, "left as it is" in again.stderr), (2, True))
        file.write_text('[run]\nmax_epochs = 2\nname = "of the file"\ntag = ["a", "b"]\n')
        asked = self.telltale("run", "--dry-run", "--max-epochs=3", "--", "true").stdout
        self.assertIn("--max-epochs=3", asked, "a flag beats the file")
        for text in ("of the file", "tag          a", "tag          b"):
            self.assertIn(text, asked)
        file.write_text("[run]\nmax_epoch = 2\n")
        wrong = self.telltale("run", "--dry-run", "--", "true")
        self.assertEqual((wrong.returncode, "did you mean 'max-epochs'" in wrong.stderr), (2, True), wrong.stderr)

    def test_an_editors_files(self):
        self.assertEqual(self.telltale("init", "vscode").returncode, 0)
        launch = json.loads((self.folder / ".vscode/launch.json").read_text())
        tasks = json.loads((self.folder / ".vscode/tasks.json").read_text())
        self.assertEqual(len(launch["configurations"]), 5)
        self.assertTrue(all(each["justMyCode"] is False for each in launch["configurations"]))
        self.assertIn("telltale view", tasks["tasks"][0]["command"])

    def test_what_people_wrote_stays(self):
        (self.folder / ".vscode").mkdir()
        file = self.folder / ".vscode/launch.json"
        file.write_text('{\n  // mine\n  "version": "0.2.0",\n  "configurations": [\n    { "name": "mine", "request": "launch", }, // and this\n  ],\n}\n')
        self.assertEqual(self.telltale("init", "vscode").returncode, 0)
        once = file.read_text()
        for text in ("  // mine\n", '{ "name": "mine", "request": "launch", }, // and this\n', "Telltale: current file"):
            self.assertIn(text, once)
        said = self.telltale("init", "vscode")
        self.assertEqual((said.returncode, file.read_text()), (0, once), "a second time changes nothing")
        file.write_text("{ broken")
        refused = self.telltale("init", "vscode")
        self.assertEqual((refused.returncode, file.read_text()), (2, "{ broken"))


if __name__ == "__main__":
    if TELLTALE is None:
        sys.exit(__doc__)
    unittest.main()
