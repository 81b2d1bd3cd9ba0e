"""Learning on several machines with Ray: workers ground fixed chunks of examples and give their gradients, the driver
adds them up in the order of chunks. So the model has the bytes that one process learns, with any number of workers, and
whoever is lost on the way.

>>> import pytest
>>> ray = pytest.importorskip("ray")
>>> import lrnn
>>> lrnn.Ray(workers=(2, 8))
Ray(workers=(2, 8))
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lrnn import _lrnn
from lrnn._errors import Error, FileError, UsageError

try:
    import ray
except ImportError as error:
    raise ImportError("lrnn.Ray needs Ray: pip install 'lrnn[ray]'") from error

__all__ = ["Ray"]

MODE, TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
# Ray takes 127.0.0.1 for any address of the machine, one that others reach. On Linux all of 127/8 is the loopback device;
# elsewhere Ray stays on it by itself.
LOOPBACK = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"


class Ray:
    """Where to learn: workers of Ray.

    `workers` is their number, or the least and the most; without, one for each processor. Without an `address`, they are
    processes of this machine that listen on the loopback device alone and ask for a token made for the run. A cluster
    must ask for its token too. `threads` is the number of threads of each worker. `folder` is where the data is put for
    the workers to read; it must be one that all machines share, and is a temporary one if they all are this one.
    """

    def __init__(
        self,
        workers: int | tuple[int, int] | None = None,
        *,
        address: str | None = None,
        threads: int = 1,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.workers = workers
        self.address = address
        self.threads = threads
        self.folder = None if folder is None else Path(folder)
        self.pids: dict[int, int] = {}
        """The processes of the workers while it learns."""
        least, most = self._bounds()
        if not 1 <= least <= most or threads < 1:
            raise UsageError(f"workers={workers!r}, threads={threads}: there must be at least one")
        if address is not None and folder is None:
            raise UsageError(
                "a cluster needs folder=, where the workers read the data",
                help="a folder that all machines share",
            )

    def _bounds(self) -> tuple[int, int]:
        if isinstance(self.workers, tuple):
            return self.workers
        count = (os.cpu_count() or 1) if self.workers is None else self.workers
        return count, count

    def __repr__(self) -> str:
        return f"Ray(workers={self.workers!r}{'' if self.address is None else f', address={self.address!r}'})"

    @contextmanager
    def crew(self) -> Iterator[Crew]:
        """Connects, or starts what is needed, and ends it afterwards."""
        is_ours = self._connect()
        folder = self.folder or Path(tempfile.mkdtemp(prefix="lrnn-"))
        crew = Crew(*self._bounds(), self.threads, folder)
        self.pids = crew.pids
        try:
            yield crew
        finally:
            crew.end()
            if self.folder is None:
                shutil.rmtree(folder, ignore_errors=True)
            if is_ours:
                ray.shutdown()

    def _connect(self) -> bool:
        """Returns whether what it connected to must be ended."""
        if os.environ.get(MODE, "token") != "token":
            raise _no_token(f"{MODE} is {os.environ[MODE]}")
        is_ours = not ray.is_initialized()
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if is_ours and self.address is not None:
            ray.init(address=self.address, **quiet)
        elif is_ours:
            # Ray asks for a token by default; one of our own leaves no file in the user's home.
            if not os.environ.get("RAY_AUTH_TOKEN_PATH"):
                os.environ.setdefault(TOKEN, secrets.token_hex(32))
            _, most = self._bounds()
            ray.init(
                address="local",
                num_cpus=most * self.threads,
                include_dashboard=False,
                _node_ip_address=LOOPBACK,
                **quiet,
            )
        if os.environ.get(MODE) != "token":
            if is_ours:
                ray.shutdown()
            raise _no_token("it does not ask for a token")
        return is_ours


def _no_token(why: str) -> UsageError:
    return UsageError(
        f"whoever reaches a cluster without a token can run programs on it, so it is not used: {why}",
        help=f"start the cluster and this program with {MODE}=token, and Ray 2.60 or newer",
    )


class _Worker:
    """A process with the networks of some chunks. It reads the data itself."""

    def __init__(self, path: str, fingerprint: str, inputs: tuple[Any, ...], threads: int) -> None:
        texts, family, settings, split, strict, most = inputs
        with open(path, "rb") as file:
            data = _lrnn.Dataset.from_bytes(file.read())
        if data.fingerprint() != fingerprint:
            raise FileError(f"{path} is not the data of this run", help="give every run a folder of its own")
        template = _lrnn.Template.of_texts(texts, family, False)
        self._shard = _lrnn.Shard(template, data, settings, split, strict, most, threads)

    def pid(self) -> int:
        return os.getpid()

    def ground(self, chunks: list[int]) -> list[bytes]:
        return self._shard.ground(chunks)

    def place(self, places: dict[int, bytes]) -> None:
        for chunk, own in places.items():
            self._shard.place(chunk, own)

    def work(self, chunks: list[int], order: bytes) -> list[bytes]:
        return self._shard.work(chunks, order)


def _run_fold(path: str, number: int, count: int, threads: int) -> None:
    _lrnn.crossval_shard(path, number, count, threads)


def _run_cell(file: str, data: str | None, out: str, number: int, count: int, threads: int) -> None:
    _lrnn.experiment_shard(file, data, out, (number, count), threads)


class Crew:
    """Workers with the chunks of one training between them. Who is lost is replaced, and what it had is grounded again;
    where nobody can replace it, the others take over."""

    MOST_LOSSES = 100
    """More workers lost than these mean that something else is wrong."""
    START = 60.0
    """Seconds that a worker may take to start where others are there."""

    def __init__(self, least: int, most: int, threads: int, folder: Path) -> None:
        self._least, self._most, self._threads, self._folder = least, most, threads, folder
        self._workers: list[Any] = []
        self._owners: list[int] = []
        self._places: list[bytes] = []
        self._losses = 0
        self._spec: tuple[Any, ...] = ()
        self.pids: dict[int, int] = {}
        """The process of each worker."""

    def ground(self, chunks: int, parcel: bytes, inputs: tuple[Any, ...]) -> list[bytes]:
        """Starts workers, which read the data and ground their chunks; returns the summary of each chunk."""
        fingerprint = _lrnn.Dataset.from_bytes(parcel).fingerprint()
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"data-{fingerprint}.parcel"
        if not path.exists():
            beside = path.with_suffix(f".{os.getpid()}")
            beside.write_bytes(parcel)
            beside.replace(path)
        self._spec = (str(path), fingerprint, inputs, self._threads)
        count = max(1, min(self._most, chunks))
        self._workers = [self._start() for _ in range(count)]
        self._owners = [chunk * count // chunks for chunk in range(chunks)]
        self._hello(self._least)
        return self._ask("ground", range(chunks))

    def place(self, places: list[bytes]) -> None:
        """Tells every worker where the numbers of its chunks lie."""
        self._places = places
        for worker, own in self._owned(range(len(places))).items():
            self._settle(worker, own)

    def work(self, first: int, last: int, order: bytes) -> list[bytes]:
        """Returns the answer of each chunk to an order."""
        return self._ask("work", range(first, last), ray.put(order))

    def run_folds(self, path: str | os.PathLike[str], count: int) -> None:
        """Runs the folds of the cross-validation in a folder; what a lost worker had begun is begun again."""
        self._run_shards(_run_fold, (os.path.abspath(path),), count)

    def run_cells(
        self,
        file: str | os.PathLike[str],
        data: str | os.PathLike[str] | None,
        out: str | os.PathLike[str],
        count: int,
    ) -> None:
        """Runs the cells of an experiment, each a method on a dataset."""
        where = None if data is None else os.path.abspath(data)
        self._run_shards(_run_cell, (os.path.abspath(file), where, os.path.abspath(out)), count)

    def _run_shards(self, run: Callable[..., None], inputs: tuple[Any, ...], count: int) -> None:
        shard = ray.remote(num_cpus=self._threads, max_retries=self.MOST_LOSSES)(run)
        waiting = [shard.remote(*inputs, it + 1, count, self._threads) for it in range(count)]
        while waiting:
            done, waiting = ray.wait(waiting)
            for ready in done:
                _got(ready)

    def end(self) -> None:
        """Ends the workers."""
        for worker in self._workers:
            if worker is not None:
                ray.kill(worker)
        self._workers = []

    def _start(self) -> Any:
        options: dict[str, Any] = {"num_cpus": self._threads, "max_restarts": 0, "max_task_retries": 0}
        return ray.remote(**options)(_Worker).remote(*self._spec)

    def _hello(self, least: int) -> None:
        """Waits for the workers: for all as long as it may take, for more than the least only so long."""
        waiting = {worker.pid.remote(): number for number, worker in enumerate(self._workers)}
        done, late = ray.wait(list(waiting), num_returns=min(least, len(waiting)))
        if late:
            more, late = ray.wait(late, num_returns=len(late), timeout=self.START)
            done += more
        for ready in done:
            self.pids[waiting[ready]] = _got(ready)
        for ready in late:
            self._give_away(waiting[ready])

    def _owned(self, chunks: Sequence[int]) -> dict[int, list[int]]:
        owned: dict[int, list[int]] = {}
        for chunk in chunks:
            owned.setdefault(self._owners[chunk], []).append(chunk)
        return owned

    def _ask(self, what: str, chunks: Sequence[int], *order: Any) -> list[bytes]:
        """Returns the answer of each chunk; what a lost worker owes is asked again of whoever has its chunks then."""
        answers: dict[int, bytes] = {}
        while len(answers) < len(chunks):
            asked = {}
            for worker, own in self._owned([it for it in chunks if it not in answers]).items():
                asked[getattr(self._workers[worker], what).remote(own, *order)] = (worker, own)
            pending, lost = list(asked), []
            while pending:
                done, pending = ray.wait(pending)
                for ready in done:
                    worker, own = asked[ready]
                    try:
                        answers.update(zip(own, _got(ready)))
                    except ray.exceptions.RayActorError:
                        lost.append(worker)
            for worker in lost:
                self._replace(worker)
        return [answers[chunk] for chunk in chunks]

    def _replace(self, worker: int) -> None:
        """Gives the chunks of a lost worker to a new one, or to the others."""
        self._losses += 1
        if self._losses > self.MOST_LOSSES:
            raise FileError(
                f"{self._losses} workers were lost",
                help="look at the logs of Ray; most often there is too little memory",
            )
        self.pids.pop(worker, None)
        self._workers[worker] = self._start()
        hello = self._workers[worker].pid.remote()
        others = sum(1 for it in self._workers if it is not None) - 1
        try:
            ready, _ = ray.wait([hello], timeout=self.START if others else None)
            if not ready:
                return self._give_away(worker)
            self.pids[worker] = _got(hello)
            self._settle(worker, [it for it, owner in enumerate(self._owners) if owner == worker], anew=True)
        except ray.exceptions.RayActorError:
            self._replace(worker)

    def _give_away(self, worker: int) -> None:
        """Leaves a worker that does not start, and divides its chunks among the others."""
        ray.kill(self._workers[worker])
        self._workers[worker] = None
        heirs = sorted(self.pids)
        if not heirs:
            raise FileError("no worker of Ray can start", help="fewer workers or threads need fewer processors")
        orphans = [it for it, owner in enumerate(self._owners) if owner == worker]
        for number, chunk in enumerate(orphans):
            self._owners[chunk] = heirs[number % len(heirs)]
        if self._places:
            for heir, own in self._owned(orphans).items():
                self._settle(heir, own, anew=True)

    def _settle(self, worker: int, chunks: list[int], anew: bool = False) -> None:
        """Tells a worker where the numbers of chunks lie, which it grounds first if it has them anew."""
        if not self._places or not chunks:
            return
        try:
            if anew:
                _got(self._workers[worker].ground.remote(chunks))
            _got(self._workers[worker].place.remote({chunk: self._places[chunk] for chunk in chunks}))
        except ray.exceptions.RayActorError:
            self._replace(worker)


def _got(ready: Any) -> Any:
    """Returns the result of a task, or raises what it raised."""
    try:
        return ray.get(ready)
    except ray.exceptions.RayTaskError as failed:
        if isinstance(failed.cause, Error):
            raise failed.cause from None
        raise
