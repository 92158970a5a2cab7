"""Any prior: the models written in PyMC, sampled by Markov chains (SIGIR'16 §3.1 and §3.3). Needs the extra `mcmc`."""

from outperform.mcmc.engine import PyMC, build

__all__ = ["PyMC", "build"]
