// SPDX-License-Identifier: Apache-2.0
// The C library's own heap, of which each process has its own. The functions here call this heap by
// names that this library's malloc does not replace.
#pragma once

#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}
