"""``python -m lrnn`` is the command ``lrnn``."""

import signal
import sys

from lrnn import _lrnn
from lrnn._errors import Error


def main() -> int:
    """Runs the command with the words of the command line and returns its exit code."""
    # The command looks at signals itself, or is ended by them, as any command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    words = ["lrnn", *sys.argv[1:]]
    asked = _lrnn.workers_asked(words)
    if asked is None:
        return _lrnn.run_command(words, None)
    try:
        from lrnn.ray import Ray

        workers, address, folder = asked
        with Ray(workers, address=address, folder=folder).crew() as crew:
            # Ray has handlers of its own.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            return _lrnn.run_command(words, crew)
    except (Error, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return getattr(error, "exit", 2)


if __name__ == "__main__":
    sys.exit(main())
