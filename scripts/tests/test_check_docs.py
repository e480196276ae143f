# SPDX-License-Identifier: Apache-2.0

import unittest

import check_docs
import check_includes
import features

from tests.tree import problems, tree

ARGS = """
#[derive(Subcommand)]
pub enum Verb {
    Run(RunArgs),
    Stat(stat::StatArgs),
}
/// Run it
pub struct RunArgs {
    /// How many
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub at_least: u32,
    #[command(flatten)]
    pub what: Common,
}
pub struct Common {
    #[arg(long)]
    pub any_size: bool,
}
pub struct StatArgs {
    #[arg(trailing_var_arg = true)]
    pub command: Vec<OsString>,
}
pub enum ExportFormat {
    Dot,
    Csv,
}
"""
RUN = "case $verb in\n    build | test)\n        ;;\nesac\n"


def check(files):
    return problems(check_docs.find_problems, files)


class Docs(unittest.TestCase):
    def test_verbs_and_options_that_exist_pass(self):
        self.assertEqual(check({
            "README.md": "`./run build` `./run test`\n\n    teff run --at-least 3 --any-size -- ./p --other\n    teff stat -- p\n",
            "run": RUN, "tools/args.rs": ARGS,
        }), ["docs/formats/exports.md: does not name the format `csv`", "docs/formats/exports.md: does not name the format `dot`"])

    def test_a_verb_of_run_that_does_not_exist_is_found(self):
        found = check({"README.md": "`./run build`, `./run test` and `./run away`\n", "run": RUN})
        self.assertEqual(found, ["README.md:1: names the verb './run away', which does not exist"])

    def test_a_verb_of_run_that_no_document_names_is_found(self):
        self.assertEqual(check({"README.md": "`./run build`\n", "run": RUN}),
                         ["docs/hacking.md: no document names './run test'"])

    def test_a_verb_that_the_usage_of_run_does_not_name_is_found(self):
        usage = "cat <<'EOF'\n  build      this\n  clean\n  help\nEOF\n"
        found = check({"README.md": "`./run build` `./run test`\n", "run": usage + RUN})
        self.assertEqual(found, ["run: its usage does not name the verb 'test'"])

    def test_a_suite_that_does_not_exist_is_found(self):
        found = check({"README.md": "    ./run test unit gone\n    ./run build\n", "run": RUN,
                       "scripts/run/test.sh": "SUITES=(\n    unit:3\n)\n"})
        self.assertEqual(found, ["README.md:1: names the suite 'gone', which does not exist"])

    def test_an_option_that_does_not_exist_is_found(self):
        found = check({"README.md": "`teff run --gone` `teff stat`\n", "tools/args.rs": ARGS})
        self.assertIn("README.md:1: names 'teff run --gone', which does not exist", found)

    def test_a_verb_of_teff_that_does_not_exist_is_found(self):
        found = check({"README.md": "`teff run` `teff stat` `teff go`\n", "tools/args.rs": ARGS})
        self.assertIn("README.md:1: names 'teff go', which does not exist", found)

    def test_a_verb_of_teff_that_the_readme_does_not_name_is_found(self):
        self.assertIn("README.md: does not name 'teff stat'", check({"README.md": "`teff run`\n", "tools/args.rs": ARGS}))

    def test_a_format_without_a_description_and_a_wrong_number_are_found(self):
        found = check({"README.md": "`teff run`, `teff stat`, [three export formats](docs/formats/exports.md)\n",
                       "docs/formats/exports.md": "`dot`\n", "tools/args.rs": ARGS})
        self.assertEqual(found, ["README.md:1: says 'three export formats'; there are 2",
                                 "docs/formats/exports.md: does not name the format `csv`"])

    def test_an_unknown_variable_is_found(self):
        found = check({"README.md": "`TEFF_SPIN` `TEFF_SPUN` OMP_1.0\n", "runtime/src/icv/knobs.cpp": '"TEFF_SPIN"\n'})
        self.assertEqual(found, ["README.md:1: names TEFF_SPUN, which no source knows"])

    def test_a_layer_without_a_row_and_a_missing_file_are_found(self):
        found = check({"docs/architecture.md": "| `abi/` | doors | `a.h`, `gone.h` |\nsee `Task::run` and `Task::walk`\n",
                       "README.md": "[a](docs/architecture.md)\n",
                       "runtime/src/abi/a.h": "struct Task { void run(); };\n", "runtime/src/base/b.h": ""})
        self.assertEqual(found, [
            "docs/architecture.md: has no row for runtime/src/base",
            "docs/architecture.md:1: names abi/gone.h, which does not exist",
            "docs/architecture.md:2: names Task::walk, which no source has",
        ])

    def test_a_comment_that_names_a_missing_file_is_found(self):
        found = check({"runtime/src/task/a.h": "// see task/b.h and task/gone.h\n", "runtime/src/task/b.h": ""})
        self.assertEqual(found, ["runtime/src/task/a.h:1: names task/gone.h, which does not exist"])

    def test_a_test_without_a_row_is_found(self):
        found = check({"tests/README.md": "| `test_a.py` | a |\n| `test_gone.py` | b |\n", "README.md": "[t](tests/README.md)\n",
                       "tests/test_a.py": "", "tests/sub/test_b.py": ""})
        self.assertEqual(found, ["tests/README.md: has no row for sub/test_b.py",
                                 "tests/README.md:2: names test_gone.py, which does not exist"])

    def test_layers_in_another_order_are_found(self):
        layers = check_includes.LAYERS
        good = "layers:\n    " + " > ".join(layers) + "\n"
        bad = "layers:\n    " + " > ".join(reversed(layers)) + "\n"
        readme = {"README.md": "[h](docs/hacking.md)\n"}
        self.assertEqual(check({"docs/hacking.md": good, **readme}), [])
        self.assertIn("has not the layers", check({"docs/hacking.md": bad, **readme})[0])

    def test_a_preset_that_is_not_named_is_found(self):
        found = check({"docs/hacking.md": "`release`, `cmake --preset gone`\n", "README.md": "[h](docs/hacking.md)\n",
                       "CMakePresets.json": '{"configurePresets": [{"name": "release"}, {"name": "tsan"}]}'})
        self.assertEqual(found, ["docs/hacking.md: does not name the preset tsan",
                                 "docs/hacking.md:1: names the preset gone, which does not exist"])

    def test_a_document_out_of_reach_is_found(self):
        found = check({"README.md": "[a](a.md)\n", "a.md": "[b](docs/b.md)\n", "docs/b.md": "", "docs/c.md": ""})
        self.assertEqual(found, ["docs/c.md: no chain of links leads here from README.md"])

    def test_a_decision_that_the_index_lacks_is_found(self):
        found = check({"README.md": "[d](docs/decisions/README.md)\n",
                       "docs/decisions/README.md": "| [0001](0001-a.md) | A |\n[2](0002-b.md)\n",
                       "docs/decisions/0001-a.md": "# 0001: a\n\n**Status** accepted\n",
                       "docs/decisions/0002-b.md": "# 0002: b\n"})
        self.assertEqual(found, ["docs/decisions/0002-b.md: does not say its status",
                                 "docs/decisions/README.md: lacks the row: | [0002](0002-b.md) | B |"])

    def test_a_list_of_features_that_is_out_of_date_is_found(self):
        found = check({"README.md": "[f](docs/features.md)\n[k](docs/knobs.md)\n", "docs/features.md": "# Old\n",
                       "docs/knobs.md": "## Own\n\n### TEFF_A\n\nWhat. More.\n\n- Default: `1`\n",
                       "runtime/src/icv/knobs.cpp": '"TEFF_A"\n', "runtime/src/abi/exports.map": "A_1.0 {\n  global:\n    f;\n};\n"})
        self.assertEqual(found, ["docs/features.md: is not what scripts/features.py --fix would write"])


class Features(unittest.TestCase):
    def test_knobs_and_symbols_are_listed(self):
        with tree({"docs/knobs.md": "## Own\n\n### TEFF_A\n\nWhat. More.\n\n- Default: `1`\n", "tools/args.rs": ARGS,
                   "runtime/src/abi/exports.map": "A_1.0 {\n  global:\n    # a file\n    f;\n    g;\n};\n"}) as root:
            text = features.generate(root)
        for line in ("| `teff run` | Run it |", "2 formats: `dot`, `csv`.", "| `TEFF_A` | What | `1` |", "| A_1.0 | 2 |"):
            self.assertIn(line, text)
