"""Forked workers that may crash: Paddle and ONNX Runtime are native code, and some tests make them segfault.

The parent imports the heavy packages once and forks; a worker runs one task after another and sends back events.
When it dies, the parent reports what it was doing and forks another.
"""
import collections
import multiprocessing
import os
import signal
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, Deque, Iterator, List, Optional, Tuple

Emit = Callable[[Any], None]
_fork = multiprocessing.get_context("fork")


@dataclass
class Crash:
    """A worker died, or took too long; `stage` is the last `Stage` that it sent."""

    what: str
    stage: Any


@dataclass
class Stage:
    """Sent by a worker before something that may crash. Not passed on."""

    value: Any


class _Worker:
    def __init__(self, start: Callable[[], Any], work: Callable[[Any, Any, Emit], None], log: str):
        self.connection, theirs = _fork.Pipe()
        self.log = log
        self.process = _fork.Process(target=_serve, args=(theirs, start, work, log), daemon=True)
        self.process.start()
        theirs.close()
        self.task: Any = None
        self.stage: Any = None
        self.deadline = 0.0
        self.tasks = 0

    def give(self, task: Any, timeout: float) -> None:
        self.task, self.stage = task, None
        self.tasks += 1
        self.deadline = time.monotonic() + timeout
        self.connection.send(task)

    def end(self) -> str:
        """Ends the process and returns how it ended."""
        try:
            # Closing the pipe would not do: workers forked later hold this end of it too.
            self.connection.send(None)
        except OSError:
            pass  # it is dead already
        self.connection.close()
        self.process.join(1)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _serve(connection: Connection, start: Callable[[], Any], work: Callable[[Any, Any, Emit], None], log: str) -> None:
    # What native code prints would spoil the parent's table; the last of it is worth keeping.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    state = start()
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        if task is None:
            return
        try:
            work(state, task, connection.send)
        except Exception:  # a bug of the harness; the test fails, the run goes on
            connection.send(Crash(traceback.format_exc(limit=-3), None))
        connection.send(None)


class Pool:
    """Runs `work(state, task, emit)` in `jobs` workers; `state` is what `start()` returned in that worker.

    `timeout` in seconds is between two events of a task. `folder` keeps the workers' logs. After `tasks_per_worker` tasks
    a worker is replaced, because Paddle does not give back the memory of programs that it ran.
    """

    def __init__(
        self,
        start: Callable[[], Any],
        work: Callable[[Any, Any, Emit], None],
        jobs: int,
        timeout: float,
        folder: str,
        tasks_per_worker: int = 200,
    ):
        self._start, self._work = start, work
        self._jobs, self._timeout, self._folder = max(1, jobs), timeout, folder
        self._tasks_per_worker = tasks_per_worker
        self._made = 0
        self._queue: Deque[Any] = collections.deque()

    def add(self, task: Any) -> None:
        """Adds a task, also while `run` is being iterated. A crashed task is not repeated by itself."""
        self._queue.append(task)

    def run(self) -> Iterator[Tuple[Any, Any]]:
        """Yields (task, event) for everything emitted, (task, Crash) for crashes and (task, None) at a task's end."""
        idle: List[_Worker] = []
        busy: List[_Worker] = []
        try:
            while self._queue or busy:
                while self._queue and (idle or len(busy) < self._jobs):
                    worker = idle.pop() if idle else self._fork()
                    worker.give(self._queue.popleft(), self._timeout)
                    busy.append(worker)
                next_deadline = min(worker.deadline for worker in busy)
                ready = wait([worker.connection for worker in busy], max(0.0, next_deadline - time.monotonic()))
                now = time.monotonic()
                for worker in list(busy):
                    if worker.connection in ready:
                        event, crashed = self._receive(worker)
                    elif now >= worker.deadline:
                        worker.process.kill()
                        worker.end()
                        event, crashed = Crash(f"no answer for {self._timeout:g} s", worker.stage), True
                    else:
                        continue
                    if isinstance(event, Stage):
                        worker.stage = event.value
                        continue
                    if event is None or crashed:
                        busy.remove(worker)
                        if not crashed and worker.tasks < self._tasks_per_worker:
                            idle.append(worker)
                        elif not crashed:
                            worker.end()
                    yield worker.task, event
                    if crashed:
                        yield worker.task, None
        finally:
            for worker in idle + busy:
                if worker in busy:
                    worker.process.kill()
                worker.end()

    def _fork(self) -> _Worker:
        self._made += 1
        return _Worker(self._start, self._work, os.path.join(self._folder, f"worker-{self._made}.log"))

    def _receive(self, worker: _Worker) -> "Tuple[Any, bool]":
        worker.deadline = time.monotonic() + self._timeout
        try:
            return worker.connection.recv(), False
        except (EOFError, OSError):
            how = worker.end()
            last = _last_line(worker.log)
            return Crash(f"crash ({how})" + (f": {last}" if last else ""), worker.stage), True


def _last_line(path: str) -> Optional[str]:
    """The message of a native crash, if the log holds one."""
    try:
        with open(path, errors="replace") as file:
            lines = [line.strip() for line in file.read()[-4000:].splitlines()]
    except OSError:
        return None
    marked = [line for line in lines if "Error:" in line or "Check failed" in line]
    return marked[-1][:300] if marked else None
