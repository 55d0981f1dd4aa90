# SPDX-License-Identifier: Apache-2.0
"""Jobs of processes by Debian's Slurm, on this computer alone: it is started in a folder of its
own, on ports of its own, and ended with the tests. Needs root, slurm-wlm and munge.

Usage: slurm.py BUILD_FOLDER
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HEAT = "34388.312\n"
START_S = 120
RUN_S = 300

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
NodeName={host} NodeAddr=127.0.0.1 CPUs=8
PartitionName=all Nodes=ALL Default=YES
SlurmUser=root
SlurmctldPort={control_port}
SlurmdPort={node_port}
SlurmdParameters=config_overrides
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm(unittest.TestCase):
    build: Path
    folder: Path
    environment: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        control_port, node_port = free_ports(2)
        host = socket.gethostname().split(".")[0]
        configuration = cls.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(**locals() | {"folder": cls.folder}))
        for name in ("state", "spool"):
            (cls.folder / name).mkdir()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MYR_")}
        cls.environment = clean | {
            "SLURM_CONF": str(configuration),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "MYR_SILENCE": "60",  # on a busy computer
            "PATH": f"{cls.build}/bin:{os.environ['PATH']}",
        }
        key = cls.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        kinds = ("key-file", "socket", "pid-file", "log-file", "seed-file")
        files = [f"--{kind}={cls.folder}/munge.{kind.split('-')[0]}" for kind in kinds]
        cls.start("munged", "--foreground", "--force", *files)
        cls.start("slurmctld", "-D")
        cls.start("slurmd", "-D", "-N", host)
        cls.wait_for_node()

    @classmethod
    def start(cls, *words: str) -> None:
        log = (cls.folder / f"{words[0]}.out").open("w")
        cls.addClassCleanup(log.close)
        server = subprocess.Popen(words, env=cls.environment, stdout=log, stderr=log)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)

    @classmethod
    def wait_for_node(cls) -> None:
        for _ in range(START_S):
            done = subprocess.run(
                ["sinfo", "-h", "-o", "%T"],
                env=cls.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.stdout.strip() == "idle":
                return
            time.sleep(1)
        logs = "".join(path.read_text() for path in sorted(cls.folder.glob("*.out")))
        raise TimeoutError(f"Slurm has not started: {done.stdout}{done.stderr}\n{logs}")

    def run_words(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )

    @property
    def program(self) -> Path:
        return self.build / "bin/example_heat"

    def test_open_mpi_by_pmix(self) -> None:
        ended = self.run_words("srun", "--mpi=pmix", "-n", 4, self.program, MYR_ON="mpi:1+3")
        self.assertEqual((ended.returncode, ended.stdout), (0, HEAT), ended.stderr)

    def test_mpich_by_pmi2(self) -> None:
        ended = self.run_words("srun", "--mpi=pmi2", "-n", 4, self.program, MYR_ON="mpi:1+3")
        self.assertEqual((ended.returncode, ended.stdout), (0, HEAT), ended.stderr)

    def test_myr_run_in_a_batch_job(self) -> None:
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi):
                script = self.folder / "job.sh"
                script.write_text(f"#!/bin/sh\nexec myr run --on mpi:1+3 {self.program}\n")
                words = ("sbatch", "--wait", "-n", 4, "-o", "job.out", script)
                ended = self.run_words(*words, MYR_MPI=mpi)
                output = (self.folder / "job.out").read_text()
                self.assertEqual((ended.returncode, output), (0, HEAT), ended.stderr)

    def test_srun_without_an_interface_for_mpi(self) -> None:
        ended = self.run_words("srun", "--mpi=none", "-n", 2, self.program, MYR_ON="mpi:1+1")
        self.assertEqual(ended.returncode, 70, ended.stderr)
        self.assertIn("under Slurm with `srun --mpi=pmix -n 2 PROGRAM`", ended.stderr)

    def test_the_wrong_number_of_processes(self) -> None:
        ended = self.run_words("srun", "--mpi=pmix", "-n", 3, self.program, MYR_ON="mpi:1+3")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("needs 4 processes, and the launcher has started 3", ended.stderr)


if __name__ == "__main__":
    Slurm.build = Path(sys.argv.pop(1)).resolve()
    unittest.main()
