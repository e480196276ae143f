# SPDX-License-Identifier: Apache-2.0

import unittest

import check_links

from tests.tree import problems


def check(files):
    return problems(check_links.find_problems, files)


class Links(unittest.TestCase):
    def test_good_links_pass(self):
        self.assertEqual(check({
            "docs/a.md": "# A\nsee [b](b.md#two-words) and [top](#a) and [far](https://example.org/x) and ![p](p.png)\n",
            "docs/b.md": "# B\n## Two words!\n",
            "docs/p.png": "",
        }), [])

    def test_a_dead_link_is_found(self):
        self.assertEqual(check({"docs/a.md": "\n[b](b.md)\n"}), ["docs/a.md:2: links to b.md, which does not exist"])

    def test_a_dead_anchor_is_found(self):
        self.assertIn("a heading that b.md does not have", check({"a.md": "[b](b.md#x)\n", "b.md": "# B\n"})[0])

    def test_a_dead_file_name_is_found(self):
        found = check({"docs/a.md": "`runtime/x.h` and `runtime/gone.h`\n", "runtime/x.h": ""})
        self.assertEqual(found, ["docs/a.md:1: names runtime/gone.h, which does not exist"])

    def test_other_code_is_no_file_name(self):
        self.assertEqual(check({"docs/a.md": "`a/b` `build/bin/teff` `docs/NNNN-*.md` `x = docs/y`\n"}), [])

    def test_code_fences_are_left_alone(self):
        self.assertEqual(check({"docs/a.md": "```\n[b](b.md)\n```\n"}), [])

    def test_a_source_that_names_a_missing_document_is_found(self):
        found = check({"runtime/x.cpp": "// see docs/gone.md.\n"})
        self.assertEqual(found, ["runtime/x.cpp:1: names docs/gone.md, which does not exist"])
