# SPDX-License-Identifier: Apache-2.0
"""Marks the cases where Teff is slower than the better of libgomp and libomp, or misses a goal that
is set as a number.
"""

import measure

# A smaller difference is not significant: two runs of the same program differ by as much.
NOISE_SHARE = 0.05
NOISE_NS = 1.0

FASTER_THAN_BOTH = ("parallel", "barrier", "reduction")  # at 1 and 2 threads; everything else: at least as fast
NEAR_THE_FLOOR = ("parallel", "barrier")  # with more threads than processors, from 8 threads on
MOST_NS = {"chunk_dynamic": 45, "critical": 100, "lock": 100}
MOST_IDLE_NS = 100_000
START_SHARE = 1.2


def figure_ns(cell):
    return cell.time_s * 1e9


def by_runtime(cells):
    """The figures of cells of one case and number of threads, by runtime."""
    return {cell.runtime: figure_ns(cell) for cell in cells if cell.measured}


def is_behind(own_ns, best_ns):
    return own_ns > best_ns * (1 + NOISE_SHARE) + NOISE_NS


def compare_with_peers(case, threads, own_ns, peers):
    if not peers or (case == "start_wall" and own_ns <= START_SHARE * peers.get("libgomp", 0)):
        return []
    best_ns = min(peers.values())
    if is_behind(own_ns, best_ns):
        return ["behind"]
    if case in FASTER_THAN_BOTH and threads <= 2 and own_ns >= best_ns:
        return ["not faster"]
    return []


def compare_with_goals(case, threads, own_ns, peers, processors):
    if case in MOST_NS and own_ns > MOST_NS[case]:
        yield f"> {MOST_NS[case]} ns"
    if case == "idle_cpu" and threads == 2 and own_ns > MOST_IDLE_NS:
        yield "> 0.1 ms"
    if case in NEAR_THE_FLOOR and threads >= 8 and threads > processors:
        for peer, share in (("libgomp", 3), ("libomp", 2)):
            if peer in peers and own_ns > peers[peer] / share:
                yield f"> {peer}/{share}"


def marks(cells, processors):
    """What is wrong with Teff's figure in cells of one case and number of threads; empty if it has none."""
    figures = by_runtime(cells)
    own_ns = figures.get("teff")
    if own_ns is None:
        return []
    case, threads = cells[0].case, cells[0].threads
    peers = {name: figures[name] for name in measure.PEERS if name in figures}
    return [*compare_with_peers(case, threads, own_ns, peers),
            *compare_with_goals(case, threads, own_ns, peers, processors)]


def ratio(cells):
    """Teff's figure relative to the better peer's; None if the peer's is too small to divide by."""
    figures = by_runtime(cells)
    peers = [figures[name] for name in measure.PEERS if name in figures]
    if "teff" not in figures or not peers or min(peers) <= NOISE_NS:
        return None
    return max(figures["teff"], 0) / min(peers)
