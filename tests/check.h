// SPDX-License-Identifier: Apache-2.0
// For test programs that print "ok" at the end: CHECK ends the program, and says what is not true.
#ifndef TEFF_TESTS_CHECK_H
#define TEFF_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
