# SPDX-License-Identifier: Apache-2.0

import unittest

import check_words

from tests.tree import problems


def check(files):
    return problems(check_words.find_problems, files)


class Words(unittest.TestCase):
    def test_plain_prose_passes(self):
        self.assertEqual(check({"a.md": "A mushroom fits.\n", "runtime/src/a.h": "// Member::ground has space.\nint room;\n"}), [])

    def test_a_word_of_the_list_is_found_in_documents_and_tables(self):
        found = check({"a.md": "There is no room.\n\n| it looks in vain |\n"})
        self.assertEqual(found, ["a.md:1: says 'room': space, memory, or 'holds', 'fits'",
                                 "a.md:3: says 'in vain': without success, or what happened"])

    def test_microseconds_have_one_spelling(self):
        self.assertEqual(len(check({"a.md": "It takes 5 µs.\n", "runtime/src/a.h": "// 5 us\n"})), 1)

    def test_a_word_of_the_list_is_found_in_comments(self):
        found = check({"runtime/src/a.cpp": "int a; // what has come about\n", "tools/a.rs": "// room\n"})
        self.assertEqual(found, ["runtime/src/a.cpp:1: says 'come about': happen, be created"])

    def test_help_texts_are_prose(self):
        found = check({"tools/crates/cli/src/args.rs": "/// No room.\nlet room = 1; // room\n"})
        self.assertEqual(found, ["tools/crates/cli/src/args.rs:1: says 'room': space, memory, or 'holds', 'fits'"])

    def test_code_is_no_prose(self):
        self.assertEqual(check({"a.md": "`room`\n\n    leave room\n\n```\nroom\n```\n"}), [])

    def test_records_stay_as_written(self):
        self.assertEqual(check({"docs/decisions/0001-a.md": "No room.\n", "CHANGELOG.md": "No room.\n"}), [])
