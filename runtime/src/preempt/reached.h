/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests only: what the libraries runtime/test_objects/reached.c say about their functions.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct ReachedFunction {
    const char* name;
    void (*function)(void);
    char reach; /* n: no thread-local variable, t: one, u: unknown, e: one or unknown */
};

typedef const struct ReachedFunction* (*Reached)(int* count);
const struct ReachedFunction* reached(int* count);

#ifdef __cplusplus
}
#endif
