# SPDX-License-Identifier: Apache-2.0
"""Jobs on two computers, as far as one can be two: each has its own network, name and shared
memory, and only a cable joins them. Needs root and iproute2.

Usage: computers.py BUILD_FOLDER
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NETWORK = "10.213.77."
NAMES = ("left", "right")
PRINTS = {
    "example_tree": "65519 below the left child, 131054 in all\n",
    "example_heat": "34388.312\n",
}
RUN_S = 300


class Computer:
    """Lives as long as its holder, a process that does nothing else."""

    def __init__(self, index: int, folder: Path) -> None:
        self.name = NAMES[index]
        self.address = f"{NETWORK}{index + 1}"
        words = ["unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-c",
                 "echo ready; exec sleep infinity"]  # fmt: skip
        self.holder = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout is not None
        self.holder.stdout.readline()
        self.run("hostname", self.name)
        self.run("mount", "-t", "tmpfs", "tmpfs", "/dev/shm")
        self.run("mount", "-t", "sysfs", "sysfs", "/sys")  # names the network's devices
        self.run("mount", "--bind", str(folder / "hosts"), "/etc/hosts")
        self.run("ip", "link", "set", "lo", "up")

    def enter(self) -> list[str]:
        """The words before those of a command, with which it runs there."""
        return ["nsenter", "-t", str(self.holder.pid), "--net", "--uts", "--ipc", "--mount"]

    def run(self, *words: str) -> None:
        subprocess.run([*self.enter(), *words], check=True)

    def plug_in(self, cable: str) -> None:
        run("ip", "link", "set", cable, "netns", str(self.holder.pid))
        self.run("ip", "link", "set", cable, "name", "cable")
        self.run("ip", "address", "add", f"{self.address}/24", "dev", "cable")
        self.run("ip", "link", "set", "cable", "up")

    def end(self) -> None:
        self.holder.kill()
        self.holder.communicate()


def run(*words: str) -> None:
    subprocess.run(words, check=True)


class Computers(unittest.TestCase):
    build: Path
    computers: list[Computer]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = Path(folder.name)
        lines = [f"{NETWORK}{index + 1} {name}" for index, name in enumerate(NAMES)]
        (path / "hosts").write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))
        cls.computers = []
        for index in range(len(NAMES)):
            cls.computers.append(Computer(index, path))
            cls.addClassCleanup(cls.computers[-1].end)
        cables = [f"myr{os.getpid()}{side}" for side in "lr"]
        run("ip", "link", "add", cables[0], "type", "veth", "peer", "name", cables[1])
        for computer, cable in zip(cls.computers, cables, strict=True):
            computer.plug_in(cable)
        # What launchers take for ssh: the name of a computer, then the command.
        cls.ssh = path / "ssh"
        cases = [f'{one.name}) exec {" ".join(one.enter())} sh -c "$*" ;;' for one in cls.computers]
        skip = 'while [ "${1#-}" != "$1" ]; do shift; done'  # options
        choice = "\n".join(["case $name in", *cases, "esac"])
        cls.ssh.write_text(f"#!/bin/sh\n{skip}\nname=$1\nshift\n{choice}\n")
        cls.ssh.chmod(0o755)

    def launch(self, mpi: str, shape: str, program: str) -> subprocess.CompletedProcess[str]:
        if mpi == "openmpi":
            words = ["mpirun.openmpi", "--quiet", "--oversubscribe", "--bind-to", "none",
                     "-x", "MYR_ON", "--host", "left:8,right:8", "--map-by", "node",
                     "--mca", "plm_rsh_agent", str(self.ssh)]  # fmt: skip
            for kind in ("btl", "oob"):
                words += ["--mca", f"{kind}_tcp_if_include", "cable"]
        else:
            words = ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", str(self.ssh),
                     "-hosts", "left:1,right:1"]  # fmt: skip
        first, second = shape.split("x")[0].split("+")
        count = int(first) + int(second)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MYR_")}
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        network = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "cable"}
        return subprocess.run(
            [*self.computers[0].enter(), *words, "-n", str(count), program],
            env=clean | root | network | {"MYR_ON": f"mpi:{shape}", "MYR_SILENCE": "60"},
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )

    def check(self, mpi: str) -> None:
        ended = self.launch(mpi, "1+1", "/bin/hostname")
        self.assertEqual(sorted(ended.stdout.split()), ["left", "right"], ended.stderr)
        for shape in ("1+1", "1+3"):
            for program, output in PRINTS.items():
                with self.subTest(f"{program} on {shape}"):
                    ended = self.launch(mpi, shape, str(self.build / "bin" / program))
                    self.assertEqual((ended.returncode, ended.stdout), (0, output), ended.stderr)

    def test_open_mpi(self) -> None:
        self.check("openmpi")

    def test_mpich(self) -> None:
        self.check("mpich")


if __name__ == "__main__":
    Computers.build = Path(sys.argv.pop(1)).resolve()
    unittest.main()
