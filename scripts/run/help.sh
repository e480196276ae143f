# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Help that is printed at once, before anything is built. ./run sources this file last if -h or
# --help is among a verb's arguments. A verb that takes options passes -h on to its script, which
# explains them. For any other verb, its lines of the usage are printed.

need() { :; }
cmake_build() { :; }
build_all() { :; }
build_tools() { :; }
build_labs() { :; }

# explained_by_usage VERB [ARGUMENT...]: whether no script explains the verb's options.
explained_by_usage() {
    case $1 in
        build | demo | format | fuzz | install | labs | sanitize | setup | situations | soak | test) return 0 ;;
        machines) [[ ! -x build/release/labs/machines/bin/machines ]] ;; # the program explains them
        bench) [[ ${2:-} == -* || ${2:-} == micro ]] ;;
        *) return 1 ;;
    esac
}

# print_usage_of VERB: its lines of the usage.
print_usage_of() { usage | awk -v verb="$1" '/^  [a-z]/ { here = $1 == verb } /^$/ { here = 0 } here'; }
