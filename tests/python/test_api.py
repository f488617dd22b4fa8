# SPDX-License-Identifier: Apache-2.0
"""init, log, config and the rest: programs as W&B's guides show them, under `telltale run` and on their own."""
import json
import os
import pathlib

import support


class Api(support.Case):
    def scalars(self, folder=None):
        return [(one["name"], one["value"], one["step"]) for one in self.recorded(folder) if one["kind"] == "scalar"]

    def notes(self, key, folder=None):
        return [json.loads(one["bytes"]) for one in self.recorded(folder) if one["kind"] == "note" and one["name"] == key]

    def own_run(self):
        (folder,) = (self.folder / "runs").iterdir()
        return folder

    def test_the_quick_start_of_wandb_runs(self):
        done = self.run_program("""
import random
import telltale as wandb

wandb.login()
with wandb.init(project="my-awesome-project", config={"learning_rate": 0.02, "architecture": "CNN", "epochs": 10}) as run:
    config = run.config
    offset = random.random() / 5
    for epoch in range(2, config.epochs):
        acc = 1 - 2 ** -epoch - random.random() / epoch - offset
        loss = 2 ** -epoch + random.random() / epoch + offset
        run.log({"acc": acc, "loss": loss})
    assert run.summary["acc"] == acc and wandb.run is run and run.step == 8
    print(run.folder)
assert wandb.run is None
""")
        self.assertEqual(done.errors, "")
        folder = self.own_run()
        self.assertEqual(pathlib.Path(done.output.strip()), folder)
        self.assertEqual([step for name, _, step in self.scalars(folder) if name == "acc"], list(range(8)))
        self.assertEqual(self.notes("config", folder), [{"learning_rate": 0.02, "architecture": "CNN", "epochs": 10}])
        record = json.loads((folder / "run.json").read_text())
        self.assertEqual((record["schema"], record["experiment"], record["status"], record["exit_code"]), (1, "my-awesome-project", "Completed", 0))
        self.assertRegex(folder.name, r"^\d{4}-\d\d-\d\dT\d{6}Z_my-awesome-project$")
        self.assertRegex(record["start"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$")
        self.assertIsNotNone(record["end"])

    def test_an_older_script_runs(self):
        """wandb.config before a loop, Table, watch, Artifact, finish, and a run for each of several trainings."""
        done = self.run_program("""
import argparse
import telltale as wandb
arguments = argparse.ArgumentParser(); arguments.add_argument("--lr", type=float, default=0.1)
for number in range(2):
    wandb.init(project="p", name=f"trial {number}", group="g", tags=["a"], notes="n", config=arguments.parse_args([]), job_type="train",
               entity="me", reinit=True, save_code=True, settings=wandb.Settings(start_method="thread"))
    wandb.config.batch = 4
    wandb.config.update({"model": {"depth": 3}}, allow_val_change=True)
    wandb.watch(object(), log="all", log_freq=10)
    wandb.define_metric("val/*", step_metric="epoch", summary="min")
    table = wandb.Table(columns=["id", "text"]); table.add_data(1, "a|b"); table.add_data(2, "c")
    wandb.log({"table": table, "epoch": 1, "hist": wandb.Histogram([1.0, 2.0, 2.0])})
    wandb.run.summary["best"] = 0.9
    open("model.bin", "w").write("weights")
    artifact = wandb.Artifact("model", type="model"); artifact.add_file("model.bin"); wandb.log_artifact(artifact)
    wandb.save("model.bin")
    wandb.alert(title="low", text="it is low", level="WARN")
    wandb.finish()
""")
        self.assertEqual((done.output, done.errors), ("", ""))
        folders = sorted((self.folder / "runs").iterdir())
        self.assertEqual(len(folders), 2)
        for number, folder in enumerate(folders):
            merged = {}
            for note in self.notes("config", folder):
                merged.update(note)
            self.assertEqual(merged, {"lr": 0.1, "batch": 4, "model.depth": 3})
            self.assertEqual(self.notes("summary", folder), [{"best": 0.9}])
            self.assertEqual((folder / "outputs" / "model.bin").read_text(), "weights")
            self.assertEqual((folder / "outputs" / "artifacts" / "model" / "model.bin").read_text(), "weights")
            self.assertEqual((folder / "outputs" / "media" / "table_0.csv").read_text().split(), ["id,text", "1,a|b", "2,c"])
            texts = {one["name"]: one["bytes"].decode() for one in self.recorded(folder) if one["kind"] == "text"}
            self.assertIn("watch", texts["telltale/remarks"])
            self.assertIn("it is low", texts["telltale/alerts"])
            record = json.loads((folder / "run.json").read_text())
            self.assertEqual((record["name"], record["group"], record["tags"], record["note"]), (f"trial {number}", "g", ["a"], "n"))

    def test_steps_count_up_and_may_go_back(self):
        self.run_program("""
import telltale
telltale.log({"a": 1}); telltale.log({"a": 2}, commit=False); telltale.log({"b": 3}); telltale.log({"a": 4}, step=10)
telltale.log({"a": 5}, step=3); telltale.log({"a": 6}); telltale.log({"a": 7}); telltale.log({"a": 8}, step=-1)
""", recorded=True)
        self.assertEqual(self.scalars(), [("a", 1, 0), ("a", 2, 1), ("b", 3, 1), ("a", 4, 10), ("a", 5, 3), ("a", 6, 10), ("a", 7, 11), ("a", 8, -1)])

    def test_values_of_all_kinds(self):
        self.run_program("""
import telltale
telltale.log({"flag": True, "big": 10**30, "nan": float("nan"), "none": None, "text": "hello", "nested": {"x": 1, "y": {"z": 2.5}},
              "list": [1.0, 2.0, 4.0], "image": telltale.Image([[0, 255], [128, 3]], caption="two by two"),
              "images": [telltale.Image([[[1.0, 0, 0]]]), telltale.Image([[0.5]])], "html": telltale.Html("<b>x</b>"),
              "sound": telltale.Audio([0.0, 0.5], sample_rate=8000), "film": telltale.Video([[[[0, 255]]], [[[255, 0]]]], fps=2)}, step=5)
""", recorded=True)
        found = self.recorded()
        numbers = {name: value for name, value, _ in self.scalars()}
        self.assertEqual({name: value for name, value in numbers.items() if name != "nan"}, {"flag": 1.0, "big": 1e30, "nested.x": 1.0, "nested.y.z": 2.5})
        self.assertNotEqual(numbers["nan"], numbers["nan"])
        texts = {one["name"]: one["bytes"].decode() for one in found if one["kind"] == "text"}
        self.assertEqual(texts, {"text": "hello", "html": "outputs/media/html_5.html"})
        self.assertEqual((self.folder / "run" / "outputs" / "media" / "html_5.html").read_text(), "<b>x</b>")
        media = {one["name"]: support.fields(one["bytes"]) for one in found if one["kind"] == "value"}
        self.assertEqual(set(media), {"list", "image", "images/0", "images/1", "sound", "film"})
        self.assertIn(5, media["list"])
        image = support.fields(media["image"][4][0])
        self.assertEqual((image[1], image[2]), ([2], [2]))
        self.assertTrue(image[4][0].startswith(b"\\x89PNG".decode("unicode_escape").encode("latin-1")))
        self.assertEqual(support.fields(media["image"][9][0])[3], [b"two by two"])
        self.assertTrue(support.fields(media["film"][4][0])[4][0].startswith(b"GIF89a"))

    def test_a_log_without_init_begins_a_run(self):
        self.run_program("import telltale\ntelltale.log({'a': 1.5})\ntelltale.log({'a': 2.5})")
        self.assertEqual(self.scalars(self.own_run()), [("a", 1.5, 0), ("a", 2.5, 1)])

    def test_what_is_logged_after_the_end_makes_no_run(self):
        self.run_program("import telltale\ntelltale.init()\ntelltale.finish()\ntelltale.log({'a': 1.5})\ntelltale.log({'a': telltale.Image([[1]])})")
        self.assertEqual(self.scalars(self.own_run()), [])

    def test_disabled_records_nothing(self):
        self.run_program("import telltale\nrun = telltale.init(mode='disabled', config={'a': 1})\nrun.log({'a': 1})\nassert run.config.a == 1\nrun.finish()")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_cannot_be_made_does_not_stop_the_training(self):
        (self.folder / "file").write_text("")
        done = self.run_program("import telltale\nrun = telltale.init(dir='file/below', config={'a': 1})\nrun.log({'a': 1})\nrun.finish()\nprint('trained')")
        self.assertEqual((done.output, done.errors), ("trained\n", ""))

    def test_an_exception_is_told_and_fails_the_run(self):
        done = self.run_program("import telltale\ntelltale.init(name='x')\ndef f():\n    raise ValueError('bad loss')\nf()", expect=1)
        self.assertIn("ValueError: bad loss", done.errors)
        (note,) = self.notes("exception", self.own_run())
        self.assertEqual((note["type"], note["message"], note["frames"][-1]["function"]), ("ValueError", "bad loss", "f"))
        record = json.loads((self.own_run() / "run.json").read_text())
        self.assertEqual((record["status"], record["exit_code"]), ("Failed", 1))

    def test_under_a_run_init_joins_it(self):
        self.run_program("import telltale\nrun = telltale.init(project='p', name='n', config={'a': 1})\nassert run.folder.endswith('/run')\nrun.log({'x': 1})\nrun.finish()\n"
                         "telltale.log({'x': 2})", recorded=True)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run"])
        self.assertEqual(self.notes("run"), [{"experiment": "p", "name": "n"}])
        self.assertEqual(self.scalars(), [("x", 1, 0), ("x", 2, 1)])

    def test_configuration_takes_what_people_have(self):
        done = self.run_program("""
import json, dataclasses, telltale
@dataclasses.dataclass
class Options:
    lr: float = 0.5
c = telltale.config
c.update(Options()); c["depth"] = 3; c.setdefaults({"depth": 9, "new": 1}); c.update([("pair", 2)]); c.update(None)
assert c.lr == 0.5 and c.get("nothing", 7) == 7 and "lr" in c and dict(c)["new"] == 1 and len(c) == 4
try:
    c.missing
except AttributeError as problem:
    print(json.dumps(str(problem)))
""", recorded=True)
        self.assertIn("missing", done.json())
        self.assertEqual(self.notes("config")[0], {"lr": 0.5})

    def test_two_runs_of_one_second_get_two_folders(self):
        self.run_program("import telltale\nfor _ in range(3):\n    telltale.init(name='same').finish()")
        self.assertEqual(len(list((self.folder / "runs").iterdir())), 3)

    def test_what_is_not_there_is_named(self):
        done = self.run_program("import telltale\ntry:\n    telltale.sweep\nexcept AttributeError as problem:\n    print(problem)")
        self.assertIn("sweep", done.output)

    def test_importing_loads_nothing_heavy(self):
        done = self.run_program("import sys\nbefore = set(sys.modules)\nimport telltale\nprint(' '.join(sorted(set(sys.modules) - before)))")
        self.assertEqual(done.output.split(), ["__future__", "telltale", "telltale._native"])

    def test_every_name_of_the_package_is_there(self):
        self.run_program("import telltale\nfor name in telltale.__all__:\n    getattr(telltale, name)\ntelltale.plot.confusion_matrix(y_true=[0, 1], preds=[0, 0]).data")


if __name__ == "__main__":
    os.environ.pop("TELLTALE_RUN_DIR", None)
    support.unittest.main()
