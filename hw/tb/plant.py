# SPDX-License-Identifier: Apache-2.0
"""Plants bugs in copies of the RTL, one at a time, and checks that a bench finds each.

Usage: python3 hw/tb/plant.py BUILD [--quick]    BUILD: a build with the benches, e.g. build/release

A bug is one line changed as people get it wrong. The bench is linked with the changed model; it
must fail. Status 1 if a bug is not found, or if its line is not in the RTL any more.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HW = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Bug:
    """What is changed where, and the model and the bench that must notice."""

    text: str
    file: str
    old: str
    new: str
    bench: str
    quick: bool = False
    folder: str = "rtl"

    @property
    def model(self) -> str:
        """Benches of something whole have one model, the others one for each block."""
        whole = {"tracker": "tracker", "system": "system", "nested": "system"}
        whole |= {"managers": "system16", "hwse": "hwse", "cluster": "fabric"}
        return whole.get(self.bench) or MODELS[self.file]


MODELS = {
    "fifo.sv": "fifo",
    "round_robin_arbiter.sv": "round_robin_arbiter",
    "id_pool.sv": "id_pool",
    "crossing_from_tracker.sv": "crossing_from_tracker",
    "work_fetch_arbiter.sv": "work_fetch_arbiter",
    "dependence_memory.sv": "dependence_memory",
    "zero_padder.sv": "zero_padder",
    "guided_arbiter.sv": "submission_handler",
    "submission_handler.sv": "submission_handler",
    "picos_delegate.sv": "picos_delegate",
}

BUGS = (
    Bug(
        "a reader does not wait for the writer",
        "tracker_engine.sv",
        "met                 = !version.writer_runs;",
        "met = 1'b1;",
        "tracker",
        quick=True,
    ),
    Bug(
        "a list of readers forgets all but the last",
        "tracker_engine.sv",
        "slot_new.followed        = version.listed;",
        "slot_new.followed = 1'b0;",
        "tracker",
    ),
    Bug(
        "a writer that retires ends the version though readers are left",
        "tracker_engine.sv",
        "release_writes_q ? version.readers == '0 :",
        "release_writes_q ? 1'b1 :",
        "tracker",
    ),
    Bug(
        "a null pointer is a dependence like others",
        "tracker_engine.sv",
        "step_valid_i && step_name_i == '0)",
        "step_valid_i && step_name_i == '1)",
        "tracker",
    ),
    Bug(
        "a range is its first block alone",
        "packet_decoder.sv",
        "assign range_goes_on  = !is_head && block_q != more",
        "assign range_goes_on  = 1'b0 && block_q != more",
        "tracker",
    ),
    Bug(
        "a version that is used again still has a follower",
        "tracker_engine.sv",
        "assign chain_write = supersede || insert ||",
        "assign chain_write = supersede ||",
        "tracker",
    ),
    Bug(
        "a task that reads and then writes stays in the list of readers",
        "tracker_engine.sv",
        "version_new.listed       = slot.followed;",
        "version_new.listed = 1'b1;",
        "tracker",
    ),
    Bug(
        "the tasks of two cores are interleaved",
        "guided_arbiter.sv",
        "(out_valid_o && out_ready_i && out_last_o)",
        "(out_valid_o && out_ready_i)",
        "packets",
    ),
    Bug(
        "half of an address is not compared",
        "dependence_memory.sv",
        "address[set] == address_i;",
        "address[set][63:32] == address_i[63:32];",
        "packets",
    ),
    Bug(
        "a task is padded to 45 packets",
        "zero_padder.sv",
        "4'(picos_pkg::TriplesPerTask - 1)",
        "4'(picos_pkg::TriplesPerTask - 2)",
        "packets",
    ),
    Bug(
        "a request is granted with room for one triple less",
        "submission_handler.sv",
        "order_ready && room_q >= RoomWidth'(triples)",
        "order_ready && room_q + 1'b1 >= RoomWidth'(triples)",
        "packets",
    ),
    Bug(
        "a sure request is granted though tasks stand in front",
        "manager_hub.sv",
        "sure_o = pending_q == '0 && tracker_room_i",
        "sure_o = tracker_room_i",
        "nested",
    ),
    Bug(
        "a ready task goes to a manager of which no core asked for it",
        "manager_hub.sv",
        "if (fetch_turn_valid) ready_empty_o[fetch_turn] = tracker_ready_empty_i;",
        "if (fetch_turn_valid || ready_q == '0) ready_empty_o[fetch_turn] = tracker_ready_empty_i;",
        "managers",
    ),
    Bug(
        "two managers' tasks are interleaved",
        "manager_hub.sv",
        "assign submit_done = tracker_submit_write_o && packet_q == LastPacket;",
        "assign submit_done = tracker_submit_write_o;",
        "managers",
    ),
    Bug(
        "of a cycle's requests only one a manager is remembered",
        "request_order.sv",
        "asked != served + 1'b1;",
        "1'b0;",
        "managers",
    ),
    Bug(
        "a full queue takes one more",
        "fifo.sv",
        "assign in_ready_o  = count_q != CountWidth'(Depth);",
        "assign in_ready_o = 1'b1;",
        "queues",
        quick=True,
    ),
    Bug(
        "the arbiter always prefers the lowest",
        "round_robin_arbiter.sv",
        "after_last_q <= ~(grant | (grant - 1'b1));",
        "after_last_q <= '0;",
        "queues",
    ),
    Bug(
        "an id that comes back while another is taken is lost",
        "id_pool.sv",
        "if (give_i) given_back",
        "if (give_i && !take_i) given_back",
        "queues",
    ),
    Bug(
        "a word more is read than there is room for",
        "crossing_from_tracker.sv",
        "assign read_o = !empty_i && room_q != '0;",
        "assign read_o = !empty_i;",
        "queues",
    ),
    Bug(
        "a core is granted more tasks than its queue holds",
        "work_fetch_arbiter.sv",
        "order_ready && owed_q != OwedWidth'(ReadyDepth);",
        "order_ready;",
        "queues",
    ),
    Bug(
        "a task's number can be fetched before its name",
        "picos_delegate.sv",
        "ready_valid_i && name_fetched_q;",
        "ready_valid_i;",
        "delegate",
    ),
    Bug(
        "a step of zero is kept, so that a loop never ends",
        "shares.sv",
        "data_i == '0 ? Width'(1) : data_i[Width-1] ?",
        "data_i[Width-1] ?",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a thread two work-shares ahead joins the old one",
        "primitives.sv",
        "share_busy_i && share_generation_i == context_i.turn[1]",
        "share_busy_i && share_generation_i == context_i.turn[0]",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "the last thread of a team but one frees the work-share",
        "shares.sv",
        "assign last  = gone + 1'b1 == size_i;",
        "assign last = gone + 5'd2 == size_i;",
        "hwse",
        quick=True,
        folder="hwse/rtl",
    ),
    Bug(
        "a static loop forgets that threads are at different chunks",
        "chunk.sv",
        "fresh_i ? rank_i : size_i - 1'b1",
        "fresh_i ? rank_i : size_i",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a chunk goes beyond the end",
        "chunk.sv",
        "assign amount = grain > left ? left : grain;",
        "assign amount = grain;",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a guided chunk ignores the team's size",
        "chunk.sv",
        "assign share  = left >> shift;",
        "assign share = left >> (shift >> 1);",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a loop that counts down starts at its end",
        "chunk.sv",
        "assign left_all  = last - next;",
        "assign left_all  = down_i ? end_i - next_i : last - next;",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "the barrier opens with the last but one",
        "teams.sv",
        "assign last_o    = arrived_q[index] + 1'b1 == size_o;",
        "assign last_o = arrived_q[index] + 5'd2 == size_o;",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "who waits at the barrier is let go by the next one",
        "primitives.sv",
        "32'(team_phase_i != context_i.phase)",
        "32'(team_phase_i == context_i.phase)",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a bin is given that is smaller than it should be",
        "shares.sv",
        ".whole_i   (is_heap)",
        ".whole_i   (1'b0)",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a word is taken from the queue with a bin that was never used",
        "primitives.sv",
        "            answer_o    = share_start_i;\n          end else if (queue",
        "            answer_o = share_start_i; queue_pop_o = 1'b1;\n          end else if (queue",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a queue without a heap gives the iterations of a loop",
        "primitives.sv",
        "end else if (has_heap && !share_over_i) begin",
        "end else if (!share_over_i) begin",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a refused word counts as taken",
        "primitives.sv",
        "taken_o = queue_has_room_i;",
        "taken_o = queue_has_room_i || queue_has_word_i;",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a counter wraps",
        "counters.sv",
        "value_o == '1 ? value_o : value_o + 1'b1",
        "value_o + 1'b1",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "an answer goes to the core that is served next",
        "hwse_engine.sv",
        "valid_q && 32'(request_q.core) == i",
        "valid_q && 32'(granted.core) == i",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a queue's word comes back without the bits that all have",
        "hwse_engine.sv",
        "WordBase | 32'(queue_words",
        "32'(queue_words",
        "hwse",
        folder="hwse/rtl",
    ),
    Bug(
        "a read is broadcast to those who read another word of the bank",
        "l1_bank.sv",
        "row_i[i*RowWidth+:RowWidth] == row",
        "row[0] == row_i[i*RowWidth]",
        "cluster",
        folder="hwse/cluster/rtl",
    ),
    Bug(
        "test-and-set is broadcast, so two may have the lock",
        "l1_bank.sv",
        "if (valid_i[i] && !write_i[i] && !set_i[i] && !write && !test_and_set &&",
        "if (valid_i[i] && !write_i[i] && !write &&",
        "cluster",
        quick=True,
        folder="hwse/cluster/rtl",
    ),
    Bug(
        "an access overtakes an earlier one to another target",
        "data_router.sv",
        "assign allowed = waiting == '0 ||",
        "assign allowed = waiting != Most ||",
        "cluster",
        folder="hwse/cluster/rtl",
    ),
    Bug(
        "a cache line is taken for another of the same index",
        "instruction_cache.sv",
        "tags[index] == address_q[31:TagLow]",
        "tags[index] <= address_q[31:TagLow]",
        "cluster",
        folder="hwse/cluster/rtl",
    ),
    Bug(
        "the DMA engine goes on before what it wrote has come",
        "dma.sv",
        "assign last  = busy && come_q + comes == Burst;",
        "assign last = busy && asked_q == Burst;",
        "cluster",
        folder="hwse/cluster/rtl",
    ),
    Bug(
        "an answer from outside goes to the next tag",
        "cluster_fabric.sv",
        "back_valid_i && 32'(back_tag_i) == i;",
        "back_valid_i && 32'(back_tag_i) == (i ^ 1);",
        "cluster",
        folder="hwse/cluster/rtl",
    ),
)


def output_of(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def link_command(build: Path, bench: str) -> list[str]:
    """How the build links a bench."""
    target = f"bin/myr_hw_{bench}_test"
    last = output_of(["ninja", "-C", str(build), "-t", "commands", "-s", target]).splitlines()[-1]
    command = last.removeprefix(": && ").removesuffix(" && :")
    return shlex.split(command)


def plant(bug: Bug, build: Path, folder: Path) -> str:
    """Builds the bench with the bug and runs it. Returns what went wrong, "" if it is found."""
    for rtl in ("rtl", "hwse/rtl", "hwse/cluster/rtl"):
        shutil.copytree(HW / rtl, folder / "hw" / rtl)
    file = folder / "hw" / bug.folder / bug.file
    source = file.read_text()
    if source.count(bug.old) != 1:
        return f"{bug.file} does not have the line `{bug.old}` once"
    file.write_text(source.replace(bug.old, bug.new))

    # The model as the build makes it, but of the changed RTL, and in place of its own.
    name = bug.model
    rules = output_of(["ninja", "-C", str(build), "-t", "commands", f"hw/models/{name}.cpp"])
    make = shlex.split(rules.splitlines()[-1].split(" && ")[-1])
    models = str(build.resolve() / "hw" / "models")
    make = [str(folder / "hw") if word == str(HW) else word for word in make]
    make = [str(folder) if word == models else word for word in make]
    include = output_of(["verilator", "--getenv", "VERILATOR_ROOT"]).strip() + "/include"
    changed = str(folder / f"{name}.o")
    compile_model = ["g++", "-O1", "-std=c++20", "-fPIC", "-I", include, "-c"]
    compile_model += [str(folder / f"{name}.cpp"), "-o", changed]
    link = link_command(build, bug.bench)
    link = [changed if word.endswith(f"libhw_{name}.a") else word for word in link]
    program = str(folder / "bench")
    link[link.index("-o") + 1] = program
    for command in (make, compile_model, link):
        run = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return f"cannot be built:\n{run.stdout[-2000:]}{run.stderr[-2000:]}"
    try:
        run = subprocess.run([program], capture_output=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return ""  # it hangs, which a bench's time limit finds
    return "" if run.returncode != 0 else f"{bug.bench}_test did not find it"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--quick", action="store_true", help="two of the bugs")
    arguments = parser.parse_args()
    missed = 0
    for bug in BUGS:
        if arguments.quick and not bug.quick:
            continue
        with tempfile.TemporaryDirectory() as folder:
            problem = plant(bug, arguments.build.resolve(), Path(folder))
        missed += 1 if problem else 0
        print(f"{bug.file}: {bug.text}: {problem or 'found'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
