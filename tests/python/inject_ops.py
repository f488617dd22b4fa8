#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profiler `ops`: which steps are recorded (ops_schedule.py), and what happens to a program whose steps torch's
profiler records, with a small fake of that. What the real one writes is compared in compare_ops_with_torch.py."""
import json
import re
import signal
import sys
import unittest

from hooks_harness import INJECT, run

sys.path.insert(0, str(INJECT))
from telltale_hooks.ops_schedule import Course, Schedule  # noqa: E402


class Recorder:
    """What is done, and how many steps are held at most while it is."""

    def __init__(self):
        self.done, self.early, self.held, self.most = [], 0, 0, 0

    def _take(self, window, step):
        self.held += step >= window.first
        self.most = max(self.most, self.held + self.early)

    def start(self, window, step):
        self.done.append("start %d" % step)
        self._take(window, step)

    def step(self, window, step):
        self.done.append("step %d" % step)
        self._take(window, step)

    def keep(self, window):
        self.done.append("keep %d..%d" % (window.first, window.last))
        self.early, self.held = self.held, 0

    def drop(self, window):
        self.done.append("drop")
        self.held = 0

    def drop_early(self):
        self.done.append("drop early")
        self.early = 0

    def save(self, window):
        self.done.append("save %d..%d" % (window.first, window.last))
        self.held = 0


def course(steps, recorder=None, **settings):
    """What is done in a program that begins steps 0 to `steps`, and then ends."""
    recorder = recorder or Recorder()
    going = Course(Schedule(**settings), recorder)
    for step in steps if isinstance(steps, list) else range(steps + 1):
        going.begins(step)
    recorder.done.append("|")
    going.ends()
    return recorder.done


class Schedules(unittest.TestCase):
    def test_the_first_steps_are_kept_until_the_round_has_a_whole_step(self):
        self.assertEqual(
            course(20, skip_first=5, wait=1, warmup=1, active=3),
            ["start 0", "step 1", "keep 0..1", "start 6", "step 7", "drop early", "step 8", "step 9", "save 7..9", "|"],
        )

    def test_a_program_that_ends_before_the_round_has_a_whole_step_has_its_first_steps(self):
        first = ["start 0", "step 1", "keep 0..1"]
        self.assertEqual(course(4, skip_first=10, active=3), [*first, "|", "save 0..1"])
        self.assertEqual(course(10, skip_first=10, active=3), [*first, "start 10", "|", "drop", "save 0..1"])
        self.assertEqual(course(11, skip_first=10, active=3), [*first, "start 10", "step 11", "|", "drop", "save 0..1"])
        self.assertEqual(course(12, skip_first=10, active=3), [*first, "start 10", "step 11", "drop early", "step 12", "|", "save 11..13"])
        self.assertEqual(course(1, skip_first=10, active=3), ["start 0", "step 1", "|", "save 0..1"])

    def test_a_program_that_ends_inside_the_round_has_what_there_is(self):
        self.assertEqual(course(4, skip_first=0, warmup=2, active=5), ["start 0", "step 1", "step 2", "step 3", "step 4", "|", "save 2..6"])
        self.assertEqual(course(2, skip_first=0, warmup=2, active=5), ["start 0", "step 1", "step 2", "|", "save 2..6"])

    def test_nothing_is_left_of_a_program_that_ends_in_the_warmup(self):
        self.assertEqual(course(1, skip_first=0, warmup=2, active=5), ["start 0", "step 1", "|", "drop"])

    def test_rounds(self):
        self.assertEqual(
            [done for done in course(9, skip_first=0, wait=1, warmup=0, active=1, repeat=3) if done.startswith("save")],
            ["save 1..1", "save 3..3", "save 5..5"],
        )
        self.assertEqual(course(9, skip_first=0, wait=1, warmup=0, active=1, repeat=0)[-1], "save 9..9")

    def test_never_more_steps_than_asked_for_are_held(self):
        for active in range(1, 5):
            for skip_first in range(5):
                for warmup in range(3):
                    recorder = Recorder()
                    course(20, recorder, skip_first=skip_first, warmup=warmup, active=active, repeat=2)
                    self.assertEqual(recorder.most, active, (active, skip_first, warmup))

    def test_steps_that_nobody_saw_begin(self):
        self.assertEqual(course([1, 2, 11, 12, 13, 14], skip_first=10, warmup=1, active=3)[:5], ["start 1", "keep 0..1", "start 11", "drop early", "step 12"])
        self.assertEqual(course([0, 50, 51], skip_first=10, warmup=1, active=3), ["start 0", "keep 0..1", "|", "save 0..1"])


TRAIN = """
import torch
from torch.utils.data import DataLoader
def train(steps, then=lambda step: None):
    optimizer = torch.optim.SGD([1])
    for step, batch in enumerate(DataLoader(list(range(steps)))):
        with torch.autograd.profiler.record_function("forward#%d" % step):
            then(step)
        optimizer.step()
"""


def profiled(source, env=None, **settings):
    return run(TRAIN + source, env={"TELLTALE_PROFILE": "simple,ops", "TELLTALE_PROFILER": json.dumps(settings), **(env or {})})


def ranges(recorded):
    """Names of the ranges in the only trace; a ? behind what was not whole."""
    (text,) = recorded.profiler_files.values()
    return [name + ("" if whole else "?") for name, whole in json.loads(text)["ranges"]]


def steps_of(recorded):
    return [int(name.rstrip("?").split("#")[1]) for name in ranges(recorded) if name.startswith("ProfilerStep")]


class Programs(unittest.TestCase):
    def test_the_steps_asked_for_are_in_the_trace_whole(self):
        recorded = profiled("train(8)", skip_first=3, wait=0, warmup=1, active=2, repeat=1, record_shapes=True, with_stack=True)
        self.assertEqual((recorded.exit, recorded.err, recorded.steps), (0, "", 8))
        expected = []
        for step in (4, 5):
            expected += ["ProfilerStep#%d" % step, "forward#%d" % step, "Optimizer.step#SGD"]
        self.assertEqual(ranges(recorded), expected)
        ((name, text),) = recorded.profiler_files.items()
        self.assertRegex(name, r"^ops\.\d{19}\.pt\.trace\.json$")
        self.assertEqual(json.loads(text)["settings"], {"record_shapes": True, "profile_memory": False, "with_stack": True, "with_modules": False})
        self.assertEqual(recorded.merged("hooks"), {})

    def test_a_short_program_has_its_first_steps_and_says_so(self):
        recorded = profiled("train(2)", skip_first=10, warmup=1, active=3)
        self.assertEqual(steps_of(recorded), [0, 1])
        self.assertIn("forward#0", ranges(recorded))
        self.assertIn("ended after 2 steps, before step 11", recorded.merged("hooks")["ops"])

    def test_an_error_in_a_recorded_step(self):
        recorded = profiled("def fail(step):\n    if step == 5: raise ValueError('no')\ntrain(9, fail)", skip_first=3, warmup=1, active=4)
        self.assertEqual((recorded.exit, steps_of(recorded)), (1, [4, 5]))
        self.assertIn("ended in step 5: the trace has steps 4 to 5", recorded.merged("hooks")["ops"])

    def test_sys_exit_in_a_recorded_step(self):
        recorded = profiled("import sys\ntrain(9, lambda step: step == 5 and sys.exit(7))", skip_first=3, warmup=1, active=4)
        self.assertEqual((recorded.exit, steps_of(recorded)), (7, [4, 5]))

    def test_sigterm_and_sigint_in_a_recorded_step(self):
        for name, status in (("SIGTERM", -signal.SIGTERM), ("SIGINT", -signal.SIGINT)):
            source = "import os, signal\ntrain(9, lambda step: step == 5 and os.kill(os.getpid(), signal.%s))" % name
            recorded = profiled(source, skip_first=3, warmup=1, active=4)
            self.assertEqual((recorded.exit, steps_of(recorded)), (status, [4, 5]), name)

    def test_a_handler_of_the_programs_own_stays(self):
        source = "import signal\nmine = lambda *_: None\nsignal.signal(signal.SIGTERM, mine)\ntrain(6, lambda step: print(signal.getsignal(signal.SIGTERM) is mine))"
        self.assertEqual(profiled(source, skip_first=0, warmup=1, active=2).out, "True\n" * 6)
        after = "import signal\ntrain(6)\nprint(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)"
        self.assertEqual(profiled(after, skip_first=0, warmup=1, active=2).out, "True\n")

    def test_several_rounds_are_several_traces(self):
        recorded = profiled("train(12)", skip_first=1, wait=1, warmup=1, active=1, repeat=3)
        traces = [json.loads(text)["ranges"][0][0] for _, text in sorted(recorded.profiler_files.items())]
        self.assertEqual(traces, ["ProfilerStep#3", "ProfilerStep#6", "ProfilerStep#9"])

    def test_ranks_have_their_number_in_the_name(self):
        recorded = profiled("train(4)", env={"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2"}, skip_first=0, warmup=1, active=1)
        self.assertRegex("".join(recorded.profiler_files), r"^ops\.rank1\.\d+\.pt\.trace\.json$")

    def test_a_program_without_steps_says_so(self):
        recorded = profiled("torch.optim.SGD([1])")
        self.assertEqual((recorded.profiler_files, recorded.merged("hooks")), ({}, {"ops": "no optimizer made a step: there was nothing to record"}))
        self.assertEqual(run("import torch", env={"TELLTALE_PROFILE": "ops"}).merged("hooks"), {})

    def test_without_being_asked_for_nothing_is_recorded(self):
        recorded = run(TRAIN + "train(20)", env={"TELLTALE_PROFILE": "simple"})
        self.assertEqual((recorded.profiler_files, recorded.steps), ({}, 20))

    def test_a_forked_child_records_steps_of_its_own(self):
        source = "import multiprocessing\ntrain(5)\np = multiprocessing.get_context('fork').Process(target=train, args=(4,))\np.start(); p.join()\nprint(p.exitcode)"
        recorded = profiled(source, skip_first=0, warmup=1, active=2)
        self.assertEqual(recorded.out, "0\n")
        self.assertEqual(len([name for name in recorded.profiler_files if re.match(r"ops\.pid\d+\.", name)]), 1)

    def test_a_profiler_that_does_not_work_is_no_matter_of_the_programs(self):
        source = "def no(self): raise RuntimeError('no Kineto here')\ntorch.profiler.profile.start = no\ntrain(5)\nprint('fine')"
        recorded = profiled(source, skip_first=2, warmup=1, active=1)
        self.assertEqual((recorded.exit, recorded.out, recorded.steps), (0, "fine\n", 5))
        self.assertIn("no Kineto here", recorded.merged("hooks")["ops"])


class ProgramsThatProfileThemselves(unittest.TestCase):
    OWN = "p = torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_handler('log'), schedule=lambda s: torch.profiler.ProfilerAction.RECORD)\n"

    def test_it_is_left_alone_and_its_trace_is_found(self):
        recorded = profiled(self.OWN + "with p:\n    train(3, lambda step: p.step())", skip_first=0, warmup=0, active=1)
        self.assertEqual((recorded.exit, recorded.err), (0, ""))
        self.assertEqual(list(recorded.profiler_files), ["host_1.1700000000000000000.pt.trace.json"])
        self.assertIn("main.py:10", recorded.merged("hooks")["ops"])

    def test_it_begins_while_ours_is_recording(self):
        source = "def own(step):\n    if step == 3:\n        with torch.autograd.profiler.profile() as p: pass\n        p.export_chrome_trace('mine.json')\ntrain(9, own)"
        recorded = profiled(source, skip_first=0, warmup=1, active=6)
        self.assertEqual((recorded.exit, recorded.err), (0, ""))
        self.assertIn("mine.json", recorded.profiler_files)
        self.assertEqual(len(recorded.profiler_files), 2)
        self.assertIn("left alone", recorded.merged("hooks")["ops"])

    def test_its_traces_are_found_without_being_asked_for(self):
        recorded = run(TRAIN + self.OWN + "with p: train(2)")
        self.assertEqual(list(recorded.profiler_files), ["host_1.1700000000000000000.pt.trace.json"])
        self.assertEqual(recorded.merged("hooks"), {})

    def test_a_compressed_trace_is_found_once_and_equal_names_stay_apart(self):
        source = "import os\nfor folder in 'ab':\n    os.mkdir(folder)\n    with torch.profiler.profile() as p: pass\n    p.export_chrome_trace(folder + '/trace.json.gz')"
        names = sorted(run(TRAIN + source).profiler_files)
        self.assertEqual([re.sub(r"^\d+-\d+\.", "N.", name) for name in names], ["N.trace.json.gz", "trace.json.gz"])


if __name__ == "__main__":
    unittest.main()
