"""Runs of plans, which Ctrl-C ends."""
import _thread
import ctypes
import threading

from . import _library as lib
from ._library import Error

# Runs of fewer multiplications than this end within some hundredths of a second: Ctrl-C can wait, and a tenth
# of a millisecond for a thread would be much.
SHORT = 1_000_000_000
# Multiplications that a sample costs beside those of its filters.
SAMPLE = 32

_telling = threading.local()


def is_long(samples, multiply_adds, backend):
    """True if a run may take so long that somebody wants to end it: an estimate."""
    return backend != "fast" or samples * (multiply_adds + SAMPLE) > SHORT


def run(arguments, owners, progress, long):
    """Runs a plan.

    Only the main thread gets KeyboardInterrupt, and not while it is inside the library: what may take a while
    is done in another thread. `progress` is called here, and returns True to end the run.

    arguments
        Of fg_plan_run, but for the last.
    owners
        Of the memory that these name.
    """
    if getattr(_telling, "told", False):
        failure = Error("a progress function cannot run filters")
        failure.code = "FG_BAD_ARGUMENT"
        raise failure
    if (progress is None and not long) or threading.current_thread() is not threading.main_thread():
        return call_here(arguments, progress)
    apart = Apart(arguments, owners, progress)
    try:
        try:
            _thread.start_new_thread(apart.work, ())
        except RuntimeError:  # The system has no more threads, or Python is ending.
            return call_here(arguments, progress)
        apart.wait()
    finally:
        apart.end()


def call_here(arguments, progress):
    """Runs a plan in this thread."""
    if progress is None:
        return lib.call("fg_plan_run", *arguments, None)
    failures = []

    def told(_, done):
        try:
            return 1 if asked(progress, done) else 0
        except BaseException as error:  # It cannot go through C.
            failures.append(error)
            return 1

    try:
        lib.call("fg_plan_run", *arguments, lib.sized(lib.RunOptions, progress=lib.Progress(told)))
    except Error:
        if not failures:
            raise
    if failures:
        raise failures[0]


def asked(progress, done):
    """Calls a caller's function, which can run nothing meanwhile."""
    _telling.told = True
    try:
        return progress(done)
    finally:
        _telling.told = False


class Apart:
    """A run in a thread of its own, for which the main thread waits.

    Ctrl-C may come between any two steps of the main thread: what is shared is looked at again and again, so
    that no message has to arrive.
    """

    POLL = 0.05  # Seconds.

    def __init__(self, arguments, owners, progress):
        self.arguments, self.owners, self.progress = arguments, owners, progress
        self.stop = ctypes.c_int32(0)
        self.ended, self.error = False, None
        self.question = None  # How much is done, until it was told.
        self.news, self.answered = threading.Lock(), threading.Lock()
        self.news.acquire()
        self.answered.acquire()

    def work(self):
        """Runs the plan in the other thread."""
        try:
            if self.progress is None:
                stop = ctypes.cast(lib.library().fg_stop_when_set, lib.Progress)
                options = lib.sized(
                    lib.RunOptions, progress=stop, context=ctypes.addressof(self.stop))
            else:
                options = lib.sized(
                    lib.RunOptions, progress=lib.Progress(self.told), context=ctypes.addressof(self.stop))
            lib.call("fg_plan_run", *self.arguments, options)
        except BaseException as error:
            self.error = error
        finally:
            self.ended = True
            release(self.news)

    def end(self):
        """Stops the run: what has begun at once, and what has not when it does."""
        self.stop.value = 1
        if not self.ended:
            lib.library().fg_cancel(ctypes.addressof(self.stop))

    def told(self, _, done):
        """Has the main thread told, and waits for what it says."""
        self.question = done
        release(self.news)
        while self.question is not None and not self.stop.value:
            self.answered.acquire(timeout=self.POLL)
        return self.stop.value

    def wait(self):
        """Waits in the main thread until the run has ended: its memory is in use until then."""
        failure = None
        while not self.ended:
            try:
                while not self.ended:
                    self.news.acquire(timeout=self.POLL)
                    if self.question is not None and not self.stop.value:
                        if asked(self.progress, self.question):
                            self.end()
                        self.question = None
                        release(self.answered)
            except BaseException as error:  # Of the caller's function, or KeyboardInterrupt.
                self.end()
                failure = failure or error
        if failure is not None:
            raise failure
        if self.error is not None:
            raise self.error


def release(lock):
    """Wakes who waits, if nobody has yet."""
    try:
        lock.release()
    except RuntimeError:
        pass
