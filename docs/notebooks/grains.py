# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # The grains of a run, in polars
#
# This file is a notebook in text form. Editors that support cells (VS Code, PyCharm, Spyder,
# Jupyter with jupytext) run it cell by cell, and Python runs it as a script.
#
#     teff record -- ./sort 1000000
#     teff export sort.teff --format parquet -o sort.tables
#     pip install polars
#     python3 docs/notebooks/grains.py sort.tables

# %%
import pathlib
import sys

import polars as pl

tables = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "sort.tables")


def table(name):
    """Returns a lazy table: polars reads only the columns that a query needs."""
    return pl.scan_parquet(tables / f"{name}.parquet")


run = table("run").collect()
print(run.select("command", "workers", "wall_ns", "work_ns", "span_ns"))

# %% [markdown]
# ## Which constructs create the grains, and are the grains too small?
#
# `parallel_benefit` is a grain's work divided by its parent's cost of creating and joining it.

# %%
by_site = (
    table("grains")
    .filter(~pl.col("cancelled"))
    .group_by("site")
    .agg(
        pl.len().alias("grains"),
        pl.col("work_ns").sum(),
        pl.col("work_ns").median().alias("median_ns"),
        (pl.col("parallel_benefit") < 1).sum().alias("do_not_pay"),
    )
    .join(table("sites").select("site", "kind", "function", "line"), on="site")
    .sort("work_ns", descending=True)
    .collect()
)
print(by_site)

# %% [markdown]
# ## How was the work divided among the workers?

# %%
by_worker = (
    table("grains")
    .group_by("worker")
    .agg(pl.len().alias("grains"), pl.col("work_ns", "wait_ns").sum(), pl.col("stolen").sum())
    .sort("worker")
    .collect()
)
print(by_worker)

# %% [markdown]
# ## How many fragments ran at the same time?
#
# The number rises by one at the start of each fragment, and falls by one at its end.

# %%
changes = pl.concat(
    [
        table("fragments").select(pl.col("start_ns").alias("at_ns"), pl.lit(1, pl.Int64).alias("change")),
        table("fragments").select(pl.col("end_ns").alias("at_ns"), pl.lit(-1, pl.Int64).alias("change")),
    ]
)
at_once = (
    changes.group_by("at_ns")
    .agg(pl.col("change").sum())
    .sort("at_ns")
    .select("at_ns", pl.col("change").cum_sum().alias("running"))
    .with_columns((pl.col("at_ns").shift(-1) - pl.col("at_ns")).fill_null(0).alias("for_ns"))
    .group_by("running")
    .agg(pl.col("for_ns").sum())
    .sort("running")
    .collect()
)
print(at_once)

# %% [markdown]
# ## Where did workers wait?

# %%
waits = (
    table("waits")
    .group_by("kind", "function", "line")
    .agg(pl.len().alias("waits"), pl.col("lost_ns").sum())
    .sort("lost_ns", descending=True)
    .collect()
)
print(waits)
