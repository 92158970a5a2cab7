"""Any prior: the models written in PyMC, sampled by Markov chains (SIGIR'16 §3.1 and §3.3). Needs the extra `mcmc`."""

from outperform.mcmc.engine import PyMC, build, with_prior
from outperform.mcmc.graph import Graph, graph

__all__ = ["Graph", "PyMC", "build", "graph", "with_prior"]
