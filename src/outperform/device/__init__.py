"""Draws on a device of PyTorch: a GPU, or the processor for tests. PyTorch is imported only if one is asked for."""

from __future__ import annotations

from outperform.device.rng import Device, as_device

__all__ = ["Device", "as_device"]
