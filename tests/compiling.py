"""What PyTensor compiles in tests: the function that NUTS calls thousands of times. Python runs all others sooner."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from tests.later import later

__all__ = ["compiled"]

pm, pytensor = later("pymc"), later("pytensor")
HEADERS = (
    "Python.h", "pytensor_mod_helper.h", "math.h", "numpy/arrayobject.h", "numpy/arrayscalars.h", "numpy/npy_math.h",
    "vector", "algorithm",
)  # fmt: skip
ALL_HEADERS = "all_headers_of_a_module.h"  # flags do not change: PyTensor knows by them what it has compiled before


@contextmanager
def compiled() -> Iterator[None]:
    """Compile log densities with their gradients, as users have everything; a module of C takes half a second."""
    write = pm.Model.logp_dlogp_function
    place = _read_headers()

    def function(*args: Any, **settings: Any) -> Any:
        flags = [pytensor.config.gcc__cxxflags, *(["-include", ALL_HEADERS] if place else [])]
        if place and shutil.which("ld.gold"):
            flags.append("-fuse-ld=gold")  # it links sooner
        with pytensor.config.change_flags(mode="Mode", gcc__cxxflags=" ".join(flags)):
            return write(*args, **settings)

    with pytest.MonkeyPatch.context() as patched:
        if place:
            patched.setenv("CPATH", place.name, prepend=os.pathsep)
        patched.setattr("pymc.Model.logp_dlogp_function", function)
        yield


@cache
def _read_headers() -> TemporaryDirectory[str] | None:
    """Headers that GCC has read once for all modules: in each they take longer than what comes after them."""
    if sys.platform != "linux" or not Path(pytensor.config.cxx).name.startswith("g++"):
        return None
    from pytensor.link.c import cmodule  # noqa: PLC0415

    place = TemporaryDirectory()
    header = Path(place.name, ALL_HEADERS)
    header.write_text("".join(f"#include <{name}>\n" for name in HEADERS), encoding="utf-8")
    where = (np.get_include(), sysconfig.get_path("include"), Path(cmodule.__file__).parent / "c_code")
    flags = [*cmodule.GCC_compiler.compile_args(), "-fno-math-errno", *(f"-I{folder}" for folder in where)]
    done = subprocess.run([pytensor.config.cxx, *flags, "-x", "c++-header", header], capture_output=True, check=False)
    return None if done.returncode else place  # then each module reads them by itself
