# SPDX-License-Identifier: Apache-2.0
"""Bodies in native code: ctypes, cffi, Numba; and those that release the interpreter's lock."""

import ctypes
import ctypes.util
import unittest

import numpy as np

from myrmidon import In, InOut, Out, native, strided, task, wait

LIBC = ctypes.CDLL(None)


class Ctypes(unittest.TestCase):
    def setUp(self) -> None:
        self.memcpy = ctypes.CDLL(None).memcpy
        self.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.memcpy.restype = None

    def test_arrays_and_numbers(self) -> None:
        copy = native(self.memcpy, Out, In, None)
        a, b = np.arange(100.0), np.zeros((5, 100))
        for row in b:
            copy(row, a, 800)
        wait()
        self.assertTrue((b == a).all())

    def test_results(self) -> None:
        power = ctypes.CDLL(ctypes.util.find_library("m")).pow
        power.argtypes, power.restype = [ctypes.c_double] * 2, ctypes.c_double
        self.assertEqual(native(power, None, None).submit(2.0, 10).result(), 1024.0)

    def test_callbacks_of_many_parameters(self) -> None:
        """Integers and floating-point numbers in registers and on the stack, in every order."""
        seen = []
        kinds = [
            ctypes.c_int64,
            ctypes.c_double,
            ctypes.c_int32,
            ctypes.c_float,
            ctypes.c_uint8,
            ctypes.c_bool,
        ] * 4
        callback = ctypes.CFUNCTYPE(None, *kinds)(lambda *values: seen.append(values))
        callback.argtypes = kinds
        values = [
            (-1) ** i * (i + 2) if i % 6 < 4 else i % 2 if i % 6 == 5 else i + 200 - 24
            for i in range(24)
        ]
        native(callback, *[None] * 24, name="callback")(*values)
        wait()
        self.assertEqual([float(x) for x in seen[0]], [float(x) for x in values])

    def test_refused(self) -> None:
        copy = native(self.memcpy, Out, In, None)
        a = np.zeros((4, 4))
        for kind, text, arguments in (
            (ValueError, "not C-contiguous", (a[:, 1], a[0], 8)),
            (ValueError, "not C-contiguous", (a.T, a, 8)),
            (TypeError, "one NumPy array", (a, [1], 8)),
            (TypeError, "takes a number", (a, a, "8")),
            (OverflowError, "does not fit into the 8 bytes", (a, a, -1)),
        ):
            with self.assertRaisesRegex(kind, text):
                copy(*arguments)
        for text, call in (
            ("3 parameters, and 2 are described", lambda: native(self.memcpy, Out, In)),
            ("is a number, and no memory", lambda: native(self.memcpy, Out, In, In)),
            ("no argtypes", lambda: native(ctypes.CDLL(None).strlen, In)),
            ("functions of numba.cfunc, ctypes and cffi", lambda: native(len, In)),
            (r"write native\(", lambda: task(self.memcpy)),
        ):
            with self.assertRaisesRegex(TypeError, text):
                call()

    def test_element_types(self) -> None:
        first = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))(lambda p: p[0])
        first.argtypes = [ctypes.POINTER(ctypes.c_double)]
        look = native(first, strided(In), name="first")
        array = np.arange(10.0)
        self.assertEqual(look.submit(array[3::2]).result(), 3.0)
        for wrong in (np.zeros(3, "f4"), np.zeros(3, "i8"), np.zeros(3, ">f8")):
            with self.assertRaisesRegex(TypeError, "takes a pointer to elements of kind 'f' and 8"):
                look(wrong)

    def test_callbacks_spawn_and_wait(self) -> None:
        x = np.zeros(1)

        @task
        def add(y: InOut):
            y += 1

        def body(_):
            for _ in range(3):
                add(x)
                wait()

        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        callback = kind(body)
        callback.argtypes = [ctypes.c_void_p]
        call = native(callback, InOut, name="body")
        for _ in range(20):
            call(x)
        wait()
        self.assertEqual(x[0], 60)


class Cffi(unittest.TestCase):
    def test_functions(self) -> None:
        try:
            import cffi
        except ImportError:
            self.skipTest("no cffi")
        ffi = cffi.FFI()
        ffi.cdef("void *memcpy(void *, const void *, size_t); double cbrt(double); int abs(int);")
        library = ffi.dlopen(None)
        a, b = np.arange(10.0), np.zeros(10)
        native(library.memcpy, Out, In, None, name="memcpy")(b, a, 80)
        wait()
        self.assertEqual(b.tolist(), a.tolist())
        self.assertAlmostEqual(native(library.cbrt, None).submit(27).result(), 3)
        self.assertEqual(native(library.abs, None).submit(-5).result(), 5)


class Numba(unittest.TestCase):
    def test_cfuncs(self) -> None:
        try:
            from numba import cfunc, types
        except ImportError:
            self.skipTest("no Numba")
        signature = types.void(types.CPointer(types.float64), types.int64, types.float32)

        @cfunc(signature)
        def add(p, n, value):
            for i in range(n):
                p[i] += value

        call = native(add, InOut, None, None)
        a = np.zeros(1000)
        for _ in range(100):
            for i in range(0, 1000, 100):
                call(a[i : i + 100], 100, 0.5)
        wait()
        self.assertEqual((a.min(), a.max()), (50, 50))


class Unlocked(unittest.TestCase):
    def test_threadpoolctl(self) -> None:
        """It sees and limits NumPy's threads, and does not see Myrmidon's."""
        try:
            from threadpoolctl import threadpool_info, threadpool_limits
        except ImportError:
            self.skipTest("no threadpoolctl")
        seen = np.zeros(2)

        @task
        def look(x: Out):
            x[0] = max([pool["num_threads"] for pool in threadpool_info()], default=1)
            x[1] = any("myrmidon" in pool["filepath"] for pool in threadpool_info())

        with threadpool_limits(1):
            look(seen)
            wait()
        self.assertEqual(seen.tolist(), [1, 0])

    def test_numpys_own_threads(self) -> None:
        """Products inside of tasks, with as many threads of NumPy's as it likes."""
        rng = np.random.default_rng(1)
        a = rng.random((4, 100, 100))
        b = np.zeros_like(a)

        @task
        def product(x: In, y: Out):
            np.matmul(x, x, out=y)

        for _ in range(10):
            for x, y in zip(a, b, strict=True):
                product(x, y)
        wait()
        np.testing.assert_allclose(b, a @ a)


if __name__ == "__main__":
    unittest.main()
