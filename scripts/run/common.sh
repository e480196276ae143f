# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions and variables that all verbs share. ./run sources this file in the root of the
# repository.

# shellcheck disable=SC2034 # the verbs use it
ROOT=$PWD
JOBS=${JOBS:-$(nproc)}

# WERROR=1, as CI sets it, makes a compiler's warnings errors.
# shellcheck disable=SC2034 # the verbs use it
WARNINGS=()
if [[ ${WERROR:-} == 1 ]]; then WARNINGS=(-Werror); fi

# A toolchain installed for one user is often not on the path of a non-interactive shell.
if [[ -d ${HOME:-/root}/.cargo/bin ]]; then
    PATH=$PATH:${HOME:-/root}/.cargo/bin
fi

say() { printf '== %s\n' "$*"; }

# asks_for_help ARGUMENT...
asks_for_help() { [[ " $* " == *" -h "* || " $* " == *" --help "* ]]; }

die() {
    printf './run: %s\n' "$*" >&2
    exit 1
}

# limited SECONDS COMMAND...: runs the command. When the time is up, ends the command and its
# children, and returns 124. `timeout` puts the command in a separate process group, so the wait for
# it is interruptible, and Ctrl-C is passed on to the command.
limited() {
    local seconds=$1 child status=0
    shift
    timeout --kill-after=10 "$seconds" "$@" </dev/null &
    child=$!
    trap 'kill -TERM "$child" 2>/dev/null; exit 130' INT TERM
    wait "$child" || status=$?
    trap - INT TERM
    if ((status == 124)); then
        printf './run: no end after %s s: %s\n' "$seconds" "$*" >&2
    fi
    return "$status"
}

has_content() { [[ -d $1 && -n $(find "$1" -type f -not -path '*/node_modules/*' -print -quit) ]]; }

# stale TARGET PATH...: succeeds if the target is missing or older than any file under the paths.
stale() {
    local target=$1
    shift
    [[ ! -e $target || -n $(find "$@" -newer "$target" -type f -print -quit) ]]
}
