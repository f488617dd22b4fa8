#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps as a person counts them, from the calls that training loops make (steps.py): no torch, no processes, no clock."""
import sys
import threading
import unittest

from hooks_harness import INJECT

sys.path.insert(0, str(INJECT))
from telltale_hooks.steps import StepCounter  # noqa: E402

D, G, H = 1, 2, 3  # optimizers
TRAIN, OTHER, VALIDATION = 11, 12, 13  # loaders


class Loop:
    """A training loop's calls, and what became of them."""

    def __init__(self, *optimizers):
        self.begun, self.ended = [], []
        self.counter = StepCounter(self.begun.append, lambda step, wait: self.ended.append((step, wait)))
        for optimizer in optimizers:
            self.counter.made(optimizer)

    def batch(self, loader=TRAIN, wait=1, gradients=True):
        self.counter.opening(loader)
        self.counter.read(loader, wait, gradients, False)

    def end(self, loader=TRAIN, wait=0, gradients=True):
        self.counter.opening(loader)
        self.counter.read(loader, wait, gradients, True)

    def open(self, loader=TRAIN, wait=0):
        self.counter.opening(loader)
        self.counter.opened(loader, wait, True)

    def step(self, *optimizers):
        for optimizer in optimizers:
            self.counter.stepped(optimizer)

    @property
    def steps(self):
        assert [step for step, _ in self.ended] == list(range(len(self.ended)))
        return len(self.ended)

    @property
    def waits(self):
        return [wait for _, wait in self.ended]


class ByHand(unittest.TestCase):
    def test_without_an_optimizer_each_backward_pass_is_a_step(self):
        loop = Loop()
        for _ in range(4):
            loop.batch(wait=2)
            loop.counter.went_back()
        self.assertEqual((loop.steps, loop.waits), (4, [2, 2, 2, 2]))

    def test_passes_between_two_zero_grads_are_one_step(self):
        loop = Loop()
        for _ in range(3):
            loop.counter.zeroed()
            loop.counter.went_back()
            loop.counter.went_back()
        self.assertEqual((loop.steps, loop.begun, loop.waits), (3, [0], [-1, -1, -1]))

    def test_with_an_optimizer_passes_do_not_count(self):
        loop = Loop(D)
        loop.counter.zeroed()
        loop.counter.went_back()
        loop.step(D)
        self.assertEqual(loop.steps, 1)
        loop.counter.gone(D)
        loop.counter.went_back()
        self.assertEqual(loop.steps, 1)


class Steps(unittest.TestCase):
    def test_one_optimizer_counts_each_update(self):
        loop = Loop(D)
        for _ in range(5):
            loop.batch()
            loop.step(D)
        self.assertEqual(loop.steps, 5)

    def test_accumulation_is_one_step_for_each_update_and_waits_for_all_its_batches(self):
        loop = Loop(D)
        for _ in range(3):
            for _ in range(4):
                loop.batch(wait=10)
            loop.step(D)
        self.assertEqual(loop.steps, 3)
        self.assertEqual(loop.waits, [40, 40, 40])

    def test_two_optimizers_of_one_batch_are_one_step(self):
        loop = Loop(D, G)
        for _ in range(6):
            loop.batch()
            loop.step(D, G)
        self.assertEqual(loop.steps, 6)

    def test_a_critic_that_steps_several_times_on_a_batch_makes_one_step_with_the_generator(self):
        loop = Loop(D, G)
        for _ in range(4):
            loop.batch()
            loop.step(D, D, D, G)
        self.assertEqual(loop.steps, 4)

    def test_a_generator_that_steps_on_every_fifth_batch_only(self):
        loop = Loop(D, G)
        for at in range(20):
            loop.batch()
            loop.step(D)
            if at % 5 == 4:
                loop.step(G)
        self.assertEqual(loop.steps, 20)

    def test_two_optimizers_without_a_loader_alternate(self):
        loop = Loop(D, G)
        for _ in range(7):
            loop.step(D, G)
        self.assertEqual(loop.steps, 7)

    def test_three_optimizers_without_a_loader(self):
        loop = Loop(D, G, H)
        for _ in range(7):
            loop.step(D, G, H)
        self.assertEqual(loop.steps, 7)

    def test_a_partner_that_goes_on_alone_is_counted_again_after_ten_rounds(self):
        loop = Loop(D, G)
        for _ in range(3):
            loop.step(D, G)
        loop.step(*[D] * 40)
        self.assertGreaterEqual(loop.steps, 3 + 4)

    def test_updates_of_one_optimizer_without_a_loader(self):
        loop = Loop(D)
        loop.step(*[D] * 14)
        self.assertEqual(loop.steps, 14)
        self.assertEqual(set(loop.waits), {-1})

    def test_an_optimizer_made_later_begins_a_step_of_its_own(self):
        loop = Loop()
        for optimizer in (D, G, H):
            loop.counter.made(optimizer)
            loop.step(optimizer)
        self.assertEqual(loop.steps, 3)

    def test_a_second_phase_with_an_optimizer_made_at_the_start(self):
        loop = Loop(D, G)
        loop.step(*[D] * 5)
        loop.step(*[G] * 5)
        self.assertEqual(loop.steps, 10)

    def test_a_second_phase_with_loaders(self):
        loop = Loop(D, G)
        for optimizer in (D, G):
            for _ in range(5):
                loop.batch()
                loop.step(optimizer)
        self.assertEqual(loop.steps, 10)

    def test_each_optimizer_of_a_step_has_a_batch_of_its_own_loader(self):
        loop = Loop(D, G)
        for _ in range(5):
            loop.batch(TRAIN)
            loop.step(D)
            loop.batch(OTHER)
            loop.step(G)
        self.assertEqual(loop.steps, 5)

    def test_several_updates_on_one_batch_of_a_single_optimizer_count(self):
        loop = Loop(D)
        for _ in range(3):
            loop.batch()
            loop.step(D, D)
        self.assertEqual(loop.steps, 6)

    def test_a_new_loader_in_every_epoch(self):
        loop = Loop(D, G)
        for epoch in range(4):
            for _ in range(3):
                loop.batch(100 + epoch)
                loop.step(D, G)
        self.assertEqual(loop.steps, 12)

    def test_batches_read_one_ahead(self):
        loop = Loop(D, G)
        loop.batch()
        for last in (False, False, False, True):
            if last:
                loop.end()
            else:
                loop.batch()
            loop.step(D, G)
        self.assertEqual(loop.steps, 4)

    def test_a_loader_read_by_another_thread_does_not_part_a_step(self):
        loop = Loop(D, G)
        for _ in range(5):
            loop.step(D)
            reader = threading.Thread(target=loop.batch)
            reader.start()
            reader.join()
            loop.step(G)
        self.assertEqual(loop.steps, 5)
        self.assertEqual(set(loop.waits), {-1})

    def test_many_optimizers_that_step_in_the_backward_pass(self):
        optimizers = list(range(1, 9))
        loop = Loop(*optimizers)
        for _ in range(3):
            loop.batch()
            loop.step(*optimizers)
        self.assertEqual(loop.steps, 3)

    def test_an_optimizer_around_another_one(self):
        inner, outer = D, G
        loop = Loop(inner, outer)
        for _ in range(4):
            loop.step(inner, outer)
        self.assertEqual(loop.steps, 4)

    def test_a_forked_child_counts_from_zero(self):
        loop = Loop(D)
        loop.step(D, D)
        loop.counter.reset()
        loop.ended.clear()
        loop.step(D)
        self.assertEqual(loop.ended, [(0, -1)])


class Waiting(unittest.TestCase):
    def test_opening_a_loader_is_waiting_for_its_first_batch(self):
        loop = Loop(D)
        loop.open(wait=100)
        loop.batch(wait=5)
        loop.step(D)
        loop.batch(wait=7)
        loop.step(D)
        self.assertEqual(loop.waits, [105, 7])

    def test_validation_without_gradients_is_not_waited_for(self):
        loop = Loop(D)
        loop.batch(wait=5)
        loop.step(D)
        for _ in range(3):
            loop.batch(VALIDATION, wait=1000, gradients=False)
        loop.batch(wait=6)
        loop.step(D)
        self.assertEqual(loop.waits, [5, 6])

    def test_validation_that_turns_gradients_off_inside_its_loop_is_not_waited_for(self):
        loop = Loop(D)
        loop.batch(wait=5)
        loop.step(D)
        loop.end(wait=1)
        loop.open(VALIDATION, wait=500)
        for _ in range(3):
            loop.batch(VALIDATION, wait=1000)
        loop.end(VALIDATION)
        loop.open(wait=2)
        loop.batch(wait=6)
        loop.step(D)
        self.assertEqual(loop.waits, [5, 9])

    def test_validation_that_was_broken_off_is_not_waited_for(self):
        loop = Loop(D)
        loop.batch(wait=5)
        loop.step(D)
        for _ in range(3):
            loop.batch(VALIDATION, wait=1000)
        loop.batch(wait=6)
        loop.step(D)
        self.assertEqual(loop.waits, [5, 6])

    def test_a_pair_of_loaders_is_waited_for_together(self):
        loop = Loop(D)
        for _ in range(3):
            loop.batch(TRAIN, wait=5)
            loop.batch(OTHER, wait=7)
            loop.step(D)
        self.assertEqual(loop.waits, [12, 12, 12])

    def test_a_step_without_a_batch_waits_zero_once_there_are_loaders(self):
        loop = Loop(D)
        loop.batch(wait=5)
        loop.step(D, D)
        self.assertEqual(loop.waits, [5, 0])


class Beginnings(unittest.TestCase):
    def test_the_first_step_begins_with_the_first_batch(self):
        loop = Loop(D)
        loop.begun.clear()
        loop.open()
        loop.batch()
        loop.batch()
        loop.step(D)
        self.assertEqual(loop.begun, [0])

    def test_a_later_threads_first_step_begins_with_its_first_batch(self):
        loop = Loop(D)
        loop.batch()
        loop.step(D)
        before = list(loop.begun)
        other = threading.Thread(target=lambda: (loop.batch(), loop.step(D)))
        other.start()
        other.join()
        self.assertEqual(loop.begun, [*before, 1])
        self.assertEqual(loop.steps, 2)

    def test_a_step_after_validation_begins_where_its_batch_is_asked_for(self):
        loop = Loop(D)
        loop.batch()
        loop.step(D)
        loop.batch(VALIDATION, gradients=False)
        loop.begun.clear()
        loop.batch()
        loop.batch()
        self.assertEqual(loop.begun, [1])

    def test_a_step_without_validation_before_it_begins_with_the_end_of_the_last(self):
        loop = Loop(D)
        loop.batch()
        loop.step(D)
        loop.begun.clear()
        loop.batch()
        loop.step(D)
        self.assertEqual(loop.begun, [])


if __name__ == "__main__":
    unittest.main()
