# SPDX-License-Identifier: Apache-2.0

import json
import subprocess
import unittest

import checklib

PRESETS = checklib.ROOT / "CMakePresets.json"
WARNINGS_ARE_ERRORS = "CMAKE_COMPILE_WARNING_AS_ERROR"


def setting(presets, preset, name):
    """The value of a cache variable in a preset or in a preset that it inherits; None if there is none."""
    if name in preset.get("cacheVariables", {}):
        return preset["cacheVariables"][name]
    inherits = preset.get("inherits", [])
    inherited = (setting(presets, presets[parent], name) for parent in ([inherits] if isinstance(inherits, str) else inherits))
    return next((value for value in inherited if value is not None), None)


def names_of_presets(judge, name):
    """The presets that are not hidden, and for whose value of a cache variable `judge` is true."""
    presets = {preset["name"]: preset for preset in json.loads(PRESETS.read_text())["configurePresets"]}
    return {preset for preset, what in presets.items() if not what.get("hidden") and judge(setting(presets, what, name))}


class Presets(unittest.TestCase):
    def test_warnings_are_errors_in_all_presets_but_those_of_users(self):
        # `labs` builds in the folder of `release`.
        self.assertEqual(names_of_presets(lambda value: value != "ON", WARNINGS_ARE_ERRORS), {"release", "package", "labs"})

    def test_what_exists_to_study_is_in_none_that_users_build(self):
        self.assertEqual(names_of_presets(lambda value: value == "ON", "TEFF_LABS"),
                         {"labs", "debug", "clang", "asan-gcc", "tsan-gcc"})

    def test_ci_makes_them_errors_there_too(self):
        ci = (checklib.ROOT / ".ci/run").read_text()
        self.assertIn("WERROR=1", ci)
        command = 'source scripts/run/common.sh; echo "${WARNINGS[*]}"'
        for value, expected in (("1", "-Werror"), ("0", ""), ("", "")):
            done = subprocess.run(
                ["bash", "-c", command], cwd=checklib.ROOT, env={"PATH": "/usr/bin:/bin", "WERROR": value},
                capture_output=True, text=True, timeout=10, check=True)
            self.assertEqual(done.stdout.strip(), expected)


if __name__ == "__main__":
    unittest.main()
