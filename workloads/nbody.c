/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that attract each other, on devices. Each device has the positions of all bodies, and
 * moves a part of them. After each step, the devices exchange the new positions through the host by
 * target update.
 */
#include <math.h>

#include "common/devices.h"
#include "common/hash.h"
#include "common/workload.h"

static long bodies, steps;

static const workload_option options[] = {
    {"bodies", "how many there are", &bodies, 1, 1000000, {500, 4000, 20000}, NULL},
    {"steps", "steps of time", &steps, 1, 10000, {5, 10, 10}, NULL},
};
static const workload self = {"nbody",
                              "moves bodies that attract each other, a part of them per device; the devices exchange "
                              "positions by target update",
                              options, WORKLOAD_OPTION_COUNT(options)};

#pragma omp declare target
typedef struct vector {
    double x, y, z;
} vector;

/* All bodies have the same mass, and a softened attraction. */
static vector attraction(const vector* positions, long count, long body) {
    const vector own = positions[body];
    vector sum = {0, 0, 0};
    for (long other = 0; other < count; ++other) {
        const double x = positions[other].x - own.x, y = positions[other].y - own.y, z = positions[other].z - own.z;
        const double squared = x * x + y * y + z * z + 1e-3, factor = 1 / (squared * sqrt(squared));
        sum.x += x * factor;
        sum.y += y * factor;
        sum.z += z * factor;
    }
    return sum;
}

static vector moved(vector from, vector by, double factor) {
    return (vector){from.x + by.x * factor, from.y + by.y * factor, from.z + by.z * factor};
}

static void move_body(const vector* positions, vector* next, vector* velocity, long body, long count) {
    const double time = 1e-3;
    *velocity = moved(*velocity, attraction(positions, count, body), time / (double)count);
    next[body] = moved(positions[body], *velocity, time);
}
#pragma omp end declare target

static void run_step(vector* positions, vector* next, vector* velocities) {
    const long parts = device_parts(), count = bodies;
    for (long part = 0; part < parts; ++part) {
        const long first = part_start(part, parts, count), last = part_start(part + 1, parts, count);
        vector* own = velocities + first;
#pragma omp target teams distribute parallel for device(device_of_part(part)) nowait map(to : positions[ : count])     \
    map(from : next[ : count]) map(tofrom : own[ : last - first])
        for (long i = first; i < last; ++i)
            move_body(positions, next, &own[i - first], i, count);
    }
#pragma omp taskwait
    for (long part = 0; part < parts; ++part) {
        const long first = part_start(part, parts, count), last = part_start(part + 1, parts, count);
#pragma omp target update device(device_of_part(part)) nowait from(next[first : last - first])
    }
#pragma omp taskwait
}

/* What a device has not computed itself lies before its own part, and behind. */
static void share(vector* positions) {
    const long parts = device_parts(), count = bodies;
    for (long part = 0; part < parts; ++part) {
        const long first = part_start(part, parts, count), last = part_start(part + 1, parts, count);
#pragma omp target update device(device_of_part(part)) nowait to(positions[ : first], positions[last : count - last])
    }
#pragma omp taskwait
}

/* Returns the last positions. */
static vector* simulate(vector* positions, vector* next, vector* velocities) {
    const long parts = device_parts(), count = bodies;
    for (long part = 0; part < parts; ++part) {
        const long first = part_start(part, parts, count), last = part_start(part + 1, parts, count);
#pragma omp target enter data device(device_of_part(part)) map(to : positions[ : count]) map(alloc : next[ : count])   \
    map(to : velocities[first : last - first])
    }
    for (long i = 0; i < steps; ++i) {
        run_step(positions, next, velocities);
        vector* const written = next;
        next = positions;
        positions = written;
        if (i + 1 < steps) share(positions);
    }
    for (long part = 0; part < parts; ++part) {
        const long first = part_start(part, parts, count), last = part_start(part + 1, parts, count);
#pragma omp target exit data device(device_of_part(part)) map(release : positions[ : count], next[ : count])           \
    map(release : velocities[first : last - first])
    }
    return positions;
}

static vector* new_vectors(uint64_t seed) {
    vector* vectors = workload_allocate((size_t)bodies * sizeof *vectors);
    memset(vectors, 0, (size_t)bodies * sizeof *vectors);
    for (long i = 0; i < bodies && seed; ++i)
        vectors[i] = (vector){hash_unit(seed << 60 | (uint64_t)(3 * i)), hash_unit(seed << 60 | (uint64_t)(3 * i + 1)),
                              hash_unit(seed << 60 | (uint64_t)(3 * i + 2))};
    return vectors;
}

static void check(const vector* found) {
    vector *positions = new_vectors(1), *next = new_vectors(0), *velocities = new_vectors(2);
    for (long i = 0; i < steps; ++i) {
        for (long body = 0; body < bodies; ++body)
            move_body(positions, next, &velocities[body], body, bodies);
        vector* const written = next;
        next = positions;
        positions = written;
    }
    for (long i = 0; i < bodies; ++i)
        workload_expect(fabs(found[i].x - positions[i].x) + fabs(found[i].y - positions[i].y) +
                                fabs(found[i].z - positions[i].z) <
                            1e-9,
                        "body %ld is at (%g, %g, %g), expected (%g, %g, %g)", i, found[i].x, found[i].y, found[i].z,
                        positions[i].x, positions[i].y, positions[i].z);
    free(positions);
    free(next);
    free(velocities);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    vector *positions = new_vectors(1), *next = new_vectors(0), *velocities = new_vectors(2);
    const double start = workload_seconds();
    const vector* last = simulate(positions, next, velocities);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(last);
    const vector first = last[0];
    free(positions);
    free(next);
    free(velocities);
    return workload_report(time_s, device_parts() * steps, "first:%.9f:%.9f:%.9f", first.x, first.y, first.z);
}
