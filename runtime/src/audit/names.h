// SPDX-License-Identifier: Apache-2.0
//
// Which names of libraries stand for an OpenMP runtime that Teff replaces: GCC's own name of it,
// LLVM's and Intel's, and the names that tools which bundle libraries give their copies
// (auditwheel: libgomp-e985bcbb.so.1.0.0).
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

constexpr bool is_equal(const char* text, const char* other) {
    const char* const rest = after(text, other);
    return rest != nullptr && *rest == '\0';
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

// Numbers that follow ".so", of which the first one is `first`.
constexpr bool is_version(const char* text, char first) {
    if (*text != '.' || text[1] != first || (text[2] != '\0' && text[2] != '.')) return false;
    while (*text == '.' || (*text >= '0' && *text <= '9'))
        ++text;
    return *text == '\0';
}

struct Runtime {
    const char* base;
    char version; // of the interface: what follows ".so."
    bool also_without_version;
};
constexpr Runtime kRuntimes[] = {
    {"libgomp", '1', false}, {"libomp", '5', true}, {"libomp5", '5', true}, {"libiomp5", '5', true}};

constexpr bool is_name_of(const Runtime& runtime, const char* name) {
    const char* rest = after(name, runtime.base);
    if (rest == nullptr) return false;
    if (const char* const hash = after_hash(rest); hash != nullptr) rest = hash;
    rest = after(rest, ".so");
    return rest != nullptr && (*rest == '\0' ? runtime.also_without_version : is_version(rest, runtime.version));
}

// `path` is the name of a library, with folders or without.
constexpr bool is_runtime(const char* path) {
    for (const Runtime& runtime : kRuntimes)
        if (is_name_of(runtime, file_name(path))) return true;
    return false;
}

// Of LLVM's, Intel's and NVIDIA's runtimes, the last of which Teff does not replace.
constexpr bool is_runtime_of_any_kind(const char* path) {
    return is_runtime(path) || after(file_name(path), "libnvomp.so") != nullptr;
}

// The library by which programs of LLVM's compilers use other devices than the host. It needs more
// of libomp than its interface.
constexpr bool is_libomptarget(const char* path) { return after(file_name(path), "libomptarget") != nullptr; }

} // namespace teff::audit
