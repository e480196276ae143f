# SPDX-License-Identifier: Apache-2.0
"""Tests omp-tools.h: it compiles in every language, and declares the same as libomp's header, if
that is installed."""

import pathlib
import re
import unittest

from harness import ROOT, ProductTest, run

OURS = ROOT / "runtime" / "include" / "omp-tools.h"
LIBOMP = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/clang/*/include/omp-tools.h"))

# These are in the specification, but not in libomp's header, which is older.
ONLY_OURS = {f"ompt_target_map_flag_{name}" for name in ("always", "present", "close", "shared")} | {"error"}

DIALECTS = [["gcc", "-xc", "-std=c99"], ["gcc", "-xc", "-std=c11"], ["g++", "-xc++", "-std=c++11"],
            ["g++", "-xc++", "-std=c++20"]]


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


class Header:
    """The declarations in a text of omp-tools.h, found by patterns."""

    def __init__(self, path):
        text = without_comments(path.read_text())
        enums = re.findall(r"enum (ompt_\w+) \{(.*?)\}", text, re.S)
        self.constants = {name for _, body in enums for name in re.findall(r"^\s*(ompt_\w+)", body.replace(",", "\n"), re.M)}
        structs = re.findall(r"(?:struct|union) (ompt_\w+) \{(.*?)\} \1;", text, re.S)
        self.fields = {(name, field) for name, body in structs for field in self.members(body)}
        self.functions = set(re.findall(r"\(\*(ompt_\w+_t)\)\s*\(", text))
        self.aliases = set(re.findall(r"typedef \w+ (ompt_\w+_t)(?: \w+)?;", text)) - {"ompt_device_t", "ompt_buffer_t"}
        self.macros = set(re.findall(r"#define (ompt_\w+_none)", text))

    @staticmethod
    def members(body):
        """Names of members; those of an inner union as record.NAME."""
        inner = re.search(r"union \{(.*?)\} (\w+);", body, re.S)
        if not inner:
            return re.findall(r"(\w+);", body)
        return Header.members(body.replace(inner[0], f"{inner[2]};")) + [
            f"{inner[2]}.{name}" for name in Header.members(inner[1])]

    def values(self):
        """A C++ program that prints a line for each name: value, offset and size, or the type as the compiler mangles it."""
        lines = [f'    std::printf("{name} %lld\\n", (long long){name});' for name in sorted(self.constants)]
        for owner, field in sorted(self.fields):
            place = f"offsetof({owner}, {field}), sizeof((({owner}*)nullptr)->{field}), sizeof({owner})"
            lines.append(f'    std::printf("{owner}.{field} %zu %zu %zu\\n", {place});')
        for name in sorted(self.functions | self.aliases):
            lines.append(f'    std::printf("{name} %s\\n", typeid({name}).name());')  # noqa: PERF401  (a loop, as above)
        return lines


def program(header, names):
    """A program that includes the header by its path, because the folder of libomp's header also has another
    compiler's stddef.h."""
    return "\n".join(["#include <cstddef>", "#include <cstdio>", "#include <typeinfo>", f'#include "{header}"', "int main() {",
                      *names.values(), "}", ""])


class HeaderTest(ProductTest):
    def test_every_dialect_takes_it_without_a_warning(self):
        source = self.place / "include"
        source.write_text("#include <omp-tools.h>\nint main(void) { return ompt_get_unique_id_t(0) != 0; }\n".replace(
            "ompt_get_unique_id_t(0)", "(ompt_get_unique_id_t)0"))
        for dialect in DIALECTS:
            with self.subTest(dialect):
                done = run([*dialect, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", OURS.parent, source])
                self.assertEqual((done.status, done.text), (0, ""))

    def test_the_build_puts_it_where_a_tool_finds_it(self):
        self.assertEqual((ROOT / "build" / "include" / "omp-tools.h").read_bytes(), OURS.read_bytes())

    def answers(self, header, names):
        source, binary = self.place / "values.cpp", self.place / "values"
        source.write_text(program(header, names))
        done = run(["g++", "-std=c++20", "-w", source, "-o", binary])
        self.assertEqual(done.status, 0, done.text)
        return run([binary]).out.decode().splitlines()

    @unittest.skipUnless(LIBOMP, "no omp-tools.h of libomp here (package libomp-dev)")
    def test_it_says_what_libomp_says(self):
        ours, theirs = Header(OURS), Header(LIBOMP[-1])
        shared = Header(OURS)
        shared.constants -= ONLY_OURS
        shared.fields = {(owner, field) for owner, field in shared.fields if field.split(".")[-1] not in ONLY_OURS}
        for kind in ("constants", "fields", "functions", "aliases", "macros"):
            self.assertEqual(getattr(shared, kind), getattr(theirs, kind), kind)
        self.assertGreater(len(ours.constants), 190)
        mine, other = self.answers(OURS, shared), self.answers(LIBOMP[-1], shared)
        self.assertGreater(len(mine), 400)
        self.assertEqual(mine, other)

    def test_the_comparison_sees_a_wrong_value_and_a_wrong_layout(self):
        names, right = Header(OURS), OURS.read_text()
        changes = [("ompt_state_idle = 0x100", "ompt_state_idle = 0x104"), ("int exit_frame_flags;", "long exit_frame_flags;"),
                   ("int device_num, const char* type,", "long device_num, const char* type,")]
        before = self.answers(OURS, names)
        for old, new in changes:
            with self.subTest(new):
                self.assertIn(old, right)
                wrong = self.place / "omp-tools.h"
                wrong.write_text(right.replace(old, new, 1))
                self.assertNotEqual(self.answers(wrong, names), before)
