#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is recorded of the libraries that trainings use, with small fakes of them: steps, curves once each, configuration
without secrets; and that the libraries' own results stay what they are."""
import sys
import unittest

from hooks_harness import INJECT, run

TRAIN = """
import torch
from torch.utils.data import DataLoader
"""


class Torch(unittest.TestCase):
    def test_steps_and_waiting_of_a_plain_loop(self):
        source = TRAIN + "o = torch.optim.SGD([1])\nl = DataLoader([1, 2, 3])\nv = DataLoader([4])\nfor e in range(2):\n    for b in l:\n        o.step()\n    with torch.no_grad():\n        assert list(v) == [4]\nprint(len(l))"
        recorded = run(source)
        self.assertEqual((recorded.steps, recorded.out, recorded.err), (6, "3\n", ""))
        self.assertTrue(all(line["data_wait_ns"] >= 0 for line in recorded.of_kind("step_end")))
        self.assertEqual(recorded.merged("hooks"), {})

    def test_a_closure_is_one_step_and_its_result_is_given_back(self):
        recorded = run("import torch\no = torch.optim.SGD([1])\nprint(o.step(lambda: None), o.step(lambda: None))")
        self.assertEqual((recorded.steps, recorded.out), (2, "stepped stepped\n"))

    def test_nothing_happens_in_a_graph_that_is_being_traced(self):
        recorded = run("import torch\no = torch.optim.SGD([1])\ntorch.compiler.compiling = True\no.step()\ntorch.compiler.compiling = False\no.step()")
        self.assertEqual(recorded.steps, 1)

    def test_an_update_that_a_scaler_skips_inside_a_fused_optimizer_is_no_step(self):
        source = "import torch\nclass Flag:\n    is_cpu = True\n    def __init__(self, v): self.v = v\n    def item(self): return self.v\no = torch.optim.SGD([1])\nfor v in (1.0, 0.0, 0.0):\n    o.found_inf = Flag(v)\n    o.step()"
        self.assertEqual(run(source).steps, 2)

    def test_objects_stay_as_they_are(self):
        source = TRAIN + (
            "import copy, inspect, pickle\nclass Mine(DataLoader):\n    def __iter__(self):\n        for b in super().__iter__():\n            yield b * 2\n"
            "l = Mine([1, 2])\nprint(list(l), list(l), list(pickle.loads(pickle.dumps(l))), sorted(vars(l)))\no = torch.optim.SGD([1])\n"
            "print(sorted(vars(pickle.loads(pickle.dumps(o)))), inspect.signature(DataLoader.__iter__), inspect.signature(torch.optim.Optimizer.__init__))\n"
            "i = iter(DataLoader([1]))\nprint(next(i), next(i, 'end'), iter(i) is i, DataLoader.__iter__.__qualname__)\n"
        )
        self.assertEqual(run(source).out, run(source, record=False).out)

    def test_ranges_of_record_function_are_spans(self):
        source = (
            "from torch.autograd.profiler import record_function\nimport inspect\nwith record_function('outer') as r:\n"
            "    try:\n        with record_function('inner'):\n            1 / 0\n    except ZeroDivisionError:\n        pass\n"
            "with record_function('ProfilerStep#3'): pass\n"
            "print(type(r), r.name, inspect.signature(record_function.__exit__), 'def __enter__' in inspect.getsource(record_function))"
        )
        recorded = run(source)
        self.assertEqual(recorded.out, run(source, record=False).out)
        spans = [line.get("name") for line in recorded.lines if line["kind"] in ("span_begin", "span_end")]
        self.assertEqual((spans, recorded.merged("hooks")), (["outer", "inner", None, None], {}))
        self.assertEqual(run(source, env={"TELLTALE_RECORD": "steps"}).of_kind("span_begin"), [])

    def test_an_older_torch_without_global_hooks(self):
        old = "class Optimizer:\n    def __init__(self, params, defaults):\n        self._hook_for_profile()\n    def _hook_for_profile(self): pass\nclass SGD(Optimizer):\n    def __init__(self, params): super().__init__(params, {})\n    def step(self, closure=None): return 'old'\n"
        files = {"torch/__init__.py": "__version__ = '1.13'\n", "torch/optim/__init__.py": "from .optimizer import SGD\n", "torch/optim/optimizer.py": old}
        recorded = run("import torch.optim\na, b = torch.optim.SGD([1]), torch.optim.SGD([1])\nprint(a.step(), b.step(), a.step())", files=files, fakes=False)
        self.assertEqual((recorded.out, recorded.steps, recorded.merged("hooks")), ("old old old\n", 2, {}))


class Simple(unittest.TestCase):
    """`--profile simple`"""

    def spans(self, source):
        recorded = run(source, env={"TELLTALE_PROFILE": "simple"})
        self.assertEqual((recorded.out, recorded.merged("hooks")), (run(source, record=False).out, {}), recorded.err)
        return [line.get("name") for line in recorded.lines if line["kind"] in ("span_begin", "span_end")]

    def test_the_actions_of_a_plain_training(self):
        source = (
            "import torch, torch.nn, torch.autograd\nfrom torch.serialization import save\n"
            "class Inner(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
            "class Net(torch.nn.Module):\n    def __init__(self): self.inner = Inner()\n    def forward(self, x):\n        return self.inner(x) * 2\n"
            "net = Net()\nprint(net(1), torch.autograd.backward([1]), save(net, 'x'))\nwith torch.no_grad():\n    print(net(2))\n"
        )
        self.assertEqual(self.spans(source), ["forward Net", None, "backward", None, "save checkpoint", None, "validation forward Net", None])

    NET = (
        "import torch, torch.nn\nfrom torch.utils.data import DataLoader\nclass Weight:\n    grad = None\n"
        "class Net(torch.nn.Module):\n    def __init__(self): self.weights = [Weight()]\n    def forward(self, x): return x\n"
        "net, loader = Net(), DataLoader([1, 2])\n"
    )
    BATCH = ["validation forward Net", None]

    def test_a_validation_is_an_action_from_its_loader_to_where_gradients_are_wanted_again(self):
        for context in ("no_grad()", "inference_mode()", "set_grad_enabled(False)"):
            source = self.NET + "net(0)\nwith torch.%s:\n    with torch.no_grad():\n        for x in loader: net(x)\nprint(net(3))\n" % context
            self.assertEqual(self.spans(source), ["forward Net", None, "validation", *self.BATCH, *self.BATCH, None, "forward Net", None])

    def test_a_validation_begins_with_eval(self):
        source = self.NET + "with torch.no_grad():\n    net.eval()\n    for x in (1, 2): net(x)\n    net.train()\n"
        self.assertEqual(self.spans(source), ["validation", *self.BATCH, *self.BATCH, None])

    def test_a_model_that_was_trained_and_is_called_in_eval_mode_is_validated(self):
        source = self.NET + "net.weights[0].grad = 1\nnet.eval()\nwith torch.inference_mode():\n    print(net(1))\nprint('on')\n"
        self.assertEqual(self.spans(source), ["validation", *self.BATCH, None])

    def test_what_another_model_is_asked_in_training_is_no_validation(self):
        source = self.NET + "net.eval()\nwith torch.no_grad():\n    net(1)\nwith torch.set_grad_enabled(True):\n    list(loader)\n"
        self.assertEqual(self.spans(source), self.BATCH)

    def test_the_validations_of_a_trainer_are_its_own(self):
        source = "import sys\nsys.modules['transformers.trainer'] = sys\n" + self.NET + "with torch.no_grad():\n    list(loader)\n"
        self.assertEqual(self.spans(source), [])

    def test_an_error_ends_its_actions(self):
        source = (
            "import torch.nn\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return 1 / x\n"
            "net = Net()\ntry:\n    net(0)\nexcept ZeroDivisionError as e:\n    print(e)\nprint(net(1))\n"
        )
        self.assertEqual(self.spans(source), ["forward Net", None, "forward Net", None])

    def test_the_actions_of_lightning_are_those_of_its_profiler(self):
        source = (
            "from lightning.pytorch.profilers.profiler import Profiler\np = Profiler()\nwith p.profile('run_training_batch') as name:\n"
            "    print(name)\n    with p.profile('[Strategy]DDP.backward'):\n        pass\n"
            "try:\n    with p.profile('fails'):\n        1 / 0\nexcept ZeroDivisionError:\n    print('raised')\n"
        )
        self.assertEqual(self.spans(source), ["run_training_batch", "[Strategy]DDP.backward", None, None, "fails", None])

    def test_lightnings_batches_are_actions(self):
        source = (
            "from lightning.pytorch.loops.evaluation_loop import _EvaluationLoop\nloop = _EvaluationLoop()\n"
            "loop._on_before_fetch()\nloop._on_after_fetch()\n"
        )
        self.assertEqual(self.spans(source), ["[_EvaluationLoop].val_next", None])

    def test_the_events_of_hugging_face_are_actions(self):
        source = "from transformers.trainer_callback import CallbackHandler\nprint(CallbackHandler([], None).call_event('on_step_end', 1, 2, 'control'))"
        self.assertEqual(self.spans(source), ["[Callback]on_step_end", None])

    def test_nothing_of_it_without_being_asked_for(self):
        self.assertEqual(run("import torch.nn\nclass N(torch.nn.Module):\n    def forward(self): return 1\nprint(N()())").of_kind("span_begin"), [])


WRITER = "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter('runs/a')\n"


class Curves(unittest.TestCase):
    def test_all_points_of_a_writer_are_kept(self):
        recorded = run(WRITER + "for s in (0, 1, 1, 0):\n    w.add_scalar('loss', s / 2, s, walltime=7.5)\nw.add_scalar('stepless', 3)")
        self.assertEqual(recorded.points("loss"), [(0, 0.0), (1, 0.5), (1, 0.5), (0, 0.0)])
        self.assertEqual(recorded.points("stepless"), [(0, 3.0)])
        self.assertEqual(recorded.of_kind("scalar")[0]["wall"], 7.5)

    def test_add_scalars_is_one_curve_for_each_key(self):
        recorded = run(WRITER + "for s in range(3):\n    w.add_scalars('both', {'d': 1, 'g': 2}, s)\nprint(sorted(w.writers))")
        self.assertEqual([(tag, len(recorded.points(tag))) for tag in ("both/d", "both/g", "both")], [("both/d", 3), ("both/g", 3), ("both", 0)])
        self.assertEqual(recorded.out, "['runs/a', 'runs/a/both_d', 'runs/a/both_g']\n")

    def test_what_is_no_scalar_passes_as_a_value(self):
        recorded = run(WRITER + "w.add_histogram('weights', [1, 2], 4)")
        (value,) = recorded.of_kind("value")
        self.assertEqual((value["tag"], value["step"]), ("weights", 4))

    def test_a_second_folder_has_curves_of_its_own(self):
        recorded = run(WRITER + "v = SummaryWriter('runs/val')\nfor s in range(2):\n    w.add_scalar('loss', 1, s)\n    v.add_scalar('loss', 2, s)\nSummaryWriter('runs/a').add_scalar('loss', 3, 9)")
        self.assertEqual(recorded.points("loss"), [(0, 1.0), (1, 1.0), (9, 3.0)])
        self.assertEqual(recorded.points("val/loss"), [(0, 2.0), (1, 2.0)])

    def test_a_tag_logged_to_two_tools_is_one_curve(self):
        recorded = run(WRITER + "import wandb\nwandb.init()\nfor s in range(3):\n    w.add_scalar('loss', s, s)\n    wandb.log({'loss': s, 'only': s})")
        self.assertEqual((len(recorded.points("loss")), len(recorded.points("only"))), (3, 3))

    def test_rows_of_wandb(self):
        source = "import wandb\nr = wandb.init(config={'lr': 0.1})\nwandb.log({'part': 1}, commit=False)\nwandb.log({'loss': 2.0, 'epoch': {'last': 3}, 'words': 'text', 'skip': [1]})\nr.log({'loss': 4})\nr.log({'loss': 5}, step=10)\nr.log({'late': 6}, step=3)\nr.log({'loss': 7})\nr.config['lr'] = 0.2\nprint(len(r.kept))"
        recorded = run(source)
        self.assertEqual(recorded.points(), [("part", 0, 1.0), ("loss", 0, 2.0), ("epoch.last", 0, 3.0), ("loss", 1, 4.0), ("loss", 10, 5.0), ("late", 3, 6.0), ("loss", 10, 7.0)])
        self.assertEqual([line["tag"] for line in recorded.of_kind("text")], ["words"])
        self.assertEqual((recorded.notes("config"), recorded.out), ([{"lr": 0.1}, {"lr": 0.2}], "6\n"))

    def test_an_error_of_the_tool_is_the_programs_and_nothing_is_recorded(self):
        recorded = run("import wandb\nr = wandb.init()\ntry:\n    r.log(3)\nexcept TypeError as e:\n    print(e)")
        self.assertEqual((recorded.out, recorded.points()), ("wandb.log must be passed a dictionary\n", []))

    def test_mlflow_metrics_and_parameters(self):
        source = "import mlflow\nfrom types import SimpleNamespace as N\nfor s in (100, 99):\n    print(mlflow.log_metric('falling', s, s))\nmlflow.log_metric('stepless', 1)\nmlflow.log_params({'lr': 0.5, 'name': 'x', 'flag': True})\nmlflow.MlflowClient().log_batch('r1', metrics=[N(key='m', value=2, timestamp=1, step=4)])"
        recorded = run(source)
        self.assertEqual(recorded.points(), [("falling", 100, 100.0), ("falling", 99, 99.0), ("stepless", 0, 1.0), ("m", 4, 2.0)])
        self.assertEqual((recorded.merged("config"), recorded.out), ({"lr": 0.5, "name": "x", "flag": True}, "metric\nmetric\n"))

    def test_lightnings_metrics_where_no_tool_gets_them(self):
        source = "from types import SimpleNamespace as N\nfrom lightning.pytorch.trainer.connectors.logger_connector.logger_connector import _LoggerConnector\n"
        trainer = "t = N(loggers=[%s], current_epoch=1, global_step=8)\nc = _LoggerConnector(t)\nc.log_metrics({'loss': 0.5}, 7)\nc.log_metrics({'val': 1.5})\n"
        self.assertEqual(run(source + trainer % "").points(), [("loss", 7, 0.5), ("val", 8, 1.5), ("epoch", 8, 1.0)])
        through = WRITER + source + trainer % "lambda m, s: [w.add_scalar('pl/' + k, v, s) for k, v in m.items()]"
        self.assertEqual(run(through).points(), [("pl/loss", 7, 0.5), ("pl/val", 0, 1.5)])

    def test_hugging_faces_logs_where_no_tool_gets_them(self):
        source = "from types import SimpleNamespace as N\nfrom transformers.trainer_callback import CallbackHandler\nh = CallbackHandler([%s], None)\nprint(h.on_log(None, N(global_step=5), 'control', {'loss': 0.5, 'eval_loss': 1, 'total_flos': 3, 'words': 'x'}))"
        recorded = run(source % "")
        self.assertEqual((recorded.points(), recorded.out), ([("train/loss", 5, 0.5), ("eval/loss", 5, 1.0), ("train/total_flos", 5, 3.0)], "control\n"))
        through = WRITER + source % "lambda s, l: w.add_scalar('train/loss', l['loss'], s.global_step)"
        self.assertEqual(run(through).points(), [("train/loss", 5, 0.5)])


class MissingWandb(unittest.TestCase):
    """The stand-in package's name says which module the program has."""

    def run_without(self, source, files=None):
        return run(source, files=files, fakes=False)

    def test_a_program_that_would_end_at_its_import_gets_the_package(self):
        for source in ("import wandb\nprint(wandb.name)", "import os, wandb as w\nprint(w.name)", "from wandb import name\nprint(name)", "def f():\n    import wandb\n    return wandb.name\nprint(f())"):
            recorded = self.run_without(source)
            self.assertEqual((recorded.out, recorded.exit), ("the package\n", 0), recorded.err)
            self.assertIn("not installed", recorded.merged("hooks")["wandb"])

    def test_a_program_that_is_prepared_finds_none(self):
        for source in (
            "try:\n    import wandb\nexcept ImportError:\n    print('none')",
            "try:\n    import wandb\nexcept:\n    print('none')",
            "def f():\n    import wandb\ntry:\n    f()\nexcept (OSError, ModuleNotFoundError):\n    print('none')",
            "import contextlib\nwith contextlib.suppress(ImportError):\n    import wandb\n    print('some')\nprint('none')",
            "import importlib.util\nprint('some' if importlib.util.find_spec('wandb') else 'none')",
            "import importlib\ntry:\n    importlib.import_module('wandb')\nexcept ImportError:\n    print('none')",
        ):
            recorded = self.run_without(source)
            self.assertEqual((recorded.out, recorded.exit), ("none\n", 0), source)

    def test_a_try_for_something_else_does_not_prepare(self):
        source = "try:\n    import wandb\n    print(wandb.name)\nexcept KeyError:\n    pass\nfinally:\n    print('end')"
        self.assertEqual(self.run_without(source).out, "the package\nend\n")

    def test_a_library_finds_none(self):
        library = {"site-packages/tool.py": "import wandb\n"}
        recorded = self.run_without("import sys\nsys.path.append('site-packages')\nimport tool", files=library)
        self.assertIn("No module named 'wandb'", recorded.err)

    def test_an_import_of_the_programs_own_module_that_imports_it(self):
        files = {"mine.py": "import wandb\nname = wandb.name\n"}
        self.assertEqual(self.run_without("import mine\nprint(mine.name)", files=files).out, "the package\n")
        self.assertEqual(self.run_without("try:\n    import mine\nexcept ImportError:\n    print('none')", files=files).out, "none\n")


class Config(unittest.TestCase):
    def test_jsonargparse_with_dotted_names(self):
        core = ("class Namespace:\n    def __init__(self, **values): self.__dict__.update(values)\n"
                "class ArgumentParser:\n    def parse_args(self, args=None):\n"
                "        return Namespace(config=None, seed=7, model=Namespace(lr=0.1, __path__='m.yaml'), trainer=Namespace(max_epochs=3))\n")
        library = {"site-packages/jsonargparse/__init__.py": "from ._core import ArgumentParser\n", "site-packages/jsonargparse/_core.py": core}
        source = "import sys\nsys.path.append('site-packages')\nimport jsonargparse\nprint(jsonargparse.ArgumentParser().parse_args().seed)"
        recorded = run(source, files=library)
        self.assertEqual(recorded.merged("config"), {"seed": 7, "model.lr": 0.1, "trainer.max_epochs": 3})

    def test_constants_of_a_script_are_those_that_nothing_changes(self):
        sys.path.insert(0, str(INJECT))
        from telltale_hooks.main_constants import names_in

        source = ("lr = 1e-3\nsteps: int = 5\nname = 'x'\noffset = -1\nsizes = [1]\n_own = 2\nbest = 0.0\nseen = 0\ncount = 0\n"
                  "if name == 'x':\n    lr = 0.1\n    steps //= 2\ntry:\n    wide = True\nexcept ValueError:\n    wide = False\n"
                  "def f():\n    global count\n    local = 3\nfor epoch in range(3):\n    best = 1.0\n    inner = 2\nwhile seen < 3:\n    seen += 1\n")
        self.assertEqual(names_in(source), ["lr", "steps", "name", "offset", "wide"])

    def test_argparse_with_defaults_sub_commands_and_known_args(self):
        source = "import argparse\np = argparse.ArgumentParser()\nc = p.add_subparsers(dest='command')\nf = c.add_parser('fit')\nf.add_argument('--lr', type=float, default=0.1)\nf.add_argument('--flag', action='store_true')\nf.set_defaults(run=print)\nprint(p.parse_known_args()[1])"
        recorded = run(source, ["fit", "--lr", "0.2", "--other"])
        self.assertEqual((recorded.merged("config"), recorded.out), ({"command": "fit", "lr": 0.2, "flag": False}, "['--other']\n"))

    def test_a_parser_that_refuses_prints_the_same(self):
        source = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()"
        recorded, bare = run(source, ["--n", "x"]), run(source, ["--n", "x"], record=False)
        self.assertEqual((recorded.exit, recorded.out, recorded.err), (bare.exit, bare.out, bare.err))

    def test_parsers_of_libraries_are_not_the_programs(self):
        library = {"site-packages/tool/__init__.py": "import argparse\ndef parse():\n    p = argparse.ArgumentParser()\n    p.add_argument('--port', default=1)\n    return p.parse_args([])\n"}
        source = "import sys\nsys.path.append('%s')\nimport tool\nprint(tool.parse().port)"
        recorded = run(source % "site-packages", files=library)
        self.assertEqual((recorded.out, recorded.notes("config")), ("1\n", []))

    def test_secrets_never_pass(self):
        source = "import argparse\np = argparse.ArgumentParser()\nfor n, d in (('api-key', 'abc'), ('hub_token', 'x'), ('password', 'p'), ('url', 'https://me:word@host/x'), ('free', 'hf_abcdefghijklmnop'), ('max_tokens', 12), ('pad_token', '<pad>'), ('token', None), ('keyboard', 'qwerty')):\n    p.add_argument('--' + n, default=d)\np.parse_args([])"
        hidden = "(hidden)"
        self.assertEqual(run(source).merged("config"), {"api_key": hidden, "hub_token": hidden, "password": hidden, "url": hidden, "free": hidden, "max_tokens": 12, "pad_token": "<pad>", "token": None, "keyboard": "qwerty"})

    def test_values_as_the_program_sees_them(self):
        source = "import argparse, pathlib, enum\nclass E(enum.Enum):\n    A = 'a'\np = argparse.ArgumentParser()\nv = p.parse_args([])\nn = argparse.Namespace(path=pathlib.Path('x/y'), kind=E.A, sizes=[1, 2], nested={'a': {'b': 1}}, nan=float('nan'), thing=object(), name='x')\np.parse_args([], n)"
        self.assertEqual(run(source).merged("config"), {"path": "x/y", "kind": "a", "sizes": [1, 2], "nested.a.b": 1, "nan": "NaN", "name": "x"})

    def test_click_commands_of_the_program(self):
        recorded = run("import click\ndef main(lr, shuffle): return lr\nprint(click.Command(main).main(lr=0.5, shuffle=False))")
        self.assertEqual((recorded.merged("config"), recorded.out), ({"lr": 0.5, "shuffle": False}, "0.5\n"))

    def test_hydras_configuration_without_its_own_part(self):
        source = "from hydra.core.hydra_config import HydraConfig\nHydraConfig().set_config({'model': {'depth': 3, 'names': ['a']}, 'hydra': {'run': 1}, 'missing': '???'})"
        self.assertEqual(run(source).merged("config"), {"model.depth": 3, "model.names": ["a"]})

    def test_lightnings_hyperparameters(self):
        source = "from lightning.pytorch.core.mixins.hparams_mixin import HyperparametersMixin as M\nclass Model(M): pass\nm = Model()\nm._set_hparams({'lr': 0.02, 'net': object()})\nprint(m.hparams['lr'])"
        recorded = run(source)
        self.assertEqual((recorded.merged("config"), recorded.out), ({"lr": 0.02}, "0.02\n"))

    def test_hugging_faces_arguments_and_model(self):
        source = "import dataclasses\nfrom types import SimpleNamespace as N\nfrom transformers.trainer_callback import CallbackHandler\n@dataclasses.dataclass\nclass A:\n    learning_rate: float = 5e-5\n    logging_steps: int = 500\n    eval_steps: int = 10\n    hub_token: str = None\n    local_rank: int = -1\nclass C:\n    hidden_size = 16\n    def to_diff_dict(self): return {'dropout': 0.3, 'transformers_version': '5'}\n"
        source += "h = CallbackHandler([], N(config=C()))\nprint(h.on_train_begin(A(logging_steps=2, hub_token='secret', local_rank=0), None, 'control'))"
        recorded = run(source)
        self.assertEqual(recorded.merged("config"), {"learning_rate": 5e-5, "logging_steps": 2, "hub_token": "(hidden)", "hidden_size": 16, "dropout": 0.3})
        self.assertEqual(recorded.out, "control\n")

    def test_hyperparameters_given_to_tensorboard(self):
        recorded = run(WRITER + "w.add_hparams({'lr': 0.1, 'bs': 4}, {'accuracy': 0.5})")
        self.assertEqual((recorded.merged("config"), recorded.points("accuracy")), ({"lr": 0.1, "bs": 4}, [(0, 0.5)]))


if __name__ == "__main__":
    unittest.main()
