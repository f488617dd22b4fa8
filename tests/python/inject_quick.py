#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quick runs of plain loops, with a fake torch: however a program is written, it trains as many batches as were asked for and
comes to its own end. Each program prints what it counted itself."""
import json
import sys
import unittest

from hooks_harness import INJECT, run

HEAD = """
import torch
from torch.utils.data import DataLoader
train_loader, val_loader, test_loader = DataLoader(list(range(10))), DataLoader(list(range(7))), DataLoader(list(range(5)))
optimizer = torch.optim.SGD([1])
train = val = test = steps = 0
"""
TAIL = "\nprint(train, val, test, steps)\n"
FAST = {"fast_dev_run": 2}


def quick(source, values=None, head=HEAD, tail=TAIL, **more):
    env = dict(more.pop("env", {}), TELLTALE_QUICK=json.dumps(FAST if values is None else values))
    return run(head + source + tail, env=env, **more)


def counts(recorded):
    assert recorded.exit == 0, recorded.err
    return tuple(int(word) for word in recorded.out.split()[-4:])


EPOCHS = """
for epoch in range(3):
    seen = 0
    for i, b in enumerate(train_loader):
        train += 1; seen += 1
        if (i + 1) % 4 == 0 or i + 1 == len(train_loader):
            optimizer.step(); steps += 1
    print("epoch", epoch, 10 // seen)
    with torch.no_grad():
        for b in val_loader: val += 1
with torch.no_grad():
    for b in test_loader: test += 1
"""


class Flags(unittest.TestCase):
    def test_a_fast_dev_run_has_n_batches_of_each_loop_and_one_epoch(self):
        recorded = quick(EPOCHS)
        self.assertEqual(counts(recorded), (2, 2, 2, 1))
        self.assertEqual(recorded.out.count("epoch"), 1)
        self.assertEqual(recorded.notes("quick_run"), [{"applied": FAST}])

    def test_without_a_flag_nothing_is_changed(self):
        self.assertEqual(counts(run(HEAD + EPOCHS + TAIL)), (30, 21, 5, 9))

    def test_limits_and_epochs(self):
        self.assertEqual(counts(quick(EPOCHS, {"limit_train_batches": 3, "max_epochs": 1})), (3, 7, 5, 1))
        self.assertEqual(counts(quick(EPOCHS, {"limit_train_batches": 3, "max_epochs": 2})), (6, 14, 5, 2))
        self.assertEqual(counts(quick(EPOCHS, {"limit_train_batches": 0.25, "limit_val_batches": 1, "limit_test_batches": 1.0})), (6, 3, 5, 3))
        self.assertEqual(counts(quick(EPOCHS, {"limit_val_batches": 0, "limit_test_batches": 2})), (30, 0, 2, 9))
        self.assertEqual(counts(quick(EPOCHS, {"overfit_batches": 2})), (6, 6, 5, 3))
        self.assertEqual(counts(quick(EPOCHS, {"max_epochs": 9})), (30, 21, 5, 9))

    def test_the_same_samples_in_every_epoch(self):
        source = "import random\nclass Shuffled(DataLoader):\n    sampler = property(lambda self: random.sample(range(50), 50))\ntrain_loader = Shuffled(list(range(50)))\nseen = []\nfor epoch in range(3):\n    seen.append([])\n    for b in train_loader:\n        optimizer.step(); seen[-1].append(b)\nprint(seen[0] == seen[1] == seen[2], len(seen[0]))"
        self.assertEqual(quick(source, {"overfit_batches": 3}, tail="").out, "True 3\n")

    def test_steps(self):
        source = EPOCHS.replace("if (i + 1) % 4 == 0 or i + 1 == len(train_loader):", "if True:")
        self.assertEqual(counts(quick(source, {"max_steps": 5})), (5, 7, 5, 5))
        self.assertEqual(counts(quick(source, {"max_steps": 12})), (12, 14, 5, 12))

    def test_steps_without_a_loader(self):
        source = "for i in range(14):\n    optimizer.step(); steps += 1"
        recorded = quick(source, {"max_steps": 5})
        self.assertEqual(counts(recorded), (0, 0, 0, 5))
        self.assertEqual(recorded.notes("quick_run"), [{"applied": {"max_steps": 5}}])
        self.assertEqual(quick(source, FAST).notes("quick_run"), [], "nothing to shorten, and nobody claims it was")

    def test_a_share_of_nobody_knows_how_many(self):
        source = "class Endless(DataLoader):\n    sampler = property(lambda self: iter(range(10)))\nfor b in Endless(list(range(10))):\n    train += 1; optimizer.step()"
        recorded = quick(source, {"limit_train_batches": 0.5})
        self.assertEqual(counts(recorded)[0], 10)
        self.assertIn("has no length", recorded.notes("quick_run")[-1]["not_applied"]["limit_train_batches"])


class Loops(unittest.TestCase):
    """Two batches, whatever the loop."""

    def check(self, source, want=(2, 0, 0, 2), values=None, **more):
        recorded = quick(source, values, **more)
        self.assertEqual(counts(recorded), want, recorded.err)
        self.assertEqual(recorded.merged("hooks"), {})
        return recorded

    STEP = "train += 1; optimizer.step(); steps += 1"

    def test_begun_again_when_it_ends(self):
        self.check(f"data = iter(train_loader)\nfor it in range(50):\n    try:\n        b = next(data)\n    except StopIteration:\n        data = iter(train_loader)\n        b = next(data)\n    {self.STEP}")

    def test_a_validation_where_it_ends(self):
        self.check(f"data = iter(train_loader)\nfor it in range(50):\n    try:\n        b = next(data)\n    except StopIteration:\n        with torch.no_grad():\n            for b in val_loader: val += 1\n        data = iter(train_loader)\n        b = next(data)\n    {self.STEP}", (2, 2, 0, 2))

    def test_next_without_a_guard(self):
        self.check(f"data = iter(train_loader)\nfor it in range(9):\n    b = next(data)\n    {self.STEP}")
        self.check(f"data = iter(train_loader)\nfor it in range(9):\n    b = next(data)\n    {self.STEP}", (3, 0, 0, 3), {"limit_train_batches": 3})

    def test_while_there_are_steps_to_make(self):
        self.check(f"while steps < 1000:\n    for b in train_loader:\n        {self.STEP}\n        if steps >= 1000: break")

    def test_while_true(self):
        self.check(f"for epoch in range(3):\n    data = iter(train_loader)\n    while True:\n        try:\n            b = next(data)\n        except StopIteration:\n            break\n        {self.STEP}")

    def test_accumulation_inside(self):
        self.check("data = iter(train_loader)\nfor it in range(5):\n    for micro in range(4):\n        try:\n            b = next(data)\n        except StopIteration:\n            data = iter(train_loader)\n            b = next(data)\n        train += 1\n    optimizer.step(); steps += 1", (4, 0, 0, 1), {"limit_train_batches": 4, "max_epochs": 1})

    def test_phases(self):
        source = "loaders = {'train': train_loader, 'val': val_loader}\nfor epoch in range(3):\n    for phase in ['train', 'val']:\n        for b in loaders[phase]:\n            if phase == 'train':\n                train += 1; optimizer.step(); steps += 1\n            else:\n                val += 1"
        self.check(source, (2, 2, 0, 2))

    def test_a_generator_without_end(self):
        endless = "def endless(loader):\n    while True:\n        for b in loader:\n            yield b\n"
        self.check(endless + f"data = endless(train_loader)\nfor it in range(100):\n    b = next(data)\n    {self.STEP}")
        self.check(endless + f"for b in endless(train_loader):\n    {self.STEP}\n    if steps == 100: break")
        self.check(endless + f"for it, b in zip(range(100), endless(train_loader)):\n    {self.STEP}")

    def test_a_cycle_of_itertools(self):
        self.check(f"import itertools\nfor it, b in zip(range(100), itertools.cycle(train_loader)):\n    {self.STEP}")

    def test_a_generator_that_trains(self):
        self.check(f"def fit():\n    global train, steps\n    for epoch in range(4):\n        for b in train_loader:\n            {self.STEP}\n        yield epoch\nprint(list(fit()))")

    def test_behind_a_progress_bar(self):
        bar = "class Bar:\n    def __init__(self, of): self.of = of\n    def __iter__(self):\n        for x in self.of: yield x\n    def __len__(self): return len(self.of)\n"
        recorded = self.check("from bar import Bar\n" + f"for epoch in Bar(range(3)):\n    bar = Bar(train_loader)\n    print(len(bar))\n    for b in bar:\n        {self.STEP}", files={"bar.py": bar})
        self.assertTrue(recorded.out.startswith("2\n"))

    def test_functions_and_a_loop_at_their_end(self):
        self.check(f"def one_epoch():\n    global train, steps\n    for b in train_loader:\n        {self.STEP}\ndef main():\n    for epoch in range(3):\n        one_epoch()\nmain()")

    def test_an_else_of_a_loop_still_runs(self):
        recorded = self.check(f"for epoch in range(3):\n    for b in train_loader:\n        {self.STEP}\n    else:\n        print('inner else')\nelse:\n    print('outer else')")
        self.assertEqual(recorded.out.splitlines()[:2], ["inner else", "outer else"])

    def test_finally_and_with_are_left_as_they_should(self):
        self.check(f"data = iter(train_loader)\nleft = 0\nfor it in range(9):\n    try:\n        b = next(data)\n        {self.STEP}\n    finally:\n        left += 1\nassert left == 3, left")

    def test_a_thread_reads_for_the_loop(self):
        self.check(f"import queue, threading\nq = queue.Queue(4)\ndef produce():\n    for b in train_loader: q.put(b)\n    q.put(None)\nfor epoch in range(3):\n    t = threading.Thread(target=produce); t.start()\n    while (b := q.get()) is not None:\n        {self.STEP}\n    t.join()")

    def test_a_look_at_the_first_batch_is_no_epoch(self):
        self.check(f"print(next(iter(train_loader)))\nassert len(list(train_loader)) == 2\nfor epoch in range(3):\n    for b in train_loader:\n        {self.STEP}\nprint(next(iter(train_loader)))")

    def test_another_training_has_its_own_epochs(self):
        self.check(f"for rate in range(3):\n    optimizer = torch.optim.SGD([1])\n    for epoch in range(4):\n        for b in train_loader:\n            {self.STEP}", (6, 0, 0, 6))

    def test_evaluation_on_the_training_data(self):
        self.check(f"for epoch in range(3):\n    with torch.no_grad():\n        for b in train_loader: val += 1\n    for b in train_loader:\n        {self.STEP}\n    with torch.no_grad():\n        for b in train_loader: val += 1", (2, 4, 0, 2))

    def test_validation_batches_by_next(self):
        self.check(f"for b in train_loader:\n    {self.STEP}\n    if True:\n        held = iter(val_loader)\n        for k in range(3):\n            with torch.no_grad():\n                next(held)\n            val += 1", (2, 4, 0, 2))
        self.check(f"held = iter(val_loader)\nfor b in train_loader:\n    {self.STEP}\n    with torch.no_grad():\n        next(held); next(held)\n    val += 2", (4, 8, 0, 4), {"limit_train_batches": 4, "limit_val_batches": 1})

    def test_a_library_that_reads_ahead(self):
        ahead = "def ahead(loader):\n    data = iter(loader)\n    batch = next(data)\n    while True:\n        try:\n            following = next(data)\n        except StopIteration:\n            yield batch\n            return\n        yield batch\n        batch = following\n"
        self.check(f"from ahead import ahead\nfor epoch in range(3):\n    for b in ahead(train_loader):\n        {self.STEP}", (1, 0, 0, 1), {"fast_dev_run": 1}, files={"site-packages/ahead.py": ahead}, env={"PYTHONPATH": "site-packages"})

    def test_a_model_that_stays_in_evaluation(self):
        source = f"class Model(torch.nn.Module): pass\nmodel = Model()\nfor epoch in range(5):\n    for b in train_loader:\n        {self.STEP}\n    model.eval()\n    for b in val_loader: val += 1"
        self.check(source, (6, 14, 0, 6), {"limit_train_batches": 3, "max_epochs": 2})

    def test_loaders_without_a_name(self):
        head = "import torch\nfrom torch.utils.data import DataLoader\na, b = DataLoader(list(range(10))), DataLoader(list(range(7)))\noptimizer = torch.optim.SGD([1])\ntrain = val = test = steps = 0\n"
        source = "for epoch in range(3):\n    for x in a:\n        train += 1; optimizer.step(); steps += 1\n    with torch.no_grad():\n        for x in b: val += 1\n    for x in b: test += 1"
        self.check(source, (3, 7, 7, 3), {"limit_train_batches": 3, "max_epochs": 1}, head=head)


class Programs(unittest.TestCase):
    """How a program is started, and what it can see."""

    LOOP = "for epoch in range(3):\n    for b in train_loader:\n        train += 1; optimizer.step(); steps += 1\n"

    def test_a_package(self):
        files = {"pack/__init__.py": "", "pack/__main__.py": "from .fit import fit\nfit()\n", "pack/fit.py": "def fit():\n" + "".join("    " + line + "\n" for line in (HEAD + self.LOOP + TAIL).splitlines())}
        self.assertEqual(counts(quick("", files=files, start=["-m", "pack"])), (2, 0, 0, 2))

    def test_the_script_sees_itself_as_ever(self):
        source = "import sys, os\n'text'\nprint(__name__, os.path.basename(__file__), __spec__, __package__, os.path.basename(sys.path[0]), sys.argv, type(__loader__).__name__, '__cached__' in globals(), type(__builtins__).__name__, sys.modules['__main__'].__dict__ is globals(), __doc__)\n"
        head = '"""A script."""\nfrom __future__ import annotations\n'
        values = [run(head + source, ["a", "b"], env=env).out for env in ({"TELLTALE_QUICK": json.dumps(FAST)}, {})]
        self.assertEqual(values[0], values[1])

    def test_an_error_ends_it_as_ever(self):
        recorded = quick("for x in [1]:\n    raise KeyError('lost')", tail="")
        self.assertEqual(recorded.exit, 1)
        self.assertTrue(recorded.err.rstrip().endswith("raise KeyError('lost')\nKeyError: 'lost'"), recorded.err)
        self.assertEqual(recorded.merged("exception")["type"], "KeyError")
        self.assertNotIn("telltale", recorded.err)
        self.assertEqual(recorded.err, run(HEAD + "for x in [1]:\n    raise KeyError('lost')").err)

    def test_a_syntax_error_is_pythons(self):
        texts = [run("for x in\n", env=env).err for env in ({"TELLTALE_QUICK": json.dumps(FAST)}, {})]
        self.assertEqual(texts[0], texts[1])

    def test_processes_that_are_spawned(self):
        source = HEAD + "def work(out):\n    global train, steps\n    for epoch in range(3):\n        for b in train_loader:\n            train += 1; optimizer.step(); steps += 1\n    out.put((train, 0, 0, steps))\n\nif __name__ == '__main__':\n    import multiprocessing\n    context = multiprocessing.get_context('spawn')\n    out = context.Queue()\n    child = context.Process(target=work, args=(out,)); child.start(); print(*out.get()); child.join()"
        self.assertEqual(counts(quick(source, head="", tail="")), (2, 0, 0, 2))

    def test_which_package_was_started(self):
        sys.path.insert(0, str(INJECT))
        from telltale_hooks.quick.source import package_of

        for command, package in (("python -m pack.cli x", "pack"), ("python -u -X dev -m pack", "pack"), ("python train.py -m pack", None),
                                 ("python -m torch.distributed.run train.py", None), ("python -c pass", None), ("python", None)):  # fmt: skip
            self.assertEqual(package_of(command.split()), package, command)

    def test_compile_still_inherits_from_the_future(self):
        source = "from __future__ import annotations\nspace = {}\nexec(compile('def f(x: nowhere): pass', '<text>', 'exec'), space)\nprint(space['f'].__annotations__)"
        self.assertEqual(quick(source, head="", tail="").out, "{'x': 'nowhere'}\n")

    def test_code_that_others_compile_is_left_alone(self):
        source = "import dis\ndef njit(f):\n    assert '__telltale_loop__' not in f.__code__.co_names\n    return f\n@njit\ndef count(data):\n    n = 0\n    for x in data:\n        n += abs(x)\n    return n\nprint(count([1, 2]))"
        self.assertEqual(quick(source, head="", tail="").out, "3\n")

    def test_exit_codes(self):
        self.assertEqual(quick("import sys\nfor x in range(3):\n    sys.exit(3)").exit, 3)
        self.assertEqual(quick("import os\nfor x in range(3):\n    os._exit(4)").exit, 4)


class Other(unittest.TestCase):
    def test_no_checkpoint_over_an_older_one(self):
        source = "torch.save('fresh', 'old.pt')\ntorch.save('fresh', 'new.pt')\ntorch.save('fresher', 'new.pt')\nprint(open('old.pt').read(), torch.load('old.pt'), open('new.pt').read())"
        recorded = quick(source, files={"old.pt": "a good one"}, tail="")
        self.assertEqual((recorded.out, recorded.exit), ("a good one 'fresh' 'fresher'\n", 0))
        self.assertIn("old.pt was there before", recorded.notes("quick_run")[0]["said"]["checkpoint"])
        self.assertEqual(quick(source, {"max_epochs": 1}, files={"old.pt": "a good one"}, tail="").out, "'fresh' 'fresh' 'fresher'\n")

    def test_a_seed_before_the_program(self):
        source = "import random\nprint(random.random())"
        values = [quick(source, {"seed": seed}, head="", tail="").out for seed in (1, 1, 2)]
        self.assertEqual((values[0] == values[1], values[0] == values[2]), (True, False))

    def test_workers(self):
        sys.path.insert(0, str(INJECT))
        from telltale_hooks.quick.loaders import with_workers

        self.assertEqual(with_workers(0, ("data",), {"num_workers": 3, "persistent_workers": True, "shuffle": True}), (("data",), {"num_workers": 0, "shuffle": True}))
        self.assertEqual(with_workers(2, ("data", 4, True, None, None, 8), {}), (("data", 4, True, None, None, 2), {}))

    def test_a_debugger_needs_a_terminal(self):
        recorded = quick("1 / 0", {"pdb": True}, head="", tail="")
        self.assertEqual(recorded.exit, 1)
        self.assertEqual(recorded.notes("quick_run"), [{"not_applied": {"pdb": "the program has no terminal to ask in"}}])


class Debugger(unittest.TestCase):
    def test_post_mortem_where_an_exception_ends_the_program(self):
        recorded = quick("def fail(lost):\n    return 1 / lost\nfail(0)", {"pdb": True}, head="", tail="", typed="p 'lost is %d' % lost\nq\n")
        self.assertIn("ZeroDivisionError", recorded.out)
        self.assertIn("lost is 0", recorded.out)
        self.assertEqual(recorded.exit, 1)
        self.assertEqual(recorded.notes("quick_run"), [{"applied": {"pdb": True}}])

    def test_breakpoints_in_a_program_whose_loops_can_be_ended(self):
        source = "for b in train_loader:\n    train += 1\n    breakpoint()\n    optimizer.step(); steps += 1\n"
        recorded = quick(source, typed="p 'train is %d' % train\nc\np 'train is %d' % train\nc\n")
        self.assertIn("train is 1", recorded.out)
        self.assertIn("train is 2", recorded.out)
        self.assertIn("main.py(10)", recorded.out)
        self.assertEqual(counts(recorded), (2, 0, 0, 2))


class Lightning(unittest.TestCase):
    MAKE = "from lightning.pytorch.trainer.trainer import Trainer\nimport os\nclass Keeps: dirpath = 'good'\nkeeps = Keeps()\ntrainer = Trainer(max_epochs=9, min_epochs=3, max_steps=500, limit_val_batches=0.5, callbacks=[keeps])\nchanged = {n: v for n, v in trainer.given.items() if v != dict(Trainer.__init__.__kwdefaults__ or Trainer.__init__.__wrapped__.__kwdefaults__)[n]}\n"

    def given(self, values):
        recorded = quick(self.MAKE + "import json\nprint(json.dumps(changed))", values, head="", tail="")
        self.assertEqual(recorded.exit, 0, recorded.err)
        return json.loads(recorded.out), recorded

    def test_the_trainer_says_what_it_reads_a_loader_for(self):
        sys.path.insert(0, str(INJECT))
        from telltale_hooks.quick.lightning import _role_of

        class Trainer:
            class state:
                stage = None

        role_now = _role_of(lambda: Trainer)
        for stage, role in (("test", "test"), ("sanity_check", "val"), ("validate", "val"), ("train", None), (None, None)):
            Trainer.state.stage = stage
            self.assertEqual(role_now(), role)
        self.assertIsNone(_role_of(lambda: None)())

    def test_arguments_where_the_trainer_is_made(self):
        given, recorded = self.given({"limit_train_batches": 3, "max_epochs": 1, "num_sanity_val_steps": 0})
        self.assertEqual(given, {"limit_train_batches": 3, "max_epochs": 1, "num_sanity_val_steps": 0, "limit_val_batches": 0.5})
        self.assertEqual(recorded.notes("quick_run"), [{"applied": {"limit_train_batches": 3, "max_epochs": 1, "num_sanity_val_steps": 0}}])
        self.assertEqual(self.given({"max_steps": 5, "max_time": 60, "deterministic": True})[0],
                         {"max_epochs": 9, "min_epochs": 3, "max_steps": 5, "limit_val_batches": 0.5, "max_time": {"seconds": 60}, "deterministic": "warn"})  # fmt: skip

    def test_an_argument_that_this_version_does_not_have(self):
        _, recorded = self.given({"detect_anomaly": True})
        self.assertEqual(recorded.notes("quick_run"), [{"not_applied": {"detect_anomaly": "this version of Lightning has no such argument"}}])

    def test_a_fast_dev_run_tests_and_keeps_good_checkpoints(self):
        given, _ = self.given({"fast_dev_run": 2})
        self.assertEqual(given, {"max_epochs": 1, "limit_train_batches": 2, "limit_val_batches": 2, "limit_test_batches": 2, "limit_predict_batches": 2,
                                 "num_sanity_val_steps": 0, "val_check_interval": 1.0})  # fmt: skip
        source = self.MAKE + "trainer.save_checkpoint('old.ckpt')\nprint(open('old.ckpt').read(), keeps.dirpath.endswith('outputs/quick/checkpoints'))"
        self.assertEqual(quick(source, head="", tail="", files={"old.ckpt": "a good one"}).out, "a good one True\n")


class Ranks(unittest.TestCase):
    """`--max-time`: one clock for all of them. The fake store is a file."""

    LOOP = """
import torch.distributed
torch.distributed.init_process_group(rank=%d, world_size=2)
for epoch in range(3):
    for b in train_loader:
        train += 1
        if train == 2 and RANK_1: open("telltale_max_time", "w").write("4")
        optimizer.step(); steps += 1
"""

    def test_rank_0_tells_the_others_after_which_step_all_stop(self):
        recorded = quick("RANK_1 = False" + self.LOOP % 0 + "print(open('telltale_max_time').read())", {"max_time": 0})
        self.assertEqual((recorded.out, counts(recorded)), ("1\n1 0 0 1\n", (1, 0, 0, 1)))

    def test_the_others_go_by_what_rank_0_says(self):
        self.assertEqual(counts(quick("RANK_1 = True" + self.LOOP % 1, {"max_time": 0})), (4, 0, 0, 4))

    def test_a_process_alone_goes_by_its_own_clock(self):
        source = "RANK_1 = False" + (self.LOOP % 0).replace("world_size=2", "world_size=1")
        self.assertEqual(counts(quick(source, {"max_time": 0})), (0, 0, 0, 0))
        self.assertEqual(counts(quick(source, {"max_time": 3600})), (30, 0, 0, 30))


class Names(unittest.TestCase):
    def test_roles(self):
        sys.path.insert(0, str(INJECT))
        from telltale_hooks.quick.roles import role_of_name

        for role, names in (("train", "train_loader trainloader TrainSet dl_train training"), ("val", "val_dl valid validation_loader devLoader eval_loader"),
                            ("test", "test_loader testset holdout"), (None, "loader data x batches latest contest interval")):  # fmt: skip
            for name in names.split():
                self.assertEqual(role_of_name(name), role, name)


if __name__ == "__main__":
    unittest.main()
