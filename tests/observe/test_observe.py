# SPDX-License-Identifier: Apache-2.0
"""What --stats, --trace and --graph write: whole programs run, the files are read again.

Usage: test_observe.py MYR KERNEL_TREE KERNEL_FIB RANDOM_REPLAY CHAIN
"""

from __future__ import annotations

import graphlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

EXIT_MISUSE = 70
GRAPH_NODES_MAX = 5000
# Lines of a dot file that say nothing about tasks and edges.
OTHER_LINE = (
    r'//.*|digraph.*|  (node|graph) \[.*|  subgraph "cluster .*'
    r'|    label="spawned by .*";|  labelloc=t;|  }|}'
)
MACHINES = {"serial": 1, "smp:1": 1, "smp:2": 2, "smp:5": 5}
# What the tracks of agents are called.
TREES = {
    "tree:1+2": ["scheduler 0", "worker 0", "worker 1"],
    "tree:1+1x2": ["scheduler 0", "worker 0", "worker 1"],
    "sim:formic-520:2x1": ["scheduler 0", "scheduler 1", "worker 0", "scheduler 2", "worker 1"],
}


@dataclass
class Graph:
    tasks: list[str]
    waits: list[str]
    dependences: list[tuple[str, str]]
    parents: list[tuple[str, str]]  # parent and one of its children
    remark: str


def read_dot(text: str) -> Graph:
    """Reads what this program writes: any other line is an error."""
    graph = Graph([], [], [], [], "")
    for line in text.splitlines():
        if match := re.fullmatch(r'    "([^"]+)" \[label="[^"]+"(, shape=diamond)?\];', line):
            (graph.waits if match[2] else graph.tasks).append(match[1])
        elif match := re.fullmatch(r'  "([^"]+)" -> "([^"]+)";', line):
            graph.dependences.append((match[1], match[2]))
        elif match := re.fullmatch(r'  "([^"]+)" -> "([^"]+)" \[style=dotted, .*\];', line):
            graph.parents.append((match[1], match[2]))
        elif match := re.fullmatch(r'  label="(the first .*)";', line):
            graph.remark = match[1]
        elif not re.fullmatch(OTHER_LINE, line):
            raise AssertionError(f"not understood: {line}")
    return graph


class Observe(unittest.TestCase):
    myr: str
    tree: list[str]
    fib: list[str]
    steps: list[str]
    chain: list[str]

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_myr(self, *words: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MYR_")}
        return subprocess.run(
            [self.myr, "run", *words],
            env=clean,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def observe(self, *words: str) -> int:
        """Runs a program with --stats. Returns how many tasks it says it ran."""
        result = self.run_myr("--stats", *words)
        self.assertEqual(result.returncode, 0, result)
        self.stderr = result.stderr
        match = re.search(r"^  tasks run(?: +\d+){3} +(\d+)", result.stderr, re.MULTILINE)
        self.assertIsNotNone(match, result.stderr)
        return int(match[1])

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()

    def check_boxes(self, boxes: list[dict]) -> None:
        """Boxes of one worker are apart or one inside another, all within main's if it is there."""
        open_ends: list[int] = []
        for box in boxes:  # in the order of their begins
            begin, end = (round(1000 * time) for time in (box["ts"], box["ts"] + box["dur"]))
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            self.assertTrue(not open_ends or end <= open_ends[-1], box)
            open_ends.append(end)

    def test_json_timeline(self) -> None:
        for machine, workers in MACHINES.items():
            for program in (self.tree, self.fib):
                with self.subTest(machine=machine, program=program):
                    ran = self.observe("--on", machine, "--trace", "t.json", *program)
                    trace = json.loads(self.text("t.json"))
                    self.assertEqual(trace["otherData"]["dropped_events"], 0)
                    events = trace["traceEvents"]
                    tasks = [e for e in events if e.get("cat") == "task"]
                    self.assertEqual(len({e["args"]["task"] for e in tasks}), ran)
                    self.check_pieces(tasks)
                    names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
                    self.assertEqual(names, [f"worker {i}" for i in range(workers)])
                    for worker in range(workers):
                        boxes = [e for e in events if e["ph"] == "X" and e["tid"] == worker]
                        self.check_boxes([e for e in boxes if e["cat"] != "idle"])

    def test_timelines_of_agents(self) -> None:
        for machine, tracks in TREES.items():
            for program in (self.tree, self.fib):
                with self.subTest(machine=machine, program=program):
                    ran = self.observe("--on", machine, "--trace", "t.json", *program)
                    events = json.loads(self.text("t.json"))["traceEvents"]
                    names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
                    self.assertEqual(names, tracks)
                    # A task that waits has a box before and one behind each wait.
                    ids = {e["args"]["task"] for e in events if e.get("cat") == "task"}
                    self.assertEqual(len(ids), ran)
                    for track in range(len(tracks)):
                        boxes = [e for e in events if e["ph"] == "X" and e["tid"] == track]
                        self.check_boxes([e for e in boxes if e["cat"] in ("task", "main")])
                        self.check_boxes([e for e in boxes if e["cat"] in ("scheduler", "idle")])
                    self.observe("--on", machine, "--trace", "t.prv", *program)
                    head, *lines = self.text("t.prv").splitlines()
                    places = self.text("t.pcf").split("VALUES\n")[1].split("\n\n")[0]
                    end = int(head.split("):")[1].split("_ns")[0])
                    self.check_records(lines, end, len(places.splitlines()))

    def stats_of(self, *words: str) -> str:
        """What --stats --json prints. AddressSanitizer may warn of fibers before."""
        lines = self.run_myr("--stats", "--json", *words).stderr.splitlines()
        return next(line for line in lines if line.startswith("{"))

    def test_stats_as_json(self) -> None:
        for machine in (*MACHINES, *TREES):
            with self.subTest(machine=machine):
                stats = json.loads(self.stats_of("--on", machine, *self.fib))
                unit = "cycles" if machine.startswith("sim") else "ns"
                self.assertEqual(stats["machine"], machine)
                workers = [agent for agent in stats["agents"] if agent["kind"] == "worker"]
                self.assertEqual(sum(agent["tasks"] for agent in workers), 176)
                self.assertIn(unit, stats)
                if unit == "ns":
                    continue
                for agent in stats["agents"]:
                    parts = ("task", "runtime", "memory", "wait", "idle")
                    spent = sum(agent[f"{part}_cycles"] for part in parts)
                    # A little happens behind the end of main.
                    self.assertGreaterEqual(spent, stats["cycles"], agent)

    def test_stats_by_line(self) -> None:
        for machine in ("serial", "smp:1", "smp:2", "tree:1+2", "master:1+2"):
            with self.subTest(machine=machine):
                stats = json.loads(self.stats_of("--on", machine, *self.fib))
                self.assertEqual(sum(line["tasks"] for line in stats["lines"]), 176)
                places = {line["place"] for line in stats["lines"]}
                self.assertEqual(len(places), 2, places)
                for line in stats["lines"]:
                    self.assertRegex(line["place"], r"^fib \(tasks\.cpp:\d+\)$")
                    self.assertLessEqual(line["longest_ns"], line["ns"])
                spent = stats["main_ns"] + sum(line["ns"] for line in stats["lines"])
                workers = [agent for agent in stats["agents"] if agent["kind"] == "worker"]
                in_tasks = sum(agent["task_ns"] for agent in workers)
                self.assertLess(abs(spent - in_tasks), 0.01 * in_tasks + 1000)
                self.assertTrue(stats["verdicts"])

    def test_the_table_says_what_would_help(self) -> None:
        tiny = [self.fib[0], "--size", "20", "--task", "0", "--repeat", "1"]
        said = self.run_myr("--stats", "--on", "smp:1", *tiny).stderr
        self.assertRegex(said, r"(?m)^ tasks spawned at +tasks +total, ms +share")
        self.assertRegex(said, r"(?m)^  fib \(tasks\.cpp:\d+\) +\d+ ")
        self.assertRegex(said, r"a task costs [\d.]+ us in the runtime, .* as fast\.")
        # Each of these tasks waits for the one before, and there are three workers.
        said = self.run_myr("--stats", "--on", "smp:3", *self.chain).stderr
        self.assertRegex(said, r"(?m)^ idle while main +total, ms")
        where = r"(waited at|ran tasks spawned at) main \(chain\.cpp:\d+\): the tasks that are"
        self.assertRegex(said, rf"idle, \d+ % of that while main {where}")

    def test_a_worker_of_a_tree_keeps_what_its_tasks_spawn(self) -> None:
        for machine in ("tree:1+1", "tree:1+1x2"):
            with self.subTest(machine=machine):
                stats = json.loads(self.stats_of("--on", machine, *self.fib))
                taken = [a["messages"] for a in stats["agents"] if a["kind"] == "scheduler"]
                self.assertLess(sum(taken), 176 / 2)  # each spread task takes two at least

    def test_a_recursion_is_spread_as_far_as_there_is_time_for_it(self) -> None:
        """240,000 tasks of one function: to spread one costs ten times what it does."""
        fib = [self.fib[0], "--size", "25", "--task", "0", "--repeat", "1"]
        stats = json.loads(self.stats_of("--on", "tree:3+4", *fib))
        taken = [a["messages"] for a in stats["agents"] if a["kind"] == "worker"]
        spread_per_ms = 3 if len(os.sched_getaffinity(0)) < 3 + 4 else 50
        milliseconds = stats["ns"] / 1e6
        # About three messages for each; main spreads what it wants.
        self.assertLess(sum(taken), 3 * 4 * (spread_per_ms * milliseconds + 16))

    def test_steps_are_replayed(self) -> None:
        for machine in ("smp:2", "tree:1+2", "tree:3+4", "sim:formic-520:3+9"):
            with self.subTest(machine=machine):
                stats = json.loads(self.stats_of("--on", machine, *self.steps))
                replayed = [a["replayed"] for a in stats["agents"] if a["kind"] == "worker"]
                self.assertGreater(sum(replayed), 1000)

    def test_a_simulated_chip_does_the_same_to_the_cycle(self) -> None:
        def stats() -> str:
            return self.stats_of("--on", "sim:formic-520:3+9", *self.tree)

        self.assertIn('"cycles"', stats())
        self.assertEqual(stats(), stats())

    def test_paraver_timeline(self) -> None:
        for machine, workers in MACHINES.items():
            with self.subTest(machine=machine):
                self.observe("--on", machine, "--trace", "t.prv", *self.fib)
                head, *lines = self.text("t.prv").splitlines()
                match = re.fullmatch(r"#Paraver \([^)]*\):(\d+)_ns:1\((\d+)\):1:1\((\d+):1\)", head)
                self.assertIsNotNone(match, head)
                end, *counts = map(int, match.groups())
                self.assertEqual(counts, [workers, workers])
                places = self.text("t.pcf").split("VALUES\n")[1].split("\n\n")[0].splitlines()
                self.check_records(lines, end, len(places))
                self.assertIn(f"LEVEL THREAD SIZE {workers}\nworker 0\n", self.text("t.row"))

    def check_records(self, lines: list[str], end: int, place_count: int) -> None:
        now = 0
        busy_until: dict[int, int] = {}
        running: dict[int, int] = {}
        for line in lines:
            self.assertRegex(
                line, r"1:(\d+):1:1:\1:\d+:\d+:[0-5]|2:(\d+):1:1:\2:\d+:900000[12]:\d+"
            )
            kind, worker, _, _, _, time, second, value = map(int, line.split(":"))
            self.assertLessEqual(now, time)
            now = time
            if kind == 1:
                self.assertLessEqual(busy_until.get(worker, 0), time, line)
                self.assertTrue(time < second <= end, line)
                busy_until[worker] = second
            elif second == 9000001:
                self.assertLess(value, place_count)
                running[worker] = value
        self.assertEqual(set(running.values()), {0})

    def test_graph(self) -> None:
        for machine in ("smp:1", "smp:2", "smp:5"):
            for program in (self.tree, self.fib):
                with self.subTest(machine=machine, program=program):
                    ran = self.observe("--on", machine, "--trace", "t.json", "--graph", "g.dot",
                                       *program)  # fmt: skip
                    graph = read_dot(self.text("g.dot"))
                    events = json.loads(self.text("t.json"))["traceEvents"]
                    ids = [e["args"]["task"] for e in events if e.get("cat") == "task"]
                    # A task that waited may go on in a further piece.
                    self.assertEqual(sorted(graph.tasks), sorted(set(ids)))
                    self.check_pieces([e for e in events if e.get("cat") == "task"])
                    self.assertEqual(len(set(graph.tasks)), ran)
                    self.assertEqual(graph.remark, "")
                    self.check_edges(graph)

    def check_pieces(self, events: list[dict]) -> None:
        """The pieces of a task are one after the other, on one worker."""
        pieces: dict[str, list[dict]] = {}
        for event in events:
            pieces.setdefault(event["args"]["task"], []).append(event)
        for task, parts in pieces.items():
            self.assertEqual(len({part["tid"] for part in parts}), 1, task)
            parts.sort(key=lambda part: part["ts"])
            for first, second in zip(parts, parts[1:]):
                self.assertLessEqual(first["ts"] + first["dur"], second["ts"] + 0.001, task)

    def check_edges(self, graph: Graph) -> None:
        nodes = {*graph.tasks, *graph.waits}
        sorter = graphlib.TopologicalSorter()
        for before, after in graph.dependences + graph.parents:
            self.assertLessEqual({before, after}, nodes)
            sorter.add(after, before)
        sorter.prepare()  # raises if there is a cycle
        self.assertEqual(len(set(graph.dependences)), len(graph.dependences))

    def test_graph_of_tree_and_fib(self) -> None:
        self.observe("--on", "smp:2", "--graph", "g.dot", *self.tree)
        graph = read_dot(self.text("g.dot"))
        # Each of main's three tasks writes what the next one uses; the end waits for the last two.
        for edge in (("0.0", "0.1"), ("0.1", "0.2")):
            self.assertIn(edge, graph.dependences)
        self.observe("--on", "smp:2", "--graph", "g.dot", *self.fib)
        graph = read_dot(self.text("g.dot"))
        # Each call waits for its two children.
        self.assertEqual(len(graph.waits), len(graph.tasks) // 2)
        self.assertEqual(len(graph.dependences), len(graph.tasks))

    def test_a_large_graph_is_cut_with_a_remark(self) -> None:
        ran = self.observe("--on", "smp:2", "--graph", "g.dot", self.fib[0],
                           "--size", "20", "--repeat", "1")  # fmt: skip
        total = ran + ran // 2
        graph = read_dot(self.text("g.dot"))
        self.assertEqual(len(graph.tasks) + len(graph.waits), GRAPH_NODES_MAX)
        self.assertEqual(graph.remark, f"the first {GRAPH_NODES_MAX} of {total} tasks and waits")
        self.assertIn(f"myrmidon: g.dot: only the first {GRAPH_NODES_MAX} of {total}", self.stderr)
        self.check_edges(graph)

    def refused(self, message: str, *words: str) -> None:
        result = self.run_myr(*words, *self.tree)
        self.assertEqual(result.returncode, EXIT_MISUSE, result)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stdout, "", "the program ran")

    def test_files_that_cannot_be_written_are_refused_before_the_program_runs(self) -> None:
        self.refused("MYR_TRACE: t.txt ends neither in .json", "--trace", "t.txt")
        self.refused("MYR_TRACE: cannot write no/t.json: No such file", "--trace", "no/t.json")
        self.refused("MYR_TRACE: cannot write no/t.prv: No such file", "--trace", "no/t.prv")
        self.refused("MYR_GRAPH: cannot write no/g.dot: No such file", "--graph", "no/g.dot")
        (self.folder / "t.row").mkdir()
        self.refused("MYR_TRACE: cannot write t.row: Is a directory", "--trace", "t.prv")

    def test_only_smp_has_a_graph(self) -> None:
        for machine in ("serial", "tree:1+1", "sim:formic-520:1+1"):
            self.refused(f"MYR_GRAPH: the machine '{machine}'", "--on", machine, "--graph", "g.dot")

    def test_a_full_disk_is_reported(self) -> None:
        (self.folder / "t.json").symlink_to("/dev/full")
        self.observe("--trace", "t.json", *self.tree)
        self.assertIn("myrmidon: cannot write t.json: No space left on device", self.stderr)


if __name__ == "__main__":
    Observe.myr, tree, fib, steps, chain = (str(Path(path).resolve()) for path in sys.argv[1:6])
    del sys.argv[1:6]
    Observe.chain = [chain]
    Observe.tree = [tree, "--size", "8", "--task", "5", "--repeat", "1"]
    Observe.fib = [fib, "--size", "10", "--repeat", "1"]
    Observe.steps = [steps, "1", "30"]
    unittest.main()
