/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the workloads with target regions put their data: part k of the work belongs to device k,
 * counted round and round, or to the host if there are no devices.
 */
#ifndef WORKLOAD_DEVICES_H
#define WORKLOAD_DEVICES_H

#include <omp.h>
#include <unistd.h>

/* The parts into which work is divided that has one part for each device. */
static inline int device_parts(void) {
    const int devices = omp_get_num_devices();
    return devices > 0 ? devices : 1;
}

static inline int device_of_part(long part) {
    const int devices = omp_get_num_devices();
    return devices > 0 ? (int)(part % devices) : omp_get_initial_device();
}

/* Called in a region: stands for work on a device that has a processor of its own, where it has none. */
#pragma omp declare target
static inline void device_sleep(long microseconds) {
    if (microseconds > 0) usleep((useconds_t)microseconds);
}
#pragma omp end declare target

/* The first element of a part, if `count` elements are divided evenly. Part `parts` begins at the end. */
static inline long part_start(long part, long parts, long count) { return count * part / parts; }

#endif
