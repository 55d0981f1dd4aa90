# SPDX-License-Identifier: Apache-2.0
"""What the figures are drawn from: cycles of the paper's programs on the simulated system.

Results are kept under the hashes of hardware, firmware and input, so what was measured once is not
simulated again, and a run that was broken off goes on where it was.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import inputs

import build
import simulation

CORES = 8
RUNTIMES = ("phentos", "nanos_rv", "nanos_sw")
OVERHEAD_CASES = (("task_free", 1), ("task_free", 15), ("task_chain", 1), ("task_chain", 15))
BOUND_CASE = ("task_chain", 1)  # that of figures 6 and 10
# Enough that the start does not count: the tracker holds 256. The baselines' tasks cost so much
# more that fewer are enough.
OVERHEAD_TASKS = {"phentos": 600, "nanos_rv": 60, "nanos_sw": 60}
# With sixteen cores, and two managers, beside eight. Tasks that do nothing, and a kernel.
SIXTEEN = 16
SIXTEEN_TASKS = 300
SIXTEEN_KERNEL = build.Input("black_scholes", 512, 8)


@dataclass
class Measured:
    """Cycles: of a task that does nothing, by runtime and case; of inputs, by runtime."""

    overhead: dict[str, dict[tuple[str, int], int]] = field(default_factory=dict)
    cycles: dict[inputs.Case, dict[str, int]] = field(default_factory=dict)

    def speedup(self, case: inputs.Case, runtime: str, over: str = "serial") -> float | None:
        """None: one of the two was not measured."""
        cycles = self.cycles.get(case, {})
        if runtime not in cycles or over not in cycles:
            return None
        return cycles[over] / cycles[runtime]

    def task_cycles(self, case: inputs.Case) -> float:
        return self.cycles[case]["serial"] / case.tasks

    def bound(self, runtime: str, task_cycles: float) -> float:
        """Equation 1 of the paper, and no more than the cores."""
        return min(CORES, task_cycles / self.overhead[runtime][BOUND_CASE])

    def cases(self, *runtimes: str) -> list[inputs.Case]:
        """Those that all of them ran."""
        return [case for case, cycles in self.cycles.items() if cycles.keys() >= set(runtimes)]


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def overhead_run(runtime: str, case: tuple[str, int]) -> simulation.Run:
    kernel, deps = case
    return simulation.Run(
        build.Input(kernel, OVERHEAD_TASKS[runtime], 0, deps=deps), runtime, CORES
    )


def measure_sixteen(processes: int) -> dict[str, dict[int, float]]:
    """By what it is and cores: cycles of a task that does nothing, and speed-ups of the kernel."""
    what = {
        f"{kernel}, {deps}": build.Input(kernel, SIXTEEN_TASKS, 0, deps=deps)
        for kernel, deps in OVERHEAD_CASES
    }
    what["speed-up of blackscholes 4K B8*"] = SIXTEEN_KERNEL
    runs = {
        (name, cores): simulation.Run(one, "phentos", cores)
        for name, one in what.items()
        for cores in (CORES, SIXTEEN)
    }
    serial = simulation.Run(SIXTEEN_KERNEL, "serial", 1)
    results = dict(simulation.simulate_all([*runs.values(), serial], processes))
    table: dict[str, dict[int, float]] = {}
    for (name, cores), run in runs.items():
        cycles = results[run].cycles
        is_kernel = run.what == SIXTEEN_KERNEL
        value = results[serial].cycles / cycles if is_kernel else cycles / SIXTEEN_TASKS
        table.setdefault(name, {})[cores] = value
    return table


def runtimes_of(case: inputs.Case, runtimes: list[str]) -> list[str]:
    return [runtime for runtime in runtimes if runtime == "phentos" or case.baselines]


def case_run(case: inputs.Case, runtime: str) -> simulation.Run:
    """Programs without tasks run on the system with one core, which simulates faster: the others
    would sleep."""
    return simulation.Run(case.what, runtime, 1 if runtime == "serial" else CORES)


def measure(runtimes: list[str], processes: int, only_overhead: bool) -> Measured:
    """Raises simulation.Wrong if a result is not the host's."""
    wanted = [overhead_run(runtime, case) for runtime in runtimes for case in OVERHEAD_CASES]
    if not only_overhead:
        wanted += [case_run(case, "serial") for case in inputs.CASES]
        for case in inputs.CASES:
            wanted += [case_run(case, runtime) for runtime in runtimes_of(case, runtimes)]
        build.simulator(1)
    build.simulator(CORES)
    results: dict[simulation.Run, int] = {}
    start = time.monotonic()
    for run, result in simulation.simulate_all(wanted, processes):
        results[run] = result.cycles
        minutes = (time.monotonic() - start) / 60
        print(f"[{len(results)}/{len(wanted)}, {minutes:.0f} min] {run}: {result.cycles} cycles",
              file=sys.stderr, flush=True)  # fmt: skip
    measured = Measured()
    for runtime in runtimes:
        measured.overhead[runtime] = {
            case: round(results[overhead_run(runtime, case)] / OVERHEAD_TASKS[runtime])
            for case in OVERHEAD_CASES
        }
    if not only_overhead:
        for case in inputs.CASES:
            measured.cycles[case] = {
                runtime: results[case_run(case, runtime)]
                for runtime in ("serial", *runtimes_of(case, runtimes))
            }
    return measured
