"""C++ of PyTensor, compiled in a third of the time.

A model of PyMC is dozens of small modules, each of which reads the same headers, and is optimised for chains that run
longer than any here. So the headers are compiled once, and the modules are not optimised. They are the tests' own:
those that a user has compiled stay as they are.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from tests.later import later

__all__ = ["prepare", "read_headers"]

HEADERS = (
    "<Python.h>", '"pytensor_mod_helper.h"', "<math.h>", "<numpy/arrayobject.h>", "<numpy/arrayscalars.h>",
    "<numpy/npy_math.h>", "<vector>", "<algorithm>",
)  # fmt: skip
pymc, pytensor, cmodule = map(later, ("pymc", "pytensor", "pytensor.link.c.cmodule"))


def prepare(folder: Path) -> None:
    """Say how to compile, and where to; before PyTensor is imported, here or in a process that a test starts."""
    if set(" ,") & set(str(folder)):  # which flags are cut at
        return
    header = folder / "headers.h"
    text = "".join(f"#include {name}\n" for name in HEADERS)
    if not header.exists() or header.read_text(encoding="utf-8") != text:
        header.write_text(text, encoding="utf-8")
    flags = {
        "base_compiledir": folder, "cmodule__remove_gxx_opt": True, "gcc__cxxflags": f"-g0 -include {header}",
    }  # fmt: skip
    os.environ.setdefault("PYTENSOR_FLAGS", ",".join(f"{name}={value}" for name, value in flags.items()))


@cache
def read_headers() -> None:
    """Compile the headers, once; where that fails, or does not suit, compilers read them as they are."""
    assert pymc.__version__  # which has flags of its own
    header = Path(pytensor.config.base_compiledir) / "headers.h"
    if not pytensor.config.cxx or str(header) not in pytensor.config.gcc__cxxflags:
        return
    own = [flag for flag in cmodule.GCC_compiler.compile_args() if flag not in ("-include", str(header))]
    places = [f"-I{place}" for place in cmodule.std_include_dirs() if place]
    flags = ["-g", "-fno-math-errno", "-fvisibility=hidden", *own, *places]
    command = [pytensor.config.cxx, *flags, "-x", "c++-header", str(header), "-o", f"{header}.gch"]
    subprocess.run(command, capture_output=True, check=False)
