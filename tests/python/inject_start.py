#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the hooks come into a Python process and what the program notices of them: nothing. Chained sitecustomize, sys.path,
-m and -c, children, forks, ranks, errors."""
import os
import unittest

from hooks_harness import run


class Start(unittest.TestCase):
    def test_the_program_sees_the_same_path_and_modules_as_without(self):
        source = "import sys; print(sys.path); print('sitecustomize' in sys.modules); print(sys.argv)"
        bare = run(source, record=False, fakes=False)
        self.assertEqual(run(source, fakes=False).out, bare.out)

    def test_without_another_sitecustomize_there_is_none(self):
        recorded = run("try:\n    import sitecustomize\nexcept ImportError as error:\n    print(error.name)")
        self.assertEqual((recorded.out, recorded.err), ("sitecustomize\n", ""))

    def test_the_users_sitecustomize_runs_once_and_is_what_an_import_gives(self):
        own = "import builtins, sys\nbuiltins.times = getattr(builtins, 'times', 0) + 1\nimport neighbour\n"
        source = "import builtins, sitecustomize, os, subprocess, sys\nprint(builtins.times, os.path.basename(os.path.dirname(sitecustomize.__file__)), flush=True)\n"
        source += "subprocess.run([sys.executable, '-c', 'import builtins; print(builtins.times)'])"
        recorded = run(source, files={"own/sitecustomize.py": own, "own/neighbour.py": ""}, env={"PYTHONPATH": "own"})
        self.assertEqual((recorded.out, recorded.err), ("1 own\n1\n", ""))
        self.assertEqual(len(recorded.processes), 2)

    def test_a_users_sitecustomize_that_fails_is_reported_as_without(self):
        files, env = {"own/sitecustomize.py": "raise ValueError('mine')\n"}, {"PYTHONPATH": "own"}
        recorded = run("print('goes on')", files=files, env=env)
        bare = run("print('goes on')", files=files, env=env, record=False)
        self.assertEqual((recorded.out, recorded.err), (bare.out, bare.err))
        self.assertIn("mine", recorded.err)

    def test_works_with_m_and_c_and_a_package(self):
        files = {"package/__init__.py": "", "package/__main__.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()\n"}
        self.assertEqual(run("", ["--n", "4"], start=["-m", "package"], files=files).merged("config"), {"n": 4})
        code = files["package/__main__.py"]
        self.assertEqual(run("", ["--n", "5"], start=["-c", code]).merged("config"), {"n": 5})

    def test_isolated_python_runs_unrecorded(self):
        recorded = run("print('fine')", start=["-I", "main.py"])
        self.assertEqual((recorded.out, recorded.processes), ("fine\n", []))

    def test_a_broken_recorder_is_not_noticed(self):
        recorded = run("print('fine')", env={"TELLTALE_RUN_DIR": "/nowhere"})
        self.assertEqual(recorded.out, "fine\n")

    def test_the_recorder_fails_in_every_call_and_the_program_does_not(self):
        source = "import os\nos.environ['TELLTALE_RUN_DIR'] = '/nowhere/at/all'\nimport torch\nfrom torch.utils.data import DataLoader\n"
        source += "o = torch.optim.SGD([1])\nfor b in DataLoader([1, 2]):\n    assert o.step() == 'stepped'\n"
        source += "from torch.utils.tensorboard import SummaryWriter\nSummaryWriter('x').add_scalar('a', 1, 2)\nprint('done')"
        recorded = run(source)
        self.assertEqual((recorded.exit, recorded.out, recorded.err), (0, "done\n", ""))

    def test_a_module_keeps_its_loader_and_a_failed_import_its_traceback(self):
        source = "import torch.optim.optimizer as m\nprint(type(m.__spec__.loader).__name__, 'exec_module' in vars(m.__loader__))"
        self.assertEqual(run(source).out, "SourceFileLoader False\n")
        broken = {"wandb/__init__.py": "", "wandb/sdk/__init__.py": "", "wandb/sdk/wandb_run.py": "1 / 0\n"}
        recorded = run("import wandb.sdk.wandb_run", files=broken, fakes=False)
        bare = run("import wandb.sdk.wandb_run", files=broken, fakes=False, record=False)
        self.assertEqual(recorded.err, bare.err)

    def test_an_import_that_failed_once_is_hooked_when_it_succeeds(self):
        files = {"wandb/__init__.py": "", "wandb/sdk/__init__.py": "", "wandb/sdk/wandb_run.py": "import os\nif os.environ.pop('FAIL', None): raise ImportError\nclass Run: pass\n"}
        source = "import os\nos.environ['FAIL'] = '1'\ntry:\n    import wandb.sdk.wandb_run\nexcept ImportError:\n    pass\nimport wandb.sdk.wandb_run\n"
        self.assertIn("wandb", run(source, files=files, fakes=False).merged("hooks"))

    def test_an_unknown_version_of_a_library_is_said_and_not_hooked(self):
        files = {"mlflow/__init__.py": "", "mlflow/tracking/__init__.py": "", "mlflow/tracking/client.py": "class MlflowClient:\n    def log_batch(self, run_id): return 3\n"}
        recorded = run("import mlflow.tracking.client as c\nprint(c.MlflowClient().log_batch('a'))", files=files, fakes=False)
        self.assertEqual((recorded.out, recorded.err), ("3\n", ""))
        self.assertIn("log_metric", recorded.merged("hooks")["mlflow"])

    def test_the_package_can_be_imported_where_it_is_not_installed_and_hides_nobody(self):
        self.assertEqual(run("import telltale; print(telltale.name)").out, "the package\n")
        self.assertEqual(run("import telltale; print(telltale.mine)", files={"telltale.py": "mine = 7\n"}).out, "7\n")

    def test_what_is_not_asked_for_is_not_recorded(self):
        source = "import argparse, torch\nargparse.ArgumentParser().parse_args([])\np = argparse.ArgumentParser()\np.add_argument('--n', default=1)\np.parse_args([])\ntorch.optim.SGD([1]).step()"
        recorded = run(source, env={"TELLTALE_RECORD": "config"})
        self.assertEqual((recorded.steps, recorded.merged("config")), (0, {"n": 1}))
        recorded = run(source + "\nfrom torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter('a')\nw.add_hparams({'x': 1}, {'y': 2})\n1 / 0", env={"TELLTALE_RECORD": "steps"})
        self.assertEqual((recorded.steps, recorded.merged("config"), recorded.points(), recorded.notes("exception")), (1, {}, [], []))

    def test_versions_are_those_of_what_was_imported(self):
        recorded = run("import torch, transformers")
        versions = recorded.merged("versions")
        self.assertEqual((versions["torch"], versions["transformers"]), ("2.99.0", "5.99"))
        self.assertIn("python", versions)
        self.assertNotIn("wandb", versions)

    def test_threads_that_import_at_once_are_hooked_once(self):
        source = "import threading\ndef f():\n    import torch.optim\nts = [threading.Thread(target=f) for _ in range(16)]\n[t.start() for t in ts]\n[t.join() for t in ts]\n"
        source += "import torch\nfrom torch.optim import optimizer\nprint(len(optimizer._hooks))"
        self.assertEqual(run(source).out, "1\n")


class Processes(unittest.TestCase):
    def test_roles_of_a_program_and_its_children(self):
        recorded = run("import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])")
        self.assertEqual([note["role"] for note in recorded.notes("rank")], ["main", "other"])

    def test_ranks_by_the_environment(self):
        for env, want in (
            ({"RANK": "1", "LOCAL_RANK": "0", "WORLD_SIZE": "2"}, {"role": "rank", "rank": 1, "local_rank": 0, "world_size": 2}),
            ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}, {"role": "rank", "rank": 3, "local_rank": 1, "world_size": 4}),
            ({"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_STEP_NUM_TASKS": "2"}, {"role": "rank", "rank": 0, "local_rank": 0, "world_size": 2}),
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, {"role": "main"}),
            ({"RANK": "much", "WORLD_SIZE": "2"}, {"role": "main"}),
            ({"RANK": "7", "WORLD_SIZE": "2"}, {"role": "main"}),
        ):
            self.assertEqual(run("", env=env).notes("rank"), [want])

    def test_a_child_of_a_rank_is_no_rank(self):
        env = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2"}
        recorded = run("import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])", env=env)
        self.assertEqual([note["role"] for note in recorded.notes("rank")], ["rank", "other"])

    def test_a_run_inside_a_run_has_a_main_process_and_a_configuration(self):
        parse = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()\n"
        inner = "import os, subprocess, sys\nos.makedirs('inner')\nenv = dict(os.environ, TELLTALE_RUN_DIR=os.path.abspath('inner'))\n"
        inner += "subprocess.run([sys.executable, 'other.py', '--n', '2'], env=env)\nprint(''.join(open('inner/' + f).read() for f in os.listdir('inner')))"
        recorded = run(parse + inner, ["--n", "1"], files={"other.py": parse})
        self.assertIn('"role": "main"', recorded.out)
        self.assertIn('{"n": 2}', recorded.out)

    def test_a_process_group_makes_a_rank(self):
        recorded = run("import torch.distributed as dist\ndist.init_process_group('gloo', rank=1, world_size=2)")
        self.assertEqual(recorded.notes("rank")[-1], {"role": "rank", "rank": 1, "world_size": 2})

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_forked_child_counts_its_own_steps(self):
        source = "import os, torch\no = torch.optim.SGD([1])\no.step(); o.step()\nif os.fork() == 0:\n    o.step()\n    os._exit(0)\nos.wait()\no.step()"
        recorded = run(source)
        steps = [[line["step"] for line in lines if line["kind"] == "step_end"] for lines in recorded.processes]
        self.assertEqual(steps, [[0, 1, 2], [0]])
        self.assertEqual([note["role"] for note in recorded.notes("rank")], ["main", "other"])

    def test_a_loaders_worker_says_so(self):
        source = "from torch.utils.data import dataloader\nresults = []\ndataloader.run_worker(4, results)\nprint(results)"
        recorded = run(source)
        self.assertEqual((recorded.out, recorded.notes("rank")[-1]), ("[4]\n", {"role": "worker"}))

    def test_the_configuration_is_the_first_processes_and_not_that_of_what_it_starts(self):
        parse = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()\n"
        source = parse + "import subprocess, sys\nsubprocess.run([sys.executable, 'other.py', '--n', '2'])"
        self.assertEqual(run(source, ["--n", "1"], files={"other.py": parse}).notes("config"), [{"n": 1}])
        launcher = "import subprocess, sys\nsubprocess.run([sys.executable, 'other.py', '--n', '2'])"
        self.assertEqual(run(launcher, files={"other.py": parse}).notes("config"), [{"n": 2}])

    def test_one_rank_says_the_configuration(self):
        parse = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()\n"
        for rank, want in (("0", [{"n": 1}]), ("1", [])):
            self.assertEqual(run(parse, ["--n", "1"], env={"RANK": rank, "WORLD_SIZE": "2"}).notes("config"), want)


class Errors(unittest.TestCase):
    def test_an_error_that_ends_the_program(self):
        source = "class Bad(RuntimeError): pass\ndef inner():\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        raise Bad('müll\\nsecond') from e\ninner()"
        recorded, bare = run(source), run(source, record=False)
        (error,) = recorded.notes("exception")
        self.assertEqual((error["type"], error["message"]), ("Bad", "müll\nsecond"))
        self.assertEqual((error["frames"][-1]["function"], error["frames"][-1]["line"]), ("inner", 6))
        self.assertEqual(error["causes"], [{"type": "ZeroDivisionError", "message": "division by zero"}])
        self.assertEqual((recorded.exit, recorded.err), (bare.exit, bare.err))

    def test_exits_are_no_errors(self):
        for source in ("import sys; sys.exit(3)", "raise SystemExit('bye')", "pass"):
            self.assertEqual(run(source).notes("exception"), [])

    def test_a_hook_of_the_program_that_does_not_call_ours(self):
        recorded = run("import sys\nsys.excepthook = lambda *a: print('mine')\nraise ValueError('x')")
        self.assertEqual((recorded.out, recorded.notes("exception")[0]["type"]), ("mine\n", "ValueError"))

    def test_a_hook_of_the_program_is_called(self):
        recorded = run("import sys\nold = sys.excepthook\nsys.excepthook = lambda *a: (print('mine'), old(*a))\nraise ValueError('x')")
        self.assertEqual((recorded.out, len(recorded.notes("exception"))), ("mine\n", 1))
        self.assertIn("ValueError: x", recorded.err)

    def test_an_error_in_a_thread_is_the_threads(self):
        recorded = run("import threading\ndef f(): raise KeyError('k')\nt = threading.Thread(target=f, name='reader')\nt.start()\nt.join()")
        self.assertEqual((recorded.exit, recorded.notes("exception")), (0, []))
        (error,) = recorded.notes("thread_exception")
        self.assertEqual((error["type"], error["thread"]), ("KeyError", "reader"))
        self.assertIn("KeyError", recorded.err)

    def test_an_error_in_a_process_of_multiprocessing(self):
        source = "import multiprocessing as m\ndef f(): raise OSError('gone')\nif __name__ == '__main__':\n    p = m.get_context('%s').Process(target=f)\n    p.start()\n    p.join()\n    print(p.exitcode)"
        for method in ("fork", "spawn"):
            recorded = run(source % method)
            self.assertEqual((recorded.out, [error["type"] for error in recorded.notes("exception")]), ("1\n", ["OSError"]))

    def test_an_error_that_a_library_prints_before_it_exits(self):
        source = "from hydra._internal.utils import run_and_report\ndef job(): raise ValueError('in the job')\nrun_and_report(job)"
        recorded = run(source)
        self.assertEqual((recorded.exit, recorded.err), (1, "Error executing job: in the job\n"))
        self.assertEqual(recorded.notes("exception")[0]["message"], "in the job")

    def test_endless_recursion_and_errors_that_cannot_be_printed(self):
        recorded = run("def f(): f()\nf()")
        self.assertLessEqual(len(recorded.notes("exception")[0]["frames"]), 64)
        recorded = run("class Odd(Exception):\n    def __str__(self): raise TypeError\nraise Odd()")
        self.assertEqual(recorded.notes("exception")[0]["type"], "Odd")


if __name__ == "__main__":
    unittest.main()
