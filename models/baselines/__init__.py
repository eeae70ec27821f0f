"""Baselines. Every module of this package is imported, so that a new file is enough to enter the registry."""

from __future__ import annotations

import importlib
import pkgutil

from models.baselines.base import REGISTRY, Baseline, Predictions, Settings

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")

__all__ = ["REGISTRY", "Baseline", "Predictions", "Settings"]
