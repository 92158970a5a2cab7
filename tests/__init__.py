"""The tests. A process has one thread for matrices: they are small, and several processes run at once."""

import os

for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
