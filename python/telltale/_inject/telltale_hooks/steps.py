# SPDX-License-Identifier: Apache-2.0
"""From what a training loop does (an optimizer steps, a loader is asked for a batch) to steps as a person counts them, and
how long each of them waited for data. Knows no torch: optimizers and loaders are anything that can be told apart.

A step ends when an optimizer has stepped. Another optimizer's step belongs to the same step of the run (a GAN's generator
after its critic) until something repeats:
- the loop asks the same loader for another batch, or
- without loaders, the same optimizer steps again.
An optimizer that steps several times on one batch makes several steps if it is alone, and one together with others (the
critic's five rounds). One that was made after the step began, or that appears after others have repeated alone, begins a
step of its own. A step is recorded with the first of its optimizers: a program that is killed has all it made.

A program that has no optimizer and changes its parameters by hand makes a step with each backward pass; where it sets its
module's gradients to zero by zero_grad(), with the first backward pass after that, however many there are.

The time in a loader's next() counts as waiting for the step that follows it if that loader feeds the training: gradients
are on, and it is the loader that was read last, or one read beside it and not to its end (two loaders of a pair). Reads in
other threads are not waiting. After a validation the step begins where the next training batch is asked for, so that its
time is not the validation's; otherwise a step lasts from the end of the one before to its own."""
import threading

# Rounds of one partner before the other's turn, without a loader that would tell: a critic's five, or ten.
MAX_IN_A_ROW = 10


class _Read:
    """What one loader was asked for by one thread since the thread's last step."""

    __slots__ = ("batches", "wait_ns", "ended")

    def __init__(self):
        self.batches = 0
        self.wait_ns = 0
        self.ended = False


class _Loop:
    """A thread's training loop."""

    __slots__ = ("members", "last", "in_a_row", "number", "loaders", "asked", "reads", "latest", "reads_loaders", "validated", "begun",
                 "zeroed")

    def __init__(self):
        self.members = []  # optimizers of the current step, in the order of their first step in it
        self.last = None  # the one that stepped last
        self.in_a_row = 0  # how often it did, one after another, in this step
        self.number = -1  # of the current step
        self.loaders = set()  # that gave the batches of the current step
        self.asked = set()  # since the last optimizer step
        self.reads = {}  # loader -> _Read since the current step was recorded
        self.latest = None  # loader that gave the last batch
        self.reads_loaders = False  # at all
        self.validated = False  # since the current step was recorded
        self.begun = False
        self.zeroed = False  # gradients, since the last backward pass


class StepCounter:
    """`begin(step)` and `end(step, data_wait_ns)` are called in the thread that trains. Any thread may call the rest.
    Keys of optimizers and loaders are numbers, never used for a second object."""

    def __init__(self, begin, end):
        self._begin = begin
        self._end = end
        self._lock = threading.Lock()
        self.reset()

    def reset(self):
        """A forked child begins anew."""
        self._threads = threading.local()
        self._steps = 0
        self._made = {}  # optimizer -> how many steps there were when it was made
        self._waiting = set()  # optimizers that have not stepped yet
        self._partners = set()  # optimizers that have shared a step
        self._alone = 0  # steps in a row with the same single optimizer
        self._training = set()  # loaders that have fed a step
        self.has_optimizers = False  # or had
        self._zeroes = False  # gradients are set to zero by zero_grad()

    @property
    def steps(self):
        return self._steps

    def _loop(self):
        try:
            return self._threads.loop
        except AttributeError:
            loop = self._threads.loop = _Loop()
            return loop

    # Optimizers.

    def made(self, optimizer):
        self.has_optimizers = True
        self._made[optimizer] = self._steps
        self._waiting.add(optimizer)
        if self._steps == 0:
            self._begin(0)

    def gone(self, optimizer):
        self._made.pop(optimizer, None)
        self._waiting.discard(optimizer)
        self._partners.discard(optimizer)

    def stepped(self, optimizer):
        loop = self._loop()
        self._waiting.discard(optimizer)
        if self._begins(loop, optimizer):
            self._alone = self._alone + 1 if loop.members == [optimizer] else 0
            loop.members = [optimizer]
            loop.loaders = loop.asked
            loop.in_a_row = 0
            self._finish(loop)
        else:
            if optimizer not in loop.members:
                loop.members.append(optimizer)
                self._partners.update(loop.members)
            loop.loaders = loop.loaders | loop.asked
        loop.asked = set()
        loop.in_a_row = loop.in_a_row + 1 if loop.last == optimizer else 1
        loop.last = optimizer

    def _begins(self, loop, optimizer):
        if not loop.members:
            return True
        repeats = optimizer in loop.members
        if loop.asked:
            # Its own batch from another loader does not make a partner's step one of its own.
            return repeats or not loop.loaders or bool(loop.asked & loop.loaders) or self._is_younger(loop, optimizer)
        if repeats:
            in_company = optimizer in self._partners
            if loop.loaders:
                return not (in_company or self._waiting)
            # A round of partners is over when its first one steps again behind another, or goes on alone.
            if loop.last == optimizer:
                return not in_company or loop.in_a_row >= MAX_IN_A_ROW
            return loop.members[0] == optimizer
        if self._is_younger(loop, optimizer):
            return True
        return not (loop.loaders or optimizer in self._partners or self._alone < 2)

    def _is_younger(self, loop, optimizer):
        """Whether it was made after the current step had begun."""
        return self._made.get(optimizer, 0) > loop.number

    def _finish(self, loop):
        with self._lock:
            number = self._steps
            self._steps += 1
        loop.number = number
        self._end(number, self._waited_ns(loop))
        if loop.reads:
            loop.reads = {}
        loop.latest = None
        loop.validated = loop.begun = False

    def _waited_ns(self, loop):
        if not loop.reads_loaders:
            return -1
        latest = loop.reads.get(loop.latest)
        if latest is None:
            return 0
        wait_ns = 0
        for loader, read in loop.reads.items():
            if read is latest or (not read.ended and read.batches <= latest.batches):
                wait_ns += read.wait_ns
                self._training.add(loader)
        return wait_ns

    # By hand.

    def zeroed(self):
        """A module's gradients were set to zero."""
        if self.has_optimizers:
            return
        self._zeroes = self._loop().zeroed = True
        if self._steps == 0:
            self._begin(0)

    def went_back(self):
        """A backward pass has ended."""
        loop = self._loop()
        if self.has_optimizers or (self._zeroes and not loop.zeroed):
            return
        loop.zeroed = False
        loop.loaders, loop.asked = loop.asked, set()
        self._finish(loop)

    # Loaders.

    def opening(self, loader):
        """The program is about to ask for the loader's iterator or a batch."""
        loop = self._loop()
        if loop.number < 0:  # the thread's first one
            if loader not in loop.reads:
                self._begin(self._steps)
        elif loop.validated and not loop.begun and loader in self._training:
            loop.begun = True
            self._begin(self._steps)

    def opened(self, loader, wait_ns, gradients):
        """The iterator is there: its workers have started."""
        if gradients:
            read = self._loop().reads.setdefault(loader, _Read())
            read.wait_ns += wait_ns
            read.ended = False

    def read(self, loader, wait_ns, gradients, ended):
        """next() has given a batch, or said that there are no more."""
        loop = self._loop()
        loop.reads_loaders = True
        if not gradients:
            loop.validated = True
            return
        if loader not in self._training:
            loop.validated = True
        loop.asked.add(loader)
        read = loop.reads.get(loader)
        if read is None:
            read = loop.reads[loader] = _Read()
        read.wait_ns += wait_ns
        read.ended = ended
        if not ended:
            read.batches += 1
            loop.latest = loader

