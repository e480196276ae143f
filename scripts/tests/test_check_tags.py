# SPDX-License-Identifier: Apache-2.0

import unittest

import check_tags

from tests.tree import problems


def check(files):
    return problems(check_tags.find_problems, {f"runtime/src/{path}": text for path, text in files.items()})


class Tags(unittest.TestCase):
    def test_a_tag_on_both_sides_passes(self):
        sides = "// [park-2] store and load\nstore(); // [park-2]\n"
        self.assertEqual(check({"sync/a.h": sides, "sync/b.cpp": "load(); // [park-2]\n"}), [])

    def test_a_tag_at_one_access_is_found(self):
        self.assertEqual(len(check({"sync/a.h": "// [park-2] store and load\nstore(); // [park-2]\n"})), 1)

    def test_a_tag_alone_is_found(self):
        found = check({"sync/a.h": "\n// [park-2] pairs with nothing\n", "sync/b.cpp": "int a[3]; // [park-1]\nint b; // [park-1]\n"})
        self.assertEqual(len(found), 1)
        self.assertIn("runtime/src/sync/a.h:2: [park-2] stands nowhere else", found[0])

    def test_an_access_without_a_tag_is_found(self):
        access = "word.store(1, std::memory_order_release);"
        tagged = f"{access} // [park-1]\nload(); // [park-1]\n"
        self.assertEqual(check({"sync/a.h": tagged, "sync/a_test.cpp": access, "base/atomics.h": access}), [])
        [found] = check({"sync/a.h": f"int x;\n\n\n{access}\n"})
        self.assertIn("runtime/src/sync/a.h:4: an access that is not relaxed", found)
