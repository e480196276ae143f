# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

verb_format() {
    need test
    if has_content viewer; then install_viewer_packages; fi
    python3 scripts/check_format.py --fix
}
