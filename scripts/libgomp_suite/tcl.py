# SPDX-License-Identifier: Apache-2.0
"""Splits a directive's arguments as a Tcl list: words, words in double quotes, and words in braces, which may nest."""

ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def split(text):
    """The words of `text`. Text in braces is kept unchanged; elsewhere a backslash quotes the next character."""
    words, at = [], 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return words
        take = {"{": _braced, '"': _quoted}.get(text[at], _bare)
        word, at = take(text, at)
        words.append(word)


def _braced(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1:at], at + 1
    raise ValueError(f"a brace is not closed: {text}")


def _quoted(text, start):
    word, at = _until(text, start + 1, lambda c: c == '"')
    if at == len(text):
        raise ValueError(f"a quote is not closed: {text}")
    return word, at + 1


def _bare(text, start):
    return _until(text, start, str.isspace)


def _until(text, at, ends):
    word = ""
    while at < len(text) and not ends(text[at]):
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            word += ESCAPES.get(text[at], text[at])
        else:
            word += text[at]
        at += 1
    return word, at
