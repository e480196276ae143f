# SPDX-License-Identifier: Apache-2.0

import json
import subprocess
import unittest

import checklib

PRESETS = checklib.ROOT / "CMakePresets.json"
WARNINGS_ARE_ERRORS = "CMAKE_COMPILE_WARNING_AS_ERROR"


def setting(presets, preset, name):
    """The value of a cache variable in a preset or in what it inherits; None where it has none."""
    if name in preset.get("cacheVariables", {}):
        return preset["cacheVariables"][name]
    inherits = preset.get("inherits", [])
    inherited = (setting(presets, presets[parent], name) for parent in ([inherits] if isinstance(inherits, str) else inherits))
    return next((value for value in inherited if value is not None), None)


class Presets(unittest.TestCase):
    def test_warnings_are_errors_in_all_presets_but_those_of_users(self):
        presets = {preset["name"]: preset for preset in json.loads(PRESETS.read_text())["configurePresets"]}
        lenient = {
            name for name, preset in presets.items()
            if not preset.get("hidden") and setting(presets, preset, WARNINGS_ARE_ERRORS) != "ON"
        }
        self.assertEqual(lenient, {"release", "package"})

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
