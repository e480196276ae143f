// SPDX-License-Identifier: Apache-2.0
//
// Which names of libraries stand for a libgomp: GCC's own name of it, and the names that tools
// which bundle libraries give their copies (auditwheel: libgomp-e985bcbb.so.1.0.0).
//
// The code here calls no function of a library, because it runs where no library is loaded
// (audit.cpp).
#pragma once

namespace teff::audit {

// Where the file's name begins in a path.
constexpr const char* file_name(const char* path) {
    const char* name = path;
    for (; *path != '\0'; ++path)
        if (*path == '/') name = path + 1;
    return name;
}

// What follows `beginning`, or null if the text begins otherwise.
constexpr const char* after(const char* text, const char* beginning) {
    for (; *beginning != '\0'; ++text, ++beginning)
        if (*text != *beginning) return nullptr;
    return text;
}

constexpr bool is_hexadecimal(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
}

// "-e985bcbb": other words there are of other libraries (libgomp-plugin-nvptx.so.1).
constexpr const char* after_hash(const char* text) {
    if (*text != '-') return nullptr;
    const char* end = text + 1;
    while (is_hexadecimal(*end))
        ++end;
    return end - text > 4 ? end : nullptr;
}

// ".so.1", and further numbers.
constexpr bool is_version(const char* text) {
    const char* rest = after(text, ".so.1");
    if (rest == nullptr || (*rest != '\0' && *rest != '.')) return false;
    while (*rest == '.' || (*rest >= '0' && *rest <= '9'))
        ++rest;
    return *rest == '\0';
}

// `path` is the name of a library, with folders or without.
constexpr bool is_libgomp(const char* path) {
    const char* rest = after(file_name(path), "libgomp");
    if (rest == nullptr) return false;
    const char* const version = after_hash(rest);
    return is_version(version != nullptr ? version : rest);
}

} // namespace teff::audit
