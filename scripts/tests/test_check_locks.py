# SPDX-License-Identifier: Apache-2.0

import json
import unittest

import check_locks

from tests.tree import problems


class Locks(unittest.TestCase):
    def found(self, packages):
        return problems(check_locks.find_problems, {"page/package-lock.json": json.dumps({"packages": packages})})

    def test_a_package_is_found_where_node_looks_for_it(self):
        self.assertEqual(self.found({
            "": {"devDependencies": {"outer": "1"}},
            "node_modules/outer": {"dependencies": {"@some/inner": "1"}, "peerDependencies": {"beside": "1"}},
            "node_modules/outer/node_modules/@some/inner": {"dependencies": {"beside": "1", "near": "1"}},
            "node_modules/outer/node_modules/near": {},
            "node_modules/beside": {},
        }), [])

    def test_a_missing_package_of_another_platform_is_found(self):
        self.assertEqual(self.found({
            "": {"dependencies": {"outer": "1"}},
            "node_modules/outer": {"optionalDependencies": {"outer-mips": "1"}},
        }), ["page/package-lock.json: node_modules/outer asks for outer-mips, which the file does not name"])

    def test_a_package_inside_another_is_not_found_from_outside(self):
        self.assertEqual(self.found({
            "": {"dependencies": {"outer": "1", "inner": "1"}},
            "node_modules/outer": {},
            "node_modules/outer/node_modules/inner": {},
        }), ["page/package-lock.json: the project asks for inner, which the file does not name"])

    def test_an_optional_peer_may_be_missing_and_another_may_not(self):
        peers = {"peerDependencies": {"some": "1", "other": "1"}, "peerDependenciesMeta": {"some": {"optional": True}}}
        self.assertEqual(self.found({"": {"dependencies": {"outer": "1"}}, "node_modules/outer": peers}),
                         ["page/package-lock.json: node_modules/outer asks for other, which the file does not name"])
