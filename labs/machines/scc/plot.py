#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `./run machines scc --out DIR` has written to DIR/scc.tsv: figures 3, 6 (a) and 6 (b).

With the same data the files are the same, byte for byte.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "scc"
from matplotlib import pyplot  # noqa: E402  (the backend is chosen first)

PLOTS = {
    "mo": ("figure-6a.svg", "Master overhead (MO)", "log"),
    "aso": ("figure-6b.svg", "Average slave overhead (ASO)", "log"),
    "alignment": ("figure-3.svg", "Reading and writing a line, 200 times", "linear"),
}
MARKERS = "osD^v<>Px"


def read(path):
    """plot -> series -> ([cores], [microseconds])"""
    plots = defaultdict(lambda: defaultdict(lambda: ([], [])))
    with path.open(newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            cores, times = plots[row["plot"]][row["series"]]
            cores.append(int(row["cores"]))
            times.append(float(row["microseconds"]))
    return plots


def draw(series, title, scale, path):
    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    for (name, (cores, times)), marker in zip(series.items(), MARKERS):
        dashes = "--" if "UC" in name else "-"
        axes.plot(cores, times, marker=marker, markersize=4, linewidth=1.2, linestyle=dashes, label=name)
    axes.set(title=f"{title}, modelled SCC", xlabel="cores", ylabel="microseconds", yscale=scale)
    axes.set_xticks(cores)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main(folder):
    plots = read(folder / "scc.tsv")
    for plot, (file, title, scale) in PLOTS.items():
        draw(plots[plot], title, scale, folder / file)
        print(f"wrote {folder / file}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "scc.tsv").is_file():
        sys.exit("usage: plot.py DIR, where ./run machines scc --out DIR has been")
    main(Path(sys.argv[1]))
