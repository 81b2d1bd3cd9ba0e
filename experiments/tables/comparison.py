"""What `made.py` and `shapes.py` do with each of their databases: infer, cross-validate, and compare with boosted trees."""
import argparse
import pathlib
import resource
import shutil
import subprocess


def compare(description, names, target_of, write, score):
    """Compares what is inferred with boosted trees, database by database, and prints a line for each.

    `write(name, folder)` writes a database and returns what `score` needs and where its tables are in the folder;
    `score(name, written, predictions)` returns how good the answers in a file are, and those of boosted trees.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=list(names), metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--lrnn", default="lrnn", help="the program")
    given = parser.parse_intermixed_args()
    program = str(pathlib.Path(given.lrnn).resolve()) if "/" in given.lrnn else given.lrnn
    print(f"{'database':10} {'inferred':>8} {'boosted':>8} {'CPU s':>6}")
    for name in given.names:
        folder = given.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        written, source = write(name, folder)
        run = lambda *words: subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        run("tables", "infer", source, "--target", target_of(name), "--out", f"{name}.tables", "--quiet")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run("crossval", f"{name}.tables", "--quiet", "--out", "run")
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        ours, theirs = score(name, written, folder / "run" / "predictions.csv")
        digits = 3 if abs(ours) <= 1 else 1
        print(f"{name:10} {ours:8.{digits}f} {theirs:8.{digits}f} {seconds:6.0f}", flush=True)
