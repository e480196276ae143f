# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Tests the tools: runs programs whose work, span and defects are known, and compares the reports
# with these. See bench/truth/README.md.

truth_table() { limited 7200 python3 bench/truth/truth.py "$@"; }
truth_defects() { limited 7200 python3 bench/truth/defects.py "$@"; }
truth_account() { cmake_build release && limited 7200 python3 bench/truth/account.py "$@"; }
truth_predicted() { cmake_build release && limited 7200 python3 bench/truth/predicted.py "$@"; }
truth_pages() { first_screens "$@" && echo "$ROOT/$DEFECT_PAGES"; }
truth_large() { limited 3600 python3 bench/truth/large.py "$@"; }

verb_truth() {
    local what=table status=0 part
    case ${1:-} in
        table | defects | account | predicted | large | pages | all)
            what=$1
            shift
            ;;
        '' | -*) ;;
        *) die "truth takes table, defects, account, predicted, large or pages with OPTIONS (-h explains), or all, not '$1'" ;;
    esac
    need truth
    build_all || return
    if [[ $what != all ]]; then
        "truth_$what" "$@"
        return
    fi
    (($# == 0)) || die "truth all takes no options"
    for part in table defects account predicted large pages; do
        say "$part"
        "truth_$part" || status=1
    done
    return "$status"
}
