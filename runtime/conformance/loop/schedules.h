// SPDX-License-Identifier: Apache-2.0
//
// RUN_ALL_SCHEDULES(LOOP): applies LOOP to every schedule clause; `chunk` must be in scope.
// The clauses are listed here once, so that the tests of long, unsigned and ordered loops use the
// same ones.
#ifndef CONFORMANCE_LOOP_SCHEDULES_H
#define CONFORMANCE_LOOP_SCHEDULES_H

#define PRAGMA(text) _Pragma(#text)

#define RUN_ALL_SCHEDULES(LOOP)                                                                                        \
    do {                                                                                                               \
        LOOP(schedule(static));                                                                                        \
        LOOP(schedule(static, chunk));                                                                                 \
        LOOP(schedule(dynamic, chunk));                                                                                \
        LOOP(schedule(guided, chunk));                                                                                 \
        LOOP(schedule(auto));                                                                                          \
        LOOP(schedule(runtime));                                                                                       \
        LOOP(schedule(monotonic : dynamic, chunk));                                                                    \
        LOOP(schedule(monotonic : guided, chunk));                                                                     \
        LOOP(schedule(monotonic : runtime));                                                                           \
    } while (0)

// nonmonotonic may not be combined with ordered.
#define RUN_NONMONOTONIC_SCHEDULES(LOOP)                                                                               \
    do {                                                                                                               \
        LOOP(schedule(nonmonotonic : dynamic, chunk));                                                                 \
        LOOP(schedule(nonmonotonic : guided, chunk));                                                                  \
        LOOP(schedule(nonmonotonic : runtime));                                                                        \
    } while (0)

#endif
