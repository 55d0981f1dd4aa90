# SPDX-License-Identifier: Apache-2.0
"""Judges what the paper states by the measured data alone.

A judge gets the rows of all figures and returns None if what it needs was not measured. The
statements are in words.toml, under the same keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import synthetic
from cases import FLAT, KERNELS, MOST_WORKERS, MPI, TREE
from goals import Tables, last_doubling, pairs, rows_with, the_row
from style import short

MATCHED, BETTER, NOT = "matched", "better", "not"


@dataclass(frozen=True)
class Finding:
    verdict: str
    ours: str


Judge = Callable[[Tables], Finding | None]


def is_near(number: float, other: float, factor: float) -> bool:
    return other / factor <= number <= other * factor


def percent(part: float) -> str:
    return f"{100 * part:.0f} %"


# ---- costs of a task (figures 7a, 7b, 12a) ----


def judge_task_cost(tables: Tables) -> Finding | None:
    rows = rows_with(tables, "fig7a", spawns_under_way=synthetic.PUBLISHED)
    ahead = the_row(tables, "fig7a", spawns_under_way=synthetic.AHEAD, chip=synthetic.STRONG)
    if not rows or not ahead:
        return None
    pairs = [
        (row[f"{part}_kcycles"], row[f"paper_{part}_kcycles"])
        for row in rows
        for part in ("spawn", "execute")
        if row[f"paper_{part}_kcycles"] is not None
    ]
    is_good = all(is_near(ours, paper, 1.02) for ours, paper in pairs)
    numbers = ", ".join(f"{ours:.1f} K for {paper:.1f} K" for ours, paper in pairs)
    text = f"{numbers}; with {synthetic.AHEAD} spawns under way {ahead['spawn_kcycles']:.1f} K"
    return Finding(MATCHED if is_good else NOT, text)


def knee_judge(figure: str, rule_kcycles: float) -> Judge:
    def judge(tables: Tables) -> Finding | None:
        rows = rows_with(tables, figure, spawns_under_way=synthetic.PUBLISHED)
        found = {
            size: (synthetic.enough_workers(points), size / (1e3 * rule_kcycles))
            for size, points in synthetic.curves(rows).items()
        }
        # Below, the worker that spawns counts for as much as all others.
        pairs = {size: pair for size, pair in found.items() if pair[1] >= 4}
        if not pairs:
            return None
        is_good = all(is_near(ours, rule, 2) for ours, rule in pairs.values())
        text = ", ".join(
            f"{short(size)}: {ours} for {rule:.0f}" for size, (ours, rule) in pairs.items()
        )
        return Finding(MATCHED if is_good else NOT, text)

    return judge


def judge_too_many_workers(tables: Tables) -> Finding | None:
    rows = rows_with(tables, "fig7b", spawns_under_way=synthetic.PUBLISHED)
    losses = [
        1 - points[-1][1] / max(speed_up for _, speed_up in points)
        for points in synthetic.curves(rows).values()
    ]
    if not losses:
        return None
    text = f"with {rows[-1]['workers']} workers at most {percent(max(losses))} below the best"
    return Finding(MATCHED if max(losses) > 0.05 else NOT, text)


# ---- scaling (figure 8) ----


def judge_mpi(tables: Tables) -> Finding | None:
    rows = [row for row in rows_with(tables, "fig8-strong", variant=MPI) if row["workers"] >= 64]
    if not rows:
        return None
    last = {row["kernel"]: row for row in rows}  # of the most ranks
    efficiency = {name: row["speed_up"] / row["workers"] for name, row in last.items()}
    others = [value for name, value in efficiency.items() if name != "barnes_hut_parts"]
    text = ", ".join(
        f"{KERNELS[name].title} {percent(value)}" for name, value in efficiency.items()
    )
    is_good = bool(others) and min(others) >= 0.75
    return Finding(MATCHED if is_good else NOT, f"efficiency with the most ranks: {text}")


def judge_overhead(tables: Tables) -> Finding | None:
    found = sorted(100 * (pair.ratio - 1) for pair in pairs(tables, TREE, MPI))
    if not found:
        return None
    middle = median(found)
    verdict = BETTER if middle < 10 else MATCHED if middle <= 30 else NOT
    return Finding(verdict, f"median {middle:.0f} %, from {found[0]:.0f} to {found[-1]:.0f} %")


def judge_two_levels(tables: Tables) -> Finding | None:
    found = list(pairs(tables, TREE, FLAT))
    if not found:
        return None
    behind = [pair for pair in found if pair.ratio >= 1]
    text = f"ahead in {len(found) - len(behind)} of {len(found)} points"
    if behind:
        text += "; not in " + ", ".join(f"{pair} {pair.ratio - 1:+.1%}" for pair in behind)
    return Finding(NOT if behind else MATCHED, text)


def judge_single_knee(tables: Tables) -> Finding | None:
    best: dict[str, tuple[float, int]] = {}
    for row in rows_with(tables, "fig8-strong", variant=FLAT):
        name = row["kernel"]
        best[name] = max(best.get(name, (0, 0)), (row["speed_up"], row["workers"]))
    if not {"jacobi", "bitonic"} <= best.keys():
        return None
    text = ", ".join(f"{KERNELS[name].title} {workers}" for name, (_, workers) in best.items())
    worst = min(best["jacobi"][1], best["bitonic"][1])
    verdict = MATCHED if is_near(worst, 64, 2) else BETTER if worst > 128 else NOT
    return Finding(verdict, f"fastest with one scheduler at: {text}")


def judge_last_doubling(tables: Tables) -> Finding | None:
    gains = last_doubling(tables)
    if not gains:
        return None
    text = ", ".join(f"{KERNELS[name].title} {gain:.2f}" for name, gain in gains.items())
    verdict = BETTER if min(gains.values()) >= 1.5 else MATCHED
    return Finding(verdict, f"speed-up from 256 to 512 workers: {text}")


def judge_responsive(tables: Tables) -> Finding | None:
    good = {(p.kernel, p.workers) for p in pairs(tables, TREE, MPI) if p.ratio <= 1.3}
    loads = [
        row["scheduler_busy"]
        for row in rows_with(tables, "fig8-strong", variant=TREE)
        if row["scheduler_busy"] is not None and (row["kernel"], row["workers"]) in good
    ]
    if not loads:
        return None
    text = f"up to {percent(max(loads))} busy where at most 30 % slower than MPI"
    return Finding(BETTER if max(loads) > 0.1 else MATCHED, text)


# ---- inside (figures 9 and 10) ----


def judge_bitonic_load(tables: Tables) -> Finding | None:
    row = the_row(tables, "fig9", kernel="bitonic", workers=MOST_WORKERS)
    if not row:
        return None
    busy = row["scheduler_busy"]
    verdict = BETTER if busy < 0.25 else MATCHED if busy <= 0.4 else NOT
    text = f"{percent(busy)}; workers {percent(row['worker_task'])} in tasks"
    return Finding(verdict, text)


def judge_k_means_time(tables: Tables) -> Finding | None:
    few, many = (the_row(tables, "fig9", kernel="k_means", workers=n) for n in (128, MOST_WORKERS))
    if not few or not many:
        return None
    gains = (few["worker_task"] - 0.88, many["worker_task"] - 0.53)
    verdict = BETTER if min(gains) > 0.05 else MATCHED if min(gains) > -0.05 else NOT
    text = "; ".join(
        f"{row['workers']}: {percent(row['worker_task'])}, {percent(row['scheduler_busy'])}"
        for row in (few, many)
    )
    return Finding(verdict, text)


def judge_ray_time(tables: Tables) -> Finding | None:
    few, many = (
        the_row(tables, "fig9", kernel="ray_tracing", workers=n) for n in (4, MOST_WORKERS)
    )
    if not few or not many:
        return None
    rows = rows_with(tables, "fig9", kernel="ray_tracing")
    load = max(row["scheduler_busy"] for row in rows)
    gains = (few["worker_task"] - 0.79, many["worker_task"] - 0.48)
    is_good = min(gains) > -0.05 and load <= 0.08
    verdict = NOT if not is_good else BETTER if min(gains) > 0.05 else MATCHED
    tasks = f"{percent(few['worker_task'])} to {percent(many['worker_task'])}"
    return Finding(verdict, f"workers {tasks}, schedulers at worst {percent(load)}")


def judge_message_bytes(tables: Tables) -> Finding | None:
    paper = {"bitonic": 4 << 20, "k_means": 256 << 10, "ray_tracing": 64 << 10}
    found = {name: the_row(tables, "fig10", kernel=name, workers=MOST_WORKERS) for name in paper}
    if not all(found.values()):
        return None
    ours = {name: row["scheduler_message_bytes"] for name, row in found.items() if row}
    text = ", ".join(f"{KERNELS[name].title} {short(sent)}B" for name, sent in ours.items())
    if all(is_near(ours[name], paper[name], 2) for name in paper):
        return Finding(MATCHED, text)
    is_less = all(ours[name] <= 2 * paper[name] for name in paper)
    return Finding(BETTER if is_less else NOT, text)


def judge_traffic_falls(tables: Tables) -> Finding | None:
    texts, is_good = [], True
    for name in ("bitonic", "k_means", "ray_tracing"):
        rows = rows_with(tables, "fig10", kernel=name)
        if len(rows) < 2 or rows[-1]["workers"] != MOST_WORKERS:
            return None
        data, messages = (
            rows[-1][field] / max(1, rows[0][field])
            for field in ("worker_dma_bytes", "worker_message_bytes")
        )
        # The paper: data falls everywhere, messages rise in bitonic sort alone.
        is_good = is_good and data < 1 and (messages > 1) == (name == "bitonic")
        texts.append(f"{KERNELS[name].title}: data x {data:.2g}, messages x {messages:.2g}")
    return Finding(MATCHED if is_good else NOT, "512 against 4 workers: " + "; ".join(texts))


# ---- locality (figure 11), levels (figure 12b) ----


def judge_best_weight(tables: Tables) -> Finding | None:
    texts, is_good = [], True
    for panel in "abc":
        times = {r["load_percent"]: r["cycles"] for r in rows_with(tables, "fig11", panel=panel)}
        if not {80, 100} <= times.keys():
            return None
        best = min(times, key=lambda weight: times[weight])
        there = min(times[weight] for weight in times if 70 <= weight <= 90)
        is_good = is_good and there <= 1.02 * times[best]
        texts.append(f"{panel}: {best} %, with 70 to 90 % {there / times[best] - 1:+.1%}")
    return Finding(MATCHED if is_good else NOT, "fastest at " + "; ".join(texts))


def judge_load_only(tables: Tables) -> Finding | None:
    times = {r["load_percent"]: r["cycles"] for r in rows_with(tables, "fig11", panel="c")}
    if not {90, 100} <= times.keys():
        return None
    loss = times[100] / times[90] - 1
    verdict = MATCHED if is_near(1 + loss, 1.1, 1.05) else BETTER if loss < 0.05 else NOT
    return Finding(verdict, f"{loss:+.1%} against a weight of 90 %")


def slowdowns(tables: Tables) -> dict[int, float]:
    rows = rows_with(
        tables,
        "fig12b",
        workers=synthetic.DEEPEST,
        region_tasks=synthetic.REGION_TASKS_DRAWN,
    )
    return {row["levels"]: row["slowdown"] for row in rows}


def judge_one_scheduler(tables: Tables) -> Finding | None:
    found = slowdowns(tables)
    if not {1, 2} <= found.keys():
        return None
    is_good = found[1] > 5 * found[2]
    return Finding(MATCHED if is_good else NOT, f"{found[1]:.0f} against {found[2]:.1f}")


def judge_third_level(tables: Tables) -> Finding | None:
    found = slowdowns(tables)
    if not {2, 3} <= found.keys():
        return None
    gain = 1 - found[3] / found[2]
    verdict = BETTER if gain > 0.2 else MATCHED if gain >= 0.1 else NOT
    return Finding(verdict, f"{found[3]:.1f} against {found[2]:.1f}: {percent(gain)} better")


def judge_deeper(tables: Tables) -> Finding | None:
    found = slowdowns(tables)
    if not {3, 4, 5} <= found.keys():
        return None
    is_good = min(found[4], found[5]) > found[3]
    text = ", ".join(f"{levels}: {found[levels]:.1f}" for levels in (3, 4, 5))
    return Finding(MATCHED if is_good else NOT, text)


JUDGES: dict[str, Judge] = {
    "task_cost": judge_task_cost,
    "knee": knee_judge("fig7b", 16.2),
    "too_many_workers": judge_too_many_workers,
    "mpi": judge_mpi,
    "overhead": judge_overhead,
    "two_levels": judge_two_levels,
    "single_knee": judge_single_knee,
    "last_doubling": judge_last_doubling,
    "responsive": judge_responsive,
    "bitonic_load": judge_bitonic_load,
    "k_means_time": judge_k_means_time,
    "ray_time": judge_ray_time,
    "message_bytes": judge_message_bytes,
    "traffic_falls": judge_traffic_falls,
    "best_weight": judge_best_weight,
    "load_only": judge_load_only,
    "weak_knee": knee_judge("fig12a", 37.4),
    "one_scheduler": judge_one_scheduler,
    "third_level": judge_third_level,
    "deeper": judge_deeper,
}
