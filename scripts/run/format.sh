# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

verb_format() {
    need test
    python3 scripts/check_format.py --fix
}
