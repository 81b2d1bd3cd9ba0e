"""Progress of long work: a bar where tqdm is there, else a line on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DELAY = 1.0
"""Seconds before something is shown."""


class Progress:
    """A bar or a line."""

    def __init__(self, total: float, unit: str) -> None:
        self._start = time.monotonic()
        self._shown = False
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=total, unit=unit, leave=False, delay=DELAY)

    def show(self, done: float, line: str, **figures: Any) -> None:
        """Shows how much is done: figures beside the bar, or the line."""
        if self._bar is not None:
            self._bar.set_postfix(figures, refresh=False)
            self._bar.update(max(0.0, done - self._bar.n))
        elif time.monotonic() - self._start > DELAY:
            self._shown = True
            print(f"\r{line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Takes the bar away, or ends the line."""
        if self._bar is not None:
            self._bar.close()
        elif self._shown:
            print(file=sys.stderr)


class EpochProgress(Progress):
    """The progress of learning."""

    def __init__(self, epochs: int) -> None:
        super().__init__(epochs, "epoch")
        self._epochs = epochs

    def __call__(self, done: int, last: dict[str, Any] | None) -> bool:
        """Shows the last epoch; the compiled half calls it."""
        if last is not None:
            loss, error = last["running_loss"], 100 * last["running_error"]
            line = f"epoch {done} of {self._epochs}: loss {loss:.4f}, error {error:.1f} %"
            self.show(done, line, loss=f"{loss:.4f}")
        return False


class ShareProgress(Progress):
    """The progress of work whose share that is done is known."""

    def __init__(self, what: str) -> None:
        super().__init__(100, "%")
        self._what = what

    def __call__(self, share: float, count: int) -> bool:
        """Shows the share, and how many were done; the compiled half calls it."""
        percent = round(100 * share, 1)
        self.show(percent, f"{percent} %, {count} {self._what} done", **{self._what: count})
        return False


@contextmanager
def watched(progress: bool | None, kind: type[Progress], *words: Any) -> Iterator[Any]:
    """Gives progress while there is work, if it is asked for, or somebody sits at a terminal."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    watch = kind(*words) if progress else None
    try:
        yield watch
    finally:
        if watch is not None:
            watch.close()
