# SPDX-License-Identifier: Apache-2.0
"""Compares the results of all tests: which of them differ, which differences are known, and the
verdict."""

import dataclasses

from .execute import Outcome

MAXIMUM_EXCEPTIONS = 5


@dataclasses.dataclass
class Result:
    name: str
    complaint: str | None  # of the compiler
    outcomes: dict[str, Outcome] = dataclasses.field(default_factory=dict)  # by the runtime's name

    def is_worse(self, stock, ours):
        """Whether it passes on the runtime `stock`, and fails on one of `ours`."""
        return bool(self.outcomes) and self.outcomes[stock].passed and not all(self.outcomes[name].passed for name in ours)


def read_exceptions(text):
    """name -> reason, from lines `NAME: REASON`; a line that starts with # is a comment."""
    exceptions = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, colon, reason = line.partition(": ")
            if not (colon and reason.strip()):
                raise ValueError(f"exceptions: '{line}' is not NAME: REASON")
            exceptions[name.strip()] = reason.strip()
    if len(exceptions) > MAXIMUM_EXCEPTIONS:
        raise ValueError(f"exceptions: {len(exceptions)} are named, at most {MAXIMUM_EXCEPTIONS} are allowed")
    return exceptions


class Comparison:
    """`stock` is the runtime whose results are the standard, `ours` are those that are judged; others are only shown."""

    def __init__(self, results, stock, ours, exceptions):
        self.stock, self.ours, self.exceptions = stock, ours, exceptions
        self.not_built = [result for result in results if result.complaint]
        self.ran = [result for result in results if not result.complaint]

    def differing(self):
        return [result for result in self.ran if len({outcome.passed for outcome in result.outcomes.values()}) > 1]

    def worse(self):
        return [result for result in self.ran if result.is_worse(self.stock, self.ours)]

    def failures(self):
        """The tests that decide the exit status: worse than stock, and without an exception."""
        return [result for result in self.worse() if result.name not in self.exceptions]

    def lines(self):
        runtimes = list(self.ran[0].outcomes) if self.ran else []
        for result in self.differing():
            yield result.name
            for runtime in runtimes:
                yield f"    {runtime:8} {result.outcomes[runtime].verdict}"
            if result.name in self.exceptions and result in self.worse():
                yield f"    excepted: {self.exceptions[result.name]}"
        for result in self.not_built:
            yield f"{result.name}\n    does not build: {result.complaint.strip().splitlines()[0]}"
        for name in self._needless_exceptions():
            yield f"{name}\n    is named as an exception, but is no worse here than on {self.stock}"
        yield self._summary(runtimes)

    def _needless_exceptions(self):
        worse = {result.name for result in self.worse()}
        return [result.name for result in self.ran if result.name in self.exceptions and result.name not in worse]

    def _summary(self, runtimes):
        passed = {name: sum(result.outcomes[name].passed for result in self.ran) for name in runtimes}
        counts = ", ".join(f"{count} pass on {name}" for name, count in passed.items())
        return (f"{len(self.ran)} tests: {counts or 'none ran'}; {len(self.not_built)} do not build; "
                f"{len(self.worse())} worse on {' or '.join(self.ours)} than on {self.stock}, {len(self.failures())} not excepted")
