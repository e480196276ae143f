# SPDX-License-Identifier: Apache-2.0

import json
import unittest

import check_version

from tests.tree import problems


def tree(source="1.2.3\n", **changed):
    """The files that state a version: each 1.2.3 but those in `changed`."""
    stated = {"manifest": "1.2.3", "lock": "1.2.3", "page": "1.2.3", "page_lock": "1.2.3", "recipe": "1.2.3", **changed}
    crate = f'[[package]]\nname = "ours"\nversion = "{stated["lock"]}"\ndependencies = []\n'
    foreign = '[[package]]\nname = "foreign"\nversion = "9.9.9"\nsource = "registry"\n'
    page_lock = {"version": "1.2.3", "packages": {"": {"version": stated["page_lock"]}, "other": {"version": "9.9.9"}}}
    return {
        "VERSION": source,
        "tools/Cargo.toml": f'[workspace]\nresolver = "3"\n\n[workspace.package]\nversion = "{stated["manifest"]}"\n',
        "tools/Cargo.lock": f"{foreign}\n{crate}",
        "viewer/package.json": json.dumps({"version": stated["page"]}),
        "viewer/package-lock.json": json.dumps(page_lock),
        "packaging/conda/recipe.yaml": f'context:\n  version: "{stated["recipe"]}"\n',
    }


class Version(unittest.TestCase):
    def found(self, files):
        return problems(check_version.find_problems, files)

    def test_one_version_everywhere_passes(self):
        self.assertEqual(self.found(tree()), [])

    def test_each_file_that_differs_is_found(self):
        for place, path in [("manifest", "tools/Cargo.toml:5"), ("lock", "tools/Cargo.lock:8"),
                            ("page", "viewer/package.json"), ("page_lock", "viewer/package-lock.json"),
                            ("recipe", "packaging/conda/recipe.yaml:2")]:
            expected = [f"{path}: has version 1.2.4, but VERSION has 1.2.3"]
            self.assertEqual(self.found(tree(**{place: "1.2.4"})), expected)

    def test_what_is_no_version_is_refused(self):
        self.assertIn("is not a version", self.found(tree(source="next\n"))[0])

    def test_the_file_must_exist(self):
        files = tree()
        del files["VERSION"]
        self.assertIn("VERSION: does not exist", self.found(files)[0])
