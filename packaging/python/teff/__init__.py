# SPDX-License-Identifier: Apache-2.0
"""Teff, an OpenMP runtime and profiler: `python -m teff run script.py`, or the command `teff`."""
