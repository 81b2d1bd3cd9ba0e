"""Errors and messages: what went wrong, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """A message about a template or data, with its place."""

    code: str
    severity: str
    """``error``, ``warning`` or ``note``."""
    message: str
    help: str | None
    place: str
    """``file:line:column``, or ``table atom, row 17``."""
    line: int | None = None
    column: int | None = None
    text: str = field(default="", repr=False)
    """The message as the command prints it, with the line and a caret."""

    def __str__(self) -> str:
        return self.text


class Error(ValueError):
    """Whatever goes wrong in lrnn. It prints as people should read it; its class says what kind of thing it is."""

    exit: int = 3
    """The exit code of the command for such an error."""

    def __init__(
        self,
        text: str,
        message: str | None = None,
        help: str | None = None,
        file: str | None = None,
        diagnostics: list[Diagnostic] | None = None,
    ) -> None:
        shown = text if help is None or help in text else f"{text}\n = help: {help}"
        super().__init__(shown)
        self.message = text if message is None else message
        """The first message, without place and help."""
        self.help = help
        self.file = file
        self.diagnostics = list(diagnostics or [])

    @property
    def code(self) -> str | None:
        """The code of the first message that is an error, such as ``E0101``."""
        errors = (found.code for found in self.diagnostics if found.severity == "error")
        return next(errors, None)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.args[0], self.message, self.help, self.file, self.diagnostics))


class UsageError(Error):
    """A call that makes no sense: an unknown setting, an example that is not there."""

    exit = 2


class ContentError(Error):
    """A mistake in a template, in data or in a model."""

    exit = 3


class LimitError(Error):
    """More ground rules than allowed."""

    exit = 4


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    exit = 5


class NumbersError(Error, ArithmeticError):
    """A value that is infinite or not a number."""

    exit = 6


class StoppedError(Error):
    """Somebody asked to stop."""

    exit = 130


CLASSES: dict[int, type[Error]] = {
    kind.exit: kind
    for kind in (UsageError, ContentError, LimitError, FileError, NumbersError, StoppedError)
}


def error_of(
    exit: int,
    text: str,
    message: str,
    help: str | None,
    file: str | None,
    diagnostics: list[Diagnostic],
) -> Error:
    """Returns the error of an exit code; the compiled half calls it."""
    return CLASSES.get(exit, Error)(text, message, help, file, diagnostics)
