"""Spreads a run of `wabe arena` over the machines of a Ray cluster.

The run is played in shards, one task each. What a task has played comes back pair by pair, so a shard whose machine dies goes on
elsewhere where it stopped. Everything is in the output folder: the same command goes on after Ctrl-C, and finished shards are not
played again. At the end the shards are merged, to the block that one machine would have printed."""

import contextlib
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

from contest_match import command_line
from contest_match.errors import UsageError

from . import results, shard

PROGRAM = "selfplay-cluster.py"

PLACE = "/tmp/wabe-selfplay"
"""Where programs lie on every machine. The paths of engines are settings of the run, so they are the same everywhere."""

INSTALL = """needs Python's package ray, for example in an environment of its own:
  python3 -m venv ray && ray/bin/pip install ray
  ray/bin/python scripts/selfplay-cluster.py …"""

WAIT_SECONDS = 1
LINE_SECONDS = 15
"""Time between two lines of progress without a terminal."""

REFUSED = {
    "--shard": "this script makes the shards (--shards)",
    "--resume": "results go to the output folder",
    "--results": "results go to the output folder",
    "--concurrency": "--cpus says how many games each shard plays at once",
    "--sprt": "it stands before the --, and judges the whole run",
    "--report": "it stands before the --, and shows the whole run",
    "--replays": "wabe arena merge OUTPUT/shard-*.jsonl --replays DIR writes them",
    "--positions": "wabe arena merge OUTPUT/shard-*.jsonl --positions FILE writes them",
}


class RunFailed(Exception):
    """Some shard cannot be played."""


def main():
    options = arguments()
    try:
        import ray
    except ImportError:
        command_line.fail(PROGRAM, INSTALL)
    try:
        run = Run(options)
        run.check()
    except UsageError as error:
        command_line.fail(PROGRAM, error)
    try:
        if run.unfinished():
            # Ray writes its messages to standard output, which is for results.
            with contextlib.redirect_stdout(sys.stderr):
                connect(ray, options)
                play(ray, run, options)
    except UsageError as error:
        command_line.fail(PROGRAM, error)
    except RunFailed as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{PROGRAM}: interrupted; the same command goes on", file=sys.stderr)
        return 130
    finally:
        if ray.is_initialized():
            ray.shutdown()
    return run.merge(options)


def arguments():
    parser = command_line.Parser(
        prog=PROGRAM,
        description=__doc__,
        epilog="Exit status: 0 if all games were played, 3 or 4 if --sprt then accepts H0 or H1, 1 if they were not, 2 if the run could not begin, 130 after Ctrl-C.",
    )
    number = {"type": command_line.positive, "metavar": "N"}
    parser.add_argument("--output", required=True, type=Path, metavar="DIR", help="for results")
    parser.add_argument("--shards", required=True, help="number of parts", **number)
    parser.add_argument(
        "--address", default="auto", help="of the Ray cluster; `local` starts one [default: auto]"
    )
    parser.add_argument(
        "--cpus",
        default=1,
        help="that a shard takes, for so many games at once [default: 1]",
        **number,
    )
    parser.add_argument(
        "--attempts",
        default=3,
        help="failures of a shard in a row without a new pair that end the run [default: 3]",
        **number,
    )
    parser.add_argument(
        "--program",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="a file that goes to every machine; @NAME@ in the arena's options stands for its path there",
    )
    parser.add_argument(
        "--sprt", nargs="+", default=[], metavar="NAME=VALUE", help="judge the whole run at its end"
    )
    parser.add_argument("--report", metavar="FILE.html", help="write a page about the whole run")
    parser.add_argument("run", nargs="*", metavar="-- ARENA OPTIONS")
    options = parser.parse_args()
    if options.run[:1] == ["--"]:
        del options.run[0]
    for word in options.run:
        reason = REFUSED.get(word.partition("=")[0])
        if reason is not None:
            parser.error(f"{word}: {reason}")
    return options


def connect(ray, options):
    address = None if options.address == "local" else options.address
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(
            f"no Ray cluster at {options.address} (ray start --head begins one): {error}"
        ) from error
    # The machines have no copy of these scripts.
    ray.cloudpickle.register_pickle_by_value(shard)


def without_option(name, words):
    """The words without the option and its value."""
    kept = []
    words = iter(words)
    for word in words:
        if word == name:
            next(words, None)
        elif not word.startswith(f"{name}="):
            kept.append(word)
    return kept


class Run:
    """The run in its folder."""

    def __init__(self, options):
        self.folder = options.output
        self.shards = options.shards
        self.wabe = command_line.wabe_binary()
        named = {"wabe": self.wabe}
        for text in options.program:
            name, separator, path = text.partition("=")
            if not (name and separator) or name in named:
                raise UsageError(
                    f"--program {text}: expected NAME=PATH, each name once, and not wabe"
                )
            named[name] = path
        self.programs = []
        paths = {}
        for name, path in named.items():
            try:
                data = Path(path).read_bytes()
            except OSError as error:
                raise UsageError(f"cannot read {path}: {error.strerror}") from error
            digest = hashlib.sha256(data).hexdigest()[:16]
            paths[name] = f"{PLACE}/{digest}/{Path(path).name}"
            self.programs.append((paths[name], data))
        self.options = options.run
        for name, path in paths.items():
            self.options = [word.replace(f"@{name}@", path) for word in self.options]
        self.command = [paths["wabe"], "arena", *self.options]

    def check(self):
        """Fails on what would fail on every machine, and on a folder with another run in it."""
        options = without_option("--games", self.options)
        tried = subprocess.run(
            [self.wabe, "arena", *options, "--games", "0", "--quiet"],
            check=False,
            capture_output=True,
            text=True,
        )
        if tried.returncode != 0:
            raise UsageError(f"the arena says:\n{tried.stderr.strip()}")
        self.folder.mkdir(parents=True, exist_ok=True)
        ours = {"shards": self.shards, "command": self.command}
        file = self.folder / "run.json"
        if not file.exists():
            file.write_text(json.dumps(ours, indent=1) + "\n")
            return
        theirs = json.loads(file.read_text())
        if ours != theirs:
            raise UsageError(
                f"another run, or one of another build, is in {self.folder}; it was begun with {theirs['shards']} shards of\n"
                + " ".join(theirs["command"])
            )

    def finished_file(self, number):
        return self.folder / f"shard-{number}.jsonl"

    def begun_file(self, number):
        return self.folder / f"shard-{number}.part"

    def unfinished(self):
        numbers = range(1, self.shards + 1)
        return [number for number in numbers if not self.finished_file(number).exists()]

    def content(self, number):
        """The results of an unfinished shard, without a torn line."""
        file = self.begun_file(number)
        content = file.read_bytes() if file.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            file.write_bytes(whole)
        return whole

    def add(self, number, lines):
        with self.begun_file(number).open("ab") as file:
            file.write(lines)

    def finish(self, number):
        self.begun_file(number).rename(self.finished_file(number))

    def merge(self, options):
        command = [self.wabe, "arena", "merge"]
        command += [str(self.finished_file(number)) for number in range(1, self.shards + 1)]
        if options.report is not None:
            command += ["--report", options.report]
        if options.sprt:
            command += ["--sprt", *options.sprt]
        return subprocess.run(command, check=False).returncode


class Progress:
    """The progress of the whole run, on standard error."""

    def __init__(self, run):
        self._run = run
        self._points = self._games = 0
        self._shown = time.monotonic()
        for number in range(1, run.shards + 1):
            finished = run.finished_file(number)
            self.add(finished.read_bytes() if finished.exists() else run.content(number))

    def add(self, lines):
        for line in lines.splitlines():
            pair = json.loads(line)
            for game in pair.get("games", []):
                if 0 in (game["red"], game["blue"]):
                    won = {"red": game["red"], "blue": game["blue"]}.get(game["result"])
                    self._points += 0.5 if won is None else won == 0
                    self._games += 1

    def show(self, ray, running):
        now = time.monotonic()
        in_place = sys.stderr.isatty()
        if not in_place and now - self._shown < LINE_SECONDS:
            return
        self._shown = now
        finished = self._run.shards - len(self._run.unfinished())
        score = f", score {100 * self._points / self._games:.1f}%" if self._games else ""
        machines = sum(node["Alive"] for node in ray.nodes())
        line = (
            f"{finished} of {self._run.shards} shards finished, {running} begun or waiting; "
            f"{self._games} games of the first engine{score}; {machines} machines"
        )
        print(
            f"\r\033[K{line}" if in_place else line,
            end="" if in_place else "\n",
            file=sys.stderr,
            flush=True,
        )

    def tell(self, text):
        print(f"\r\033[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


def play(ray, run, options):
    """Plays every shard that is not finished."""
    # Ray would repeat a task with its original arguments, not continue where it stopped.
    task = ray.remote(
        num_cpus=options.cpus, max_retries=0, scheduling_strategy="SPREAD", num_returns="streaming"
    )(shard.play)
    programs = ray.put(run.programs)

    def begin(number):
        words = ["--shard", f"{number}/{run.shards}", "--concurrency", str(options.cpus)]
        return task.remote(programs, [*run.command, *words], run.content(number))

    progress = Progress(run)
    failures = dict.fromkeys(run.unfinished(), 0)
    running = {begin(number): number for number in run.unfinished()}
    try:
        while running:
            ready, _ = ray.wait(list(running), num_returns=1, timeout=WAIT_SECONDS)
            for stream in ready:
                number = running[stream]
                try:
                    lines = ray.get(next(stream))
                except StopIteration:
                    del running[stream]
                    run.finish(number)
                    progress.tell(f"shard {number} of {run.shards} is finished")
                except ray.exceptions.RayError as error:
                    del running[stream]
                    failures[number] += 1
                    if failures[number] >= options.attempts:
                        cause = getattr(error, "cause", None) or error
                        raise RunFailed(
                            f"shard {number} failed {failures[number]} times: {cause}"
                        ) from error
                    pairs = max(0, results.complete_lines(run.content(number)) - 1)
                    progress.tell(
                        f"shard {number} of {run.shards} was lost after {pairs} pairs and goes on: {type(error).__name__}"
                    )
                    running[begin(number)] = number
                else:
                    failures[number] = 0
                    run.add(number, lines)
                    progress.add(lines)
            progress.show(ray, len(running))
    finally:
        for stream in running:
            ray.cancel(stream)
