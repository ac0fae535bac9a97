#!/usr/bin/env python3
"""Tries selfplay-cluster.py on a Ray cluster of two machines, both on this one, of which one is killed in the middle.

The run is interrupted with Ctrl-C besides and goes on, and is compared with the same run on one machine: pairs and statistics
must be equal, times aside. Needs Python's package ray. Exit status 1 if something differs."""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena_runs import results
from contest_match import command_line
from contest_match.errors import UsageError

PROGRAM = "selfplay-cluster-trial.py"
SCRIPT = Path(__file__).resolve().with_name("selfplay-cluster.py")

SHARDS = 4
RUN = [
    *["--engine", "mcts:nodes=200 name=new", "--engine", "mcts:nodes=100 name=old"],
    *["--games", "160", "--seed", "5"],
]
KILL_AFTER, INTERRUPT_AFTER = 10, 25
"""Pairs on record."""

OBJECT_STORE_BYTES = 80 * 1024 * 1024
"""About the least memory that Ray accepts."""

PATIENCE_SECONDS = 900


class Failed(Exception):
    """The trial failed."""


def main():
    try:
        from ray.cluster_utils import Cluster

        wabe = command_line.wabe_binary()
    except ImportError:
        command_line.fail(
            PROGRAM, "needs Python's package ray: python3 -m venv ray && ray/bin/pip install ray"
        )
    except UsageError as error:
        command_line.fail(PROGRAM, error)
    folder = Path(tempfile.mkdtemp(prefix="cluster-trial-"))
    machine = {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args={**machine, "include_dashboard": False})
    try:
        differences = trial(wabe, cluster, machine, folder)
    except Failed as error:
        differences = [str(error)]
    finally:
        cluster.shutdown()
    for line in differences:
        print(f"{PROGRAM}: {line}", file=sys.stderr)
    if differences:
        print(f"{PROGRAM}: everything is kept in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


def trial(wabe, cluster, machine, folder):
    second = cluster.add_node(**machine)
    output = folder / "cluster"
    command = [sys.executable, str(SCRIPT), "--address", cluster.address, "--output", str(output)]
    command += ["--shards", str(SHARDS), "--", *RUN]

    began = time.monotonic()
    with (folder / "first.err").open("wb") as err:
        first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err)
        wait_for_pairs(first, output, KILL_AFTER)
        cluster.remove_node(second, allow_graceful=False)
        say(began, "one of two machines killed", output)
        wait_for_pairs(first, output, INTERRUPT_AFTER)
        first.send_signal(signal.SIGINT)
        status = first.wait(PATIENCE_SECONDS)
        say(began, f"interrupted: exit status {status}", output)
    words = (folder / "first.err").read_text()
    show(words)
    if status != 130:
        raise Failed(f"exit status {status} after Ctrl-C")
    if "was lost" not in words:
        raise Failed("no shard was lost with its machine")

    last = subprocess.run(command, check=False, capture_output=True, text=True)
    show(last.stderr)
    if last.returncode != 0:
        raise Failed(f"exit status {last.returncode}")
    say(began, "finished", output)
    again = subprocess.run(command, check=False, capture_output=True, text=True)
    if again.stdout != last.stdout or again.stderr:
        raise Failed(
            f"a finished run was not left alone:\n{last.stdout}{again.stdout}{again.stderr}"
        )

    alone = folder / "alone.jsonl"
    single = subprocess.run(
        [wabe, "arena", "--quiet", "--results", str(alone), *RUN],
        check=True,
        capture_output=True,
        text=True,
    )
    settings, pairs = results.load(alone)
    shards = [results.load(output / f"shard-{number}.jsonl") for number in range(1, SHARDS + 1)]
    differences = list(
        results.differences_of_pairs(pairs, [pair for shard in shards for pair in shard[1]])
    )
    differences += results.differences_of_lines(single.stdout, last.stdout)
    if any({**shard[0], "shard": settings["shard"]} != settings for shard in shards):
        differences.append("the settings differ")
    if not differences:
        print(f"the cluster's {len(pairs)} pairs and statistics are those of one machine:")
        print(results.statistics(last.stdout), end="")
    return differences


def on_record(output):
    files = [*output.glob("shard-*.part"), *output.glob("shard-*.jsonl")]
    lines = [results.complete_lines(file.read_bytes()) for file in files]
    return sum(max(0, count - 1) for count in lines)


def say(began, what, output):
    print(f"{time.monotonic() - began:6.1f} s, {on_record(output):3} pairs: {what}", flush=True)


def show(words):
    """The script's output, without Ray's messages."""
    for line in words.splitlines():
        if line.startswith(("shard ", SCRIPT.name)):
            print(f"         {line}")


def wait_for_pairs(process, output, count):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while on_record(output) < count:
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise Failed(f"the run ended, or hung, before it had {count} pairs")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
