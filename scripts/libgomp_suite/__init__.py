# SPDX-License-Identifier: Apache-2.0
"""Runs libgomp's own test suite, from Debian's source package, on libgomp and on other runtimes,
and compares the results.

    tcl         the quoting rules of the language that the suite's directives are written in
    selectors   which targets a directive is meant for, seen from this machine
    directives  what the comments of one test source ask for
    tests       from the suite's folders to tests that can be built
    execute     builds a test once, and runs it on a runtime
    compare     the results side by side, the exceptions, the verdict
"""
