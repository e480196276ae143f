# SPDX-License-Identifier: Apache-2.0
"""Turns measured cells into tables: aligned text or Markdown."""

import measure


def aligned(header, rows):
    """The first column to the left, all others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(row):
        return "  ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:]))])

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, rows)])


def markdown(header, rows):
    def line(row):
        return "| " + " | ".join(row) + " |"

    return "\n".join([line(header), line(["---"] + ["---:"] * (len(header) - 1)), *map(line, rows)])


def number(value):
    """Three significant digits, without exponents."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def short_failure(cell):
    return f">{cell.failure.split()[-2]} s" if cell.failure.startswith("took longer") else "failed"


def groups(cells):
    """Cells of the same case and number of threads, in order of appearance."""
    found = {}
    for cell in cells:
        found.setdefault((cell.case, cell.threads), []).append(cell)
    return found


DETAIL_HEADER = ["case", "threads", "runtime", "time s", "least s", "spread %", "CPU s", "peak MiB", "ns/task", "/ best"]


def detail_row(cell, group):
    if not cell.measured:
        return [cell.case, str(cell.threads), cell.runtime, short_failure(cell), *[""] * (len(DETAIL_HEADER) - 4)]
    return [
        cell.case,
        str(cell.threads),
        cell.runtime,
        f"{cell.time_s:.4f}",
        f"{cell.least_s:.4f}",
        f"{cell.spread * 100:.0f}",
        f"{cell.median('cpu_s'):.3f}",
        number(cell.median("peak_rss_kib") / 1024),
        number(cell.ns_per_task),
        number(measure.ratio_to_best_peer(cell, group)),
    ]


def details(cells):
    return DETAIL_HEADER, [detail_row(cell, group) for group in groups(cells).values() for cell in group]


def summary_value(cell):
    if cell is None:
        return "-"
    if not cell.measured:
        return short_failure(cell)
    return number(cell.time_s * 1e3 if cell.ns_per_task is None else cell.ns_per_task)


def summary(cells, threads, names):
    """One row per case: ns per task, or ms where there are none, and Teff's ratio."""
    rows = []
    for (case, count), group in groups(cells).items():
        if count != threads:
            continue
        by_name = {cell.runtime: cell for cell in group}
        measured = next((cell for cell in group if cell.measured), None)
        unit = "ms" if measured and measured.ns_per_task is None else "ns/task"
        ratio = measure.ratio_to_best_peer(by_name["teff"], group) if "teff" in by_name else None
        rows.append([case, unit, *(summary_value(by_name.get(name)) for name in names), number(ratio)])
    return ["case", "unit", *names, "teff / best"], rows


def failures(cells):
    return [f"{cell.case}, {cell.threads} threads, {cell.runtime}: {cell.failure}" for cell in cells if cell.failure]


def report(cells, runtimes, thread_counts, table):
    names = [runtime.name for runtime in runtimes]
    parts = ["Every case (time: median; / best: median relative to that of the better of libgomp and libomp)", table(*details(cells))]
    for threads in thread_counts:
        parts += [f"Summary, {threads} threads", table(*summary(cells, threads, names))]
    problems = failures(cells)
    if problems:
        parts += ["Failures", "\n".join(f"- {problem}" for problem in problems)]
    return "\n\n".join(parts)
