// SPDX-License-Identifier: Apache-2.0
//
// Intercepts the functions of the C library that allocate memory and give it to the program. This
// memory belongs to the program and lies in shared memory. Memory that the C library allocates for
// itself is private to each process (interpose_malloc.cpp).
//
// The header's inline body of getline is disabled, because an optimising compiler would use it.
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "abi/export.h"
#include "processes/heap.h"
#include "processes/interpose.h"
#include "processes/libc_memory.h"
#include "processes/run.h"

using namespace teff::processes;

namespace {

char* allocate(std::size_t bytes, const void* caller) {
    return static_cast<char*>(run::is_for_program(caller) ? heap::allocate(bytes) : __libc_malloc(bytes));
}

char* copy(const char* text, std::size_t length, const void* caller) {
    char* const made = allocate(length + 1, caller);
    if (made == nullptr) return nullptr;
    std::memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

// Copies a text from the C library's heap into a block of the program, and frees it in the C
// library's heap.
char* adopt(char* text, const void* caller) {
    if (text == nullptr || heap::owns(text) || !run::is_for_program(caller)) return text;
    char* const made = copy(text, std::strlen(text), caller);
    __libc_free(text);
    return made;
}

// The C library enlarges a line's buffer by realloc, which keeps the buffer in the heap to which it
// belongs.
ssize_t read_line(char** line, std::size_t* room, int end, FILE* file, const void* caller) {
    constexpr std::size_t kFirst = 120;
    if (line != nullptr && room != nullptr && *line == nullptr && run::is_for_program(caller)) {
        *line = allocate(kFirst, caller);
        *room = *line == nullptr ? 0 : kFirst;
    }
    static ssize_t (*real)(char**, std::size_t*, int, FILE*) = nullptr;
    return next(real, "getdelim")(line, room, end, file);
}

int print(char** result, const char* format, std::va_list arguments, const void* caller) {
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    *result = nullptr;
    if (length < 0) return length;
    *result = allocate(static_cast<std::size_t>(length) + 1, caller);
    if (*result == nullptr) return -1;
    return std::vsnprintf(*result, static_cast<std::size_t>(length) + 1, format, arguments);
}

} // namespace

TEFF_EXPORT char* strdup(const char* text) { return copy(text, std::strlen(text), TEFF_CALLER); }
TEFF_EXPORT char* strndup(const char* text, std::size_t most) { return copy(text, strnlen(text, most), TEFF_CALLER); }

TEFF_EXPORT ssize_t getline(char** line, std::size_t* room, FILE* file) {
    return read_line(line, room, '\n', file, TEFF_CALLER);
}
TEFF_EXPORT ssize_t getdelim(char** line, std::size_t* room, int end, FILE* file) {
    return read_line(line, room, end, file, TEFF_CALLER);
}
TEFF_EXPORT ssize_t __getdelim(char** line, std::size_t* room, int end, FILE* file) {
    return read_line(line, room, end, file, TEFF_CALLER);
}

TEFF_EXPORT int vasprintf(char** result, const char* format, std::va_list arguments) {
    return print(result, format, arguments, TEFF_CALLER);
}
TEFF_EXPORT int __vasprintf_chk(char** result, int, const char* format, std::va_list arguments) {
    return print(result, format, arguments, TEFF_CALLER);
}
TEFF_EXPORT int asprintf(char** result, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int length = print(result, format, arguments, TEFF_CALLER);
    va_end(arguments);
    return length;
}
TEFF_EXPORT int __asprintf_chk(char** result, int, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int length = print(result, format, arguments, TEFF_CALLER);
    va_end(arguments);
    return length;
}

TEFF_EXPORT char* getcwd(char* buffer, std::size_t bytes) {
    static char* (*real)(char*, std::size_t) = nullptr;
    char* const found = next(real, "getcwd")(buffer, bytes);
    return buffer != nullptr ? found : adopt(found, TEFF_CALLER);
}
TEFF_EXPORT char* realpath(const char* path, char* buffer) {
    static char* (*real)(const char*, char*) = nullptr;
    char* const found = next(real, "realpath")(path, buffer);
    return buffer != nullptr ? found : adopt(found, TEFF_CALLER);
}
