# SPDX-License-Identifier: Apache-2.0
"""The directives in a test's comments, such as `{ dg-do run }`, which DejaGnu and GCC's extensions
of it define."""

import dataclasses
import re

from . import selectors, tcl

DIRECTIVE = re.compile(r"\{[ \t]+dg-([-a-z]+)[ \t]+(.*)[ \t]+\}")

# Directives about the compiler's messages and dumps, which say nothing about a runtime.
ABOUT_THE_COMPILER = frozenset({
    "bogus", "error", "excess-errors", "final", "line", "message", "note", "optimized", "prune-output", "warning",
    "xfail-if",
})


@dataclasses.dataclass
class Directives:
    action: str = "run"
    flags: list = dataclasses.field(default_factory=list)  # from dg-options and dg-additional-options
    sources: list = dataclasses.field(default_factory=list)  # additional ones, relative to the test
    environment: dict = dataclasses.field(default_factory=dict)
    output: str = ""  # a regular expression
    should_fail: bool = False
    time_limit_s: int | None = None
    time_factor: float = 1.0
    unsupported: str = ""  # why it cannot run here


def read(text, language, level="", default_flags=()):
    """The directives in `text`. `level` are flags that every test gets, `default_flags` those that dg-options replaces."""
    return _Reader(language, level, default_flags).read(text)


class _Reader:
    def __init__(self, language, level, default_flags):
        self.language = language
        self.level = level.split()
        self.found = Directives(flags=list(default_flags))
        self.selected = None  # by a dg-do: None as long as there is none

    def read(self, text):
        for line in text.splitlines():
            match = DIRECTIVE.search(line)
            if match and match[1] not in ABOUT_THE_COMPILER:
                handler = getattr(self, "_" + match[1].replace("-", "_"), None)
                if handler is None:
                    raise ValueError(f"unknown directive dg-{match[1]}")
                handler(tcl.split(match[2]))
        if self.selected is False:
            self._refuse("dg-do names other targets")
        return self.found

    def _refuse(self, reason):
        self.found.unsupported = self.found.unsupported or reason

    def _applies(self, words):
        """Whether the last of `words` is a selector that is true, or is no selector."""
        kind, _, selector = words[-1].strip().partition(" ")
        return kind != "target" or selectors.holds(selector, self.language)

    def _do(self, words):
        applies = self._applies(words)
        # If one line selects this target, others that do not are ignored.
        self.selected = applies or bool(self.selected)
        if applies:
            self.found.action = words[0]

    def _options(self, words):
        if self._applies(words):
            self.found.flags = words[0].split()

    def _additional_options(self, words):
        if self._applies(words):
            self.found.flags += words[0].split()

    def _add_options(self, words):
        # Sets of options that other architectures need. Here they are empty.
        if words[0] != "__float128":
            raise ValueError(f"unknown set of options {words[0]}")

    def _additional_sources(self, words):
        if self._applies(words):
            self.found.sources += words[0].split()

    def _require_effective_target(self, words):
        if self._applies(words) and not selectors.holds(words[0], self.language):
            self._refuse(f"needs {words[0]}")

    def _require_alias(self, _words):
        self._require_effective_target(["alias"])

    def _set_target_env_var(self, words):
        if self._applies(words):
            self.found.environment[words[0]] = words[1]

    def _output(self, words):
        if self._applies(words):
            self.found.output += words[0]

    def _shouldfail(self, words):
        self.found.should_fail = len(words) < 2 or selectors.holds(words[1], self.language)

    def _xfail_run_if(self, words):
        if selectors.holds(words[1], self.language) and self._flags_match(words):
            self._refuse(f"known to fail: {words[0]}")

    def _skip_if(self, words):
        if selectors.holds(words[1], self.language) and self._flags_match(words):
            self._refuse(f"skipped: {words[0] or 'no test of its own'}")

    def _flags_match(self, words):
        """Of the flags in the third word, one must be given; of those in the fourth word, none may be given."""
        given = [*self.level, *self.found.flags]
        wanted = tcl.split(words[2]) if len(words) > 2 else ["*"]
        excluded = tcl.split(words[3]) if len(words) > 3 else []
        return ("*" in wanted or any(flag in given for flag in wanted)) and not any(flag in given for flag in excluded)

    def _timeout(self, words):
        if self._applies(words):
            self.found.time_limit_s = int(words[0])

    def _timeout_factor(self, words):
        if self._applies(words):
            self.found.time_factor = float(words[0])
