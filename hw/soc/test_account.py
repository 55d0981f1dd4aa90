# SPDX-License-Identifier: Apache-2.0
"""The account of a log, on a log made up for it."""

import unittest

import account

# funct7 << 25 | rs2 | rs1 | funct3 with xd (bit 14) | custom-0.
REQUEST = 0 << 25 | 1 << 14 | 0x0B
TRIPLE = 2 << 25 | 0x0B
LOAD = 0x00053503  # ld a0, 0(a0)
ADD = 0x00150513  # addi a0, a0, 1
COMPRESSED_LOAD = 0x6108  # ld a0, 0(a0)
COMPRESSED_ADD = 0x0505  # addi a0, 1


def log(*words_and_cycles: tuple[int, int]) -> str:
    return "\n".join(
        f"C0: {cycle:10d} [1] pc=[00] W[r 0=0] R[r 0=0] R[r 0=0] inst=[{word:08x}] DASM(0)"
        for word, cycle in words_and_cycles
    )


class Account(unittest.TestCase):
    def test_kinds_of_instructions(self) -> None:
        uses = {word: account.Step(0, 0, word).uses_memory for word in (LOAD, ADD)}
        self.assertEqual(uses, {LOAD: True, ADD: False})
        self.assertTrue(account.Step(0, 0, COMPRESSED_LOAD).uses_memory)
        self.assertFalse(account.Step(0, 0, COMPRESSED_ADD).uses_memory)
        self.assertTrue(account.Step(0, 0, REQUEST).has_answer)
        self.assertFalse(account.Step(0, 0, TRIPLE).has_answer)

    def test_every_cycle_belongs_to_something(self) -> None:
        one = [(REQUEST, 0), (ADD, 4), (TRIPLE, 5), (LOAD, 7), (ADD, 27), (ADD, 30)]
        tasks = [(word, 40 * task + cycle) for task in range(8) for word, cycle in one]
        result = account.account(list(account.steps(log(*tasks))))
        self.assertEqual(sum(result.values()), 40)
        self.assertEqual(result, {"instruction": 6, "answer": 3, "memory": 20, "pipeline": 11})


if __name__ == "__main__":
    unittest.main()
