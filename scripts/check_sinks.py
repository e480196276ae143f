#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the sinks of events only report: events_ompt.cpp, events_stat.cpp and
events_trace.cpp in the folders of runtime/src, and events.h, which hands the events to them.

A sink may not include files that wait, wake, create or run tasks, and may not use such operations.
Control flow that a sink needs belongs to the code that calls the sink (as in
region/tool_notices.h).
"""

import pathlib
import re

import checklib

SOURCE = pathlib.Path("runtime/src")
SINK = re.compile(r"events(_(?!test|bench)\w+)?\.(h|cpp)")

# The files of the core that an event's interface and its sinks may include: records, and the types
# that occur in events.
ALLOWED = re.compile(
    r"(base|icv|mem|probe)/.*|omp-tools\.h|teff_trace\.h|team/(probes|team|worker)\.h|\w+/events(_counted|_fragments|_recorded)?\.h"
    r"|device/where\.h|task/(cancelled|depend_items|depend_table|task|taskgroup|wait_site)\.h"
    r"|region/region\.h|loop/(doacross|loop|work_share)\.h")
ACTS = re.compile(r"\b(wait_until|barrier|cancel|take_part|park|unpark|wake_\w+|fetch_\w+|compare_exchange_\w+|submit|run_\w+|wait_for_\w+)\s*\(")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def problems_of_file(root, path):
    for number, line in checklib.numbered_lines(root / path):
        code = line.split("//")[0]
        include = INCLUDE.match(line)
        if include and not ALLOWED.fullmatch(include[1]):
            yield checklib.Problem(str(path), number, f'includes "{include[1]}": a sink of events only tells')
        act = ACTS.search(code)
        if act and not include:
            yield checklib.Problem(str(path), number, f"calls {act[1]}: a sink of events only tells")


def find_problems(root):
    sources = [path for path in checklib.source_files(root) if path.is_relative_to(SOURCE) and SINK.fullmatch(path.name)]
    return [problem for path in sources for problem in problems_of_file(root, path)]


if __name__ == "__main__":
    checklib.run_as_script("check_sinks", find_problems)
