#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that libteff.so can stand in for the system's libgomp.

Compares four lists: the symbols that runtime/src/abi/exports.map promises, those that
build/lib/libteff.so exports, those that the system's libgomp.so.1 exports, and the table in
docs/abi.md, which --fix writes. The library must also do without libstdc++, because it is loaded
into C and Fortran programs.
"""

import argparse
import fnmatch
import pathlib
import re
import subprocess

import abi_table
import checklib

DOCUMENT = pathlib.Path("docs/abi.md")
FORWARDED = pathlib.Path("runtime/src/abi/kmpc_versions.cpp")
FORWARD = re.compile(r"^TEFF_FORWARD(?:_TO)?\((\w+)", re.MULTILINE)
EXPORTS_MAP = pathlib.Path("runtime/src/abi/exports.map")
LIBRARY = pathlib.Path("build/lib/libteff.so")
SYSTEM_LIBRARY = pathlib.Path("/usr/lib/x86_64-linux-gnu/libgomp.so.1")

# Only programs compiled for an accelerator call these: they belong to plug-ins and to OpenACC.
NOT_OURS = re.compile(r"^(GOMP_PLUGIN_|goacc_)|@OACC_2\.6\.1$")

EXPORTED = re.compile(r"^[0-9a-f]+ [TWVBDRi] (\S+?)@@?(\S+)$")
UNDEFINED = re.compile(r"^\s+[Uw] (\S+?)(?:@(\S+))?$")


def read_map(text):
    """The symbol@version pairs of a linker version script."""
    return {f"{name}@{version}" for name, version in abi_table.symbols(text)}


def read_symbols(nm_output):
    """(exported symbol@version pairs, needed symbols) of a shared library, from `nm -D --with-symbol-versions`."""
    exported, needed = set(), set()
    for line in nm_output.splitlines():
        if match := EXPORTED.match(line):
            exported.add(f"{match[1]}@{match[2]}")
        elif match := UNDEFINED.match(line):
            needed.add(f"{match[1]}@{match[2]}" if match[2] else match[1])
    return exported, needed


def is_promised(symbol, promised, patterns):
    return symbol in promised or any(fnmatch.fnmatchcase(symbol, pattern) for pattern in patterns)


def is_from_libstdcxx(symbol):
    return "@GLIBCXX_" in symbol or "@CXXABI_" in symbol or symbol.startswith(("_ZSt", "_ZNSt", "_Znw", "_Zdl", "__gxx_"))


def compare(promised, exported, needed, system):
    """The complaints of all comparisons, as lines of text."""
    wanted = {symbol for symbol in system if not NOT_OURS.match(symbol)}
    patterns = {symbol for symbol in promised if "*" in symbol}
    absent = (promised - patterns - exported) | {pattern for pattern in patterns if not fnmatch.filter(exported, pattern)}
    complaints = [f"{symbol}: in the system's libgomp, not in libteff.so" for symbol in wanted - exported]
    complaints += [f"{symbol}: promised by exports.map, not exported by libteff.so" for symbol in absent]
    complaints += [
        f"{symbol}: exported by libteff.so, not promised by exports.map"
        for symbol in exported
        if not is_promised(symbol, promised, patterns)
    ]
    complaints += [f"{symbol}: needed from libstdc++ at run time" for symbol in needed if is_from_libstdcxx(symbol)]
    return sorted(complaints)


def dynamic_symbols(library):
    command = ["nm", "-D", "--with-symbol-versions", str(library)]
    return read_symbols(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)


def needed_libraries(library):
    command = ["readelf", "-d", str(library)]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output), re.findall(r"\(SONAME\).*\[(.+)\]", output)


def document_problems(root):
    document, promised = (root / DOCUMENT).read_text(), (root / EXPORTS_MAP).read_text()
    try:
        stale = abi_table.with_table(document, promised) != document
    except ValueError as error:
        return [checklib.Problem(str(DOCUMENT), 0, str(error))]
    return [checklib.Problem(str(DOCUMENT), 0, "its table is not that of exports.map; check_abi.py --fix writes it")] if stale else []


def fix_document(root):
    path = root / DOCUMENT
    path.write_text(abi_table.with_table(path.read_text(), (root / EXPORTS_MAP).read_text()))


def find_problems(root, system_library=SYSTEM_LIBRARY):
    absent = [path for path in (root / DOCUMENT, root / EXPORTS_MAP, root / LIBRARY, system_library) if not path.exists()]
    if absent:
        return [checklib.Problem(str(path), 0, "does not exist, so nothing can be compared") for path in absent]
    exported, needed = dynamic_symbols(root / LIBRARY)
    system, _ = dynamic_symbols(system_library)
    # The map cannot list them: the same names are in other nodes.
    forwarded = {f"{name}@VERSION" for name in FORWARD.findall((root / FORWARDED).read_text())}
    promised = read_map((root / EXPORTS_MAP).read_text()) | forwarded
    complaints = compare(promised, exported, needed, system)
    libraries, names = needed_libraries(root / LIBRARY)
    complaints += [f"needs {name} at run time" for name in libraries if name.startswith("libstdc++")]
    if names != ["libgomp.so.1"]:
        complaints.append(f"its SONAME is {names or 'missing'}, not libgomp.so.1")
    file = (root / LIBRARY).resolve()
    if not file.name.startswith("libgomp.so.1") or file != (root / LIBRARY).with_name("libgomp.so.1").resolve():
        complaints.append(f"it is {file.name}: with libgomp.so.1 it should be a link to one file that bears libgomp's name")
    return [checklib.Problem(str(LIBRARY), 0, complaint) for complaint in complaints] + document_problems(root)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system", type=pathlib.Path, default=SYSTEM_LIBRARY, help="the libgomp.so.1 to compare with")
    parser.add_argument("--fix", action="store_true", help="write the table in docs/abi.md first")
    arguments = parser.parse_args()
    system_library = arguments.system
    if arguments.fix:
        fix_document(checklib.ROOT)
    checklib.run_as_script("check_abi", lambda root: find_problems(root, system_library))
