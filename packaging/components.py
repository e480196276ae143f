#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What others wrote that is part of the installed tree: a software bill of materials, and the licences.

    components.py TREE      writes TREE/share/doc/teff/sbom.cdx.json and third-party-licences.txt

The bill is CycloneDX 1.5. It names what is linked into the command, bundled into its page or linked into the machine
modeller; not what only builds or tests use. The same sources and lock files give the same bytes.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = "x86_64-unknown-linux-gnu"
IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*['"]([^'"./][^'"]*)['"]""")
LICENCE_FILES = re.compile(r"(licen[cs]e|copying|notice|unlicense)", re.I)
# The text that is also Teff's own licence. Some packages have it in files with other names.
APACHE = re.compile(r"Apache License\s+Version 2\.0, January 2004.*TERMS AND CONDITIONS", re.S)
LIMIT_S = 120


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, timeout=LIMIT_S, stdout=subprocess.PIPE, text=True).stdout


def linked_crates():
    """The crates from elsewhere that are linked into `teff`, by name and version: neither macros nor build scripts."""
    metadata = json.loads(output("cargo", "metadata", "--format-version=1", "--locked", "--manifest-path=tools/Cargo.toml",
                                 f"--filter-platform={TARGET}"))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    seen, waiting = set(), [id_ for id_ in metadata["workspace_members"] if packages[id_]["name"] == "teff-cli"]
    while waiting:
        id_ = waiting.pop()
        if id_ in seen or is_macro(packages[id_]):
            continue
        seen.add(id_)
        waiting += [dep["pkg"] for dep in nodes[id_]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    foreign = [packages[id_] for id_ in seen if packages[id_]["source"]]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def is_macro(package):
    return any("proc-macro" in target["kind"] for target in package["targets"])


def bundled_packages():
    """The packages that sources of the page import, with version and licence."""
    sources = [path for path in (ROOT / "viewer/src").rglob("*.ts") if ".test." not in path.name]
    names = {match[1] for path in sources for match in IMPORT.finditer(path.read_text(encoding="utf-8"))}
    lock = json.loads((ROOT / "viewer/package-lock.json").read_text(encoding="utf-8"))["packages"]
    entries = [(name, lock.get(f"node_modules/{name}")) for name in sorted(names)]
    return [(name, entry) for name, entry in entries if entry]


def compiler_version(command):
    return re.search(r"\d+\.\d+(\.\d+)*", output(*command))[0]


def component(name, version, licence, purl, kind="library"):
    return {
        "type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl,
        "licenses": [{"expression": licence}],
    }


def bill(version, crates):
    rust, gcc = compiler_version(["rustc", "--version"]), compiler_version(["gcc", "-dumpfullversion"])
    components = [
        component(crate["name"], crate["version"], (crate["license"] or "NOASSERTION").replace("/", " OR "),
                  f"pkg:cargo/{crate['name']}@{crate['version']}")
        for crate in crates
    ]
    components += [
        component(name, entry["version"], entry.get("license", "NOASSERTION"), f"pkg:npm/{name}@{entry['version']}")
        for name, entry in bundled_packages()
    ]
    # The parts of the compilers' own libraries that are linked in: of Rust into the command, of GCC
    # into the machine modeller.
    components.append(component("rust-std", rust, "MIT OR Apache-2.0", f"pkg:generic/rust-std@{rust}"))
    exception = "GPL-3.0-or-later WITH GCC-exception-3.1"
    components += [component(name, gcc, exception, f"pkg:generic/{name}@{gcc}") for name in ("libgcc", "libstdc++")]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component("teff", version, "Apache-2.0", f"pkg:generic/teff@{version}", "application")},
        "components": components,
    }


def licence_texts(crates):
    """The licences of all crates. A text that several crates share is given once; Teff's own licence is left out."""
    users = {}
    for crate in crates:
        folder = pathlib.Path(crate["manifest_path"]).parent
        files = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILES.match(path.name))
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            if APACHE.search(text):
                text = "The Apache License, version 2.0, as Teff itself."
            users.setdefault(text, []).append(f"{crate['name']} {crate['version']} ({crate['license']})")
    for text, names in users.items():
        names = dict.fromkeys(names)
        yield "\n".join(["=" * 100, *names, "=" * 100, "", text, ""])


def main():
    folder = pathlib.Path(sys.argv[1]) / "share/doc/teff"
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    crates = linked_crates()
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(bill(version, crates), indent=2, sort_keys=True)
    (folder / "sbom.cdx.json").write_text(text + "\n", encoding="utf-8")
    head = "The command teff contains these packages of others, under these licences.\n\n"
    (folder / "third-party-licences.txt").write_text(head + "\n".join(licence_texts(crates)), encoding="utf-8")
    print(f"{len(crates)} crates, {len(bundled_packages())} packages of npm")


if __name__ == "__main__":
    if len(sys.argv) != 2 or os.path.isfile(sys.argv[1]):
        sys.exit(__doc__)
    main()
