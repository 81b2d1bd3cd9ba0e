"""``python -m lrnn`` is the command ``lrnn``."""

import signal
import sys

from lrnn import _lrnn


def main() -> int:
    """Runs the command with the words of the command line and returns its exit code."""
    # The command looks at signals itself, or is ended by them, as any command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _lrnn.run_command(["lrnn", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
