#!/usr/bin/env python3
"""Runs `wabe arena` in shards on a Ray cluster and merges the results.

Each pair is sent back when it is complete. If a machine fails, its shard continues on another machine after the last pair.
After Ctrl-C, the same command continues the run. Results are written to DIR/shard-I.jsonl."""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAX_FAILURES = 3  # consecutive failures of a shard without a new pair


def play(programs, command, content):
    """Continues a results file with this content on a machine of the cluster. Yields the new lines."""
    for path, data in programs:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            part = path.with_name(f"{path.name}-{time.time_ns()}")
            part.write_bytes(data)
            part.chmod(0o755)
            part.rename(path)
    with tempfile.TemporaryDirectory() as folder:
        (results := Path(folder, "results.jsonl")).write_bytes(content)
        errors = Path(folder, "errors")
        sent, status = len(content), None
        command = [*command, "--quiet", "--results", results]
        with errors.open("wb") as err:
            arena = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err)
        # Stops the arena if this process is killed, which closes the pipe.
        guard = ["sh", "-c", 'cat; kill "$0"', str(arena.pid)]
        guard = subprocess.Popen(guard, stdin=subprocess.PIPE)
        try:
            while status is None:
                time.sleep(0.5)
                # Check first, so that the last read is complete.
                status = arena.poll()
                new = results.read_bytes()[sent:]
                if new := new[: new.rfind(b"\n") + 1]:
                    sent += len(new)
                    yield new
        finally:
            for process in (guard, arena):
                process.kill()
                process.wait()
        if status != 0:
            raise RuntimeError(f"exit status {status}: {errors.read_text(errors='replace')[-999:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, type=Path, metavar="DIR")
    parser.add_argument("--shards", required=True, type=int, metavar="N")
    parser.add_argument("--address", default="auto", help="cluster address; `local` starts a cluster")
    parser.add_argument("--cpus", default=1, type=int, help="concurrent games per shard")
    parser.add_argument("--wabe", default="target/release/wabe", metavar="PATH")
    copied = "copy a program to all machines; @NAME@ in the arena's options is replaced by its path"
    parser.add_argument("--program", action="append", default=[], metavar="NAME=PATH", help=copied)
    parser.add_argument("--sprt", nargs="+", default=[], metavar="NAME=VALUE")
    parser.add_argument("run", nargs="+", metavar="-- ARENA_OPTIONS")
    options = parser.parse_args()
    import ray

    words, programs = options.run, []
    for text in [f"wabe={options.wabe}", *options.program]:
        name, _, path = text.partition("=")
        data = Path(path).read_bytes()
        # Engine paths are settings of the run, so they must be the same on all machines.
        target = Path("/tmp/wabe-arena", hashlib.sha256(data).hexdigest()[:16], Path(path).name)
        programs.append((target, data))
        words = [word.replace(f"@{name}@", str(target)) for word in words]
    command = [str(programs[0][0]), "arena", *words, "--concurrency", str(options.cpus)]
    options.output.mkdir(parents=True, exist_ok=True)
    shards = range(1, options.shards + 1)
    complete = {shard: options.output / f"shard-{shard}.jsonl" for shard in shards}
    partial = {shard: path.with_suffix(".part") for shard, path in complete.items()}
    ray.init(address=None if options.address == "local" else options.address, log_to_driver=False)
    task = ray.remote(num_cpus=options.cpus, max_retries=0, num_returns="streaming")(play)
    stored = ray.put(programs)

    def start(shard):
        content = partial[shard].read_bytes() if partial[shard].exists() else b""
        content = content[: content.rfind(b"\n") + 1]
        partial[shard].write_bytes(content)
        return task.remote(stored, [*command, "--shard", f"{shard}/{options.shards}"], content)

    failures = {shard: 0 for shard in shards if not complete[shard].exists()}
    running = {start(shard): shard for shard in failures}
    while running:
        (stream,), _ = ray.wait(list(running))
        shard = running[stream]
        try:
            lines = ray.get(next(stream))
            with partial[shard].open("ab") as file:
                file.write(lines)
            failures[shard] = 0
        except StopIteration:
            del running[stream]
            partial[shard].rename(complete[shard])
            print(f"shard {shard} of {options.shards} is complete", file=sys.stderr)
        except ray.exceptions.RayError as error:
            del running[stream]
            failures[shard] += 1
            print(f"shard {shard} failed: {error}", file=sys.stderr)
            if failures[shard] == MAX_FAILURES:
                return 1
            running[start(shard)] = shard
    sprt = ["--sprt", *options.sprt] if options.sprt else []
    return subprocess.call([options.wabe, "arena", "merge", *complete.values(), *sprt])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
