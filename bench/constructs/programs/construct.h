/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A construct to be measured, by the method of the EPCC OpenMP microbenchmarks (J. M. Bull, 1999):
 * the time of many repetitions of the construct around a body, minus the time of the bodies alone,
 * divided by the number of repetitions.
 */
#ifndef CONSTRUCT_H
#define CONSTRUCT_H

#include <stdbool.h>

enum { CHUNKS_PER_THREAD = 1024 };

typedef struct construct {
    const char* name;
    const char* what;
    void (*run)(long repetitions); /* a multiple of the number of threads */
    int bodies_per_thread;         /* that a repetition runs in parallel; 0: `bodies` for the whole team */
    int bodies;
    bool opens_regions;   /* else its repetitions share one */
    bool per_body;        /* the figure is the processor time per body, not the time per repetition */
    bool empty;           /* there is no body: the construct is the work */
    const char* settings; /* what the environment must say, as NAME=VALUE; NULL: nothing */
} construct;

typedef struct construct_list {
    const construct* first;
    int count;
} construct_list;

extern const construct_list region_constructs;
extern const construct_list sync_constructs;
extern const construct_list loop_constructs;
extern const construct_list exclusion_constructs;
extern const construct_list task_constructs;

#define CONSTRUCT_LIST(array) {array, (int)(sizeof(array) / sizeof((array)[0]))}

#endif
