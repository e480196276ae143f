# SPDX-License-Identifier: Apache-2.0

import unittest

import check_modules

from tests.tree import problems

MANIFEST = "tools/crates/{}/Cargo.toml"


def check(sources, crate="grains", dependencies=""):
    files = {f"tools/crates/{crate}/src/{path}": text for path, text in sources.items()}
    files[MANIFEST.format(crate)] = f"[dependencies]\n{dependencies}\n"
    return problems(check_modules.find_problems, files)


class Crates(unittest.TestCase):
    def test_down_is_allowed(self):
        self.assertEqual(check({}, "grains", "trace.workspace = true\nrayon = \"1\""), [])

    def test_up_is_refused(self):
        found = check({}, "trace", "grains.workspace = true")
        self.assertEqual(len(found), 1)
        self.assertIn("trace lies below grains", found[0])

    def test_what_tests_depend_on_does_not_count(self):
        self.assertEqual(check({}, "trace", "[dev-dependencies]\ngrains.workspace = true"), [])

    def test_a_crate_outside_the_list_is_refused(self):
        self.assertIn("is in no layer", check({}, "utils")[0])


class Modules(unittest.TestCase):
    def test_one_way_is_allowed(self):
        self.assertEqual(check({
            "lib.rs": "mod a;\nmod b;\npub use a::A;\n",
            "a.rs": "use crate::b::B;\npub struct A(B);\n",
            "b.rs": "use std::fmt;\npub struct B;\n",
        }), [])

    def test_a_circle_is_found_at_each_of_its_uses(self):
        found = check({
            "lib.rs": "mod a;\nmod b;\nmod c;\n",
            "a.rs": "\nuse crate::b::B;\n",
            "b.rs": "fn f() { crate::c::g() }\n",
            "c.rs": "use super::a::{self, A};\nuse crate::b;\n",
        })
        self.assertEqual(len(found), 4)
        self.assertIn("tools/crates/grains/src/a.rs:2: uses crate::b within a circle of modules: crate::a, crate::b, crate::c", found[0])

    def test_a_module_and_its_child_may_make_one(self):
        found = check({
            "lib.rs": "mod a;\n",
            "a/mod.rs": "mod part;\npub struct A;\nfn f() { part::g() }\n",
            "a/part.rs": "use super::A;\npub fn g() {}\n",
        })
        self.assertEqual(len(found), 2)

    def test_folders_make_one_though_their_files_do_not(self):
        files = {
            "lib.rs": "mod a;\nmod b;\n",
            "a/mod.rs": "mod part;\npub fn f() { crate::b::g() }\n",
            "a/part.rs": "pub fn h() {}\n",
            "b/mod.rs": "mod rest;\npub fn g() {}\n",
            "b/rest.rs": "\nfn f() { crate::a::part::h() }\n",
        }
        found = check(files)
        self.assertEqual(len(found), 2)
        self.assertIn("src/a/mod.rs:2: uses crate::b within a circle of modules with those below them: crate::a, crate::b", found[0])
        self.assertIn("src/b/rest.rs:2: uses crate::a within", found[1])
        del files["b/rest.rs"]
        self.assertEqual(check(files), [])

    def test_a_name_that_is_handed_on_is_where_it_stands(self):
        self.assertEqual(check({
            "lib.rs": "mod a;\npub use a::{A as First, B};\n",
            "a/mod.rs": "mod first;\nmod second;\npub use first::A;\npub use second::*;\n",
            "a/first.rs": "pub struct A;\n",
            "a/second.rs": "use super::A;\nuse crate::First;\nstruct B;\n",
        }), [])

    def test_tests_do_not_count(self):
        self.assertEqual(check({
            "lib.rs": "mod a;\nmod b;\n#[cfg(test)]\nmod b_test;\n",
            "a.rs": "use crate::b::B;\n",
            "b.rs": "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n    fn f() { [1; 2]; }\n}\n",
            "b_test.rs": "use crate::a::A;\n",
        }), [])

    def test_comments_and_texts_are_no_code(self):
        self.assertEqual(check({
            "lib.rs": "mod a;\nmod b;\n",
            "a.rs": "use crate::b::B;\n",
            "b.rs": "// use crate::a::A;\n/* crate::a::A */\nconst B: &str = \"crate::a::A \\\" crate::a\";\n"
                    "const C: &str = r#\"\" crate::a::A\"#;\nfn f<'a>(x: &'a str) -> char { '\"' }\n",
        }), [])


if __name__ == "__main__":
    unittest.main()
