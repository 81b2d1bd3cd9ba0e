"""Counts what grounding by demand costs and saves: `python3 benches/demand.py [CASE]... [--take N]`

For each case the instructions, counted by callgrind, of reading with all plans and of building the networks, as it is and with
`lrnn-bench --whole`, which grounds everything. A stage is run once and twice, so that the setting up does not count.
"""

import argparse
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target")) / "release/lrnn-bench"
CASES = "chains chains-avg plain indexed named chains-max gcn-10 gsage-10 gin-32 graph-10k messages".split()


def instructions(case, stage, flags):
    def run(times):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, case, "--once", stage, str(times), *flags]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        return int(re.search(r"Collected : (\d+)", said)[1])

    return run(2) - run(1)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("case", nargs="*", help="all if there is none")
parser.add_argument("--take", type=int, default=20, help="only the first so many molecules")
options = parser.parse_args()
print("| case | read, million instructions | as whole | build | as whole | both together |\n|---|---|---|---|---|---|", flush=True)
for case in options.case or CASES:
    flags = [] if case.startswith("graph") else ["--take", str(options.take)]
    read, build, read_whole, build_whole = (instructions(case, stage, flags + more) for more in ([], ["--whole"]) for stage in ("read", "build"))
    change = 100 * ((read + build) / (read_whole + build_whole) - 1)
    figures = " | ".join(f"{count / 1e6:.2f}" for count in (read, read_whole, build, build_whole))
    print(f"| `{case}` | {figures} | {change:+.2f} % |", flush=True)
