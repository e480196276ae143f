/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat on a plate whose edge stays cold, on devices: each device has a strip of rows, which stays
 * there, and a row of each neighbour. In each iteration, each point becomes the mean of its four
 * neighbours; then the devices exchange the rows at the borders of their strips by target update.
 * Only depend clauses order the constructs, so the devices work at the same time.
 */
#include <math.h>

#include "common/devices.h"
#include "common/hash.h"
#include "common/workload.h"

static long rows, columns, iterations;

static const workload_option options[] = {
    {"rows", "rows of the plate", &rows, 16, 65536, {256, 2048, 8192}, NULL},
    {"columns", "columns of the plate", &columns, 3, 65536, {256, 2048, 8192}, NULL},
    {"iterations", "how often each point is computed", &iterations, 1, 10000, {10, 50, 50}, NULL},
};
static const workload self = {"heat",
                              "solves the heat equation on a plate by Jacobi's method, a strip of rows per device; "
                              "the devices exchange rows by target update",
                              options, WORKLOAD_OPTION_COUNT(options)};

/* Rows [first, last) of the plate belong to a device, which also has the row before and the row behind them. */
typedef struct strip {
    int device;
    long first, last;
} strip;

static strip strip_of(long part) {
    const long parts = device_parts(), inner = rows - 2;
    return (strip){device_of_part(part), 1 + part_start(part, parts, inner), 1 + part_start(part + 1, parts, inner)};
}

static void relax(strip own, const double* from, double* to) {
    const long first = own.first, last = own.last, width = columns;
    const double* above = from + (first - 1) * width;
    double* here = to + (first - 1) * width;
    const long points = (last - first + 2) * width;
#pragma omp target teams distribute parallel for device(own.device) nowait map(to : above[ : points])                  \
    map(from : here[ : points]) depend(inout : to[first * width]) depend(in : from[first * width])
    for (long i = 1; i < last - first + 1; ++i)
        for (long j = 1; j < width - 1; ++j)
            here[i * width + j] = 0.25 * (above[(i - 1) * width + j] + above[(i + 1) * width + j] +
                                          above[i * width + j - 1] + above[i * width + j + 1]);
}

/* The depend clauses name the first row of a strip for the strip, and its last but one point for its outer rows in
   the host's memory. */
static void fetch_borders(strip own, double* plate) {
    const long width = columns, first = own.first * width, last = (own.last - 1) * width;
#pragma omp target update device(own.device) nowait from(plate[first : width], plate[last : width])                    \
    depend(inout : plate[first]) depend(out : plate[first + 1])
}

static void give_borders(long part, double* plate) {
    const strip own = strip_of(part);
    const long width = columns, parts = device_parts(), first = own.first * width, behind = own.last * width;
    const long above = strip_of(part > 0 ? part - 1 : part).first * width;
    const long below = part + 1 < parts ? behind : first;
#pragma omp target update device(own.device) nowait to(plate[first - width : width], plate[behind : width])            \
    depend(inout : plate[first]) depend(in : plate[above + 1], plate[below + 1])
}

static void enter(strip own, double* plate) {
    const long start = (own.first - 1) * columns, points = (own.last - own.first + 2) * columns;
#pragma omp target enter data device(own.device) nowait map(to : plate[start : points])                                \
    depend(out : plate[own.first * columns])
}

static void leave(strip own, double* plate, int wanted) {
    const long before = (own.first - 1) * columns, points = (own.last - own.first + 2) * columns;
    const long start = own.first * columns, inner = (own.last - own.first) * columns;
    if (wanted) {
#pragma omp target update device(own.device) nowait from(plate[start : inner]) depend(inout : plate[start])
    }
#pragma omp target exit data device(own.device) nowait map(release : plate[before : points])                           \
    depend(inout : plate[start])
}

/* Returns the plate with the result. */
static double* iterate(double* from, double* to) {
    const long parts = device_parts();
    for (long part = 0; part < parts; ++part) {
        enter(strip_of(part), from);
        enter(strip_of(part), to);
    }
    for (long iteration = 0; iteration < iterations; ++iteration) {
        for (long part = 0; part < parts; ++part)
            relax(strip_of(part), from, to);
        double* const written = to;
        to = from;
        from = written;
        if (iteration + 1 == iterations) break;
        for (long part = 0; part < parts; ++part)
            fetch_borders(strip_of(part), written);
        for (long part = 0; part < parts; ++part)
            give_borders(part, written);
    }
    for (long part = 0; part < parts; ++part) {
        leave(strip_of(part), from, 1);
        leave(strip_of(part), to, 0);
    }
#pragma omp taskwait
    return from;
}

/* The same without devices, and without OpenMP. */
static double* expected_plate(double* from, double* to) {
    for (long iteration = 0; iteration < iterations; ++iteration) {
        for (long i = 1; i < rows - 1; ++i)
            for (long j = 1; j < columns - 1; ++j)
                to[i * columns + j] = 0.25 * (from[(i - 1) * columns + j] + from[(i + 1) * columns + j] +
                                              from[i * columns + j - 1] + from[i * columns + j + 1]);
        double* const written = to;
        to = from;
        from = written;
    }
    return from;
}

static double* new_plate(int filled) {
    double* plate = workload_allocate((size_t)(rows * columns) * sizeof *plate);
    memset(plate, 0, (size_t)(rows * columns) * sizeof *plate);
    for (long i = 1; i < rows - 1 && filled; ++i)
        for (long j = 1; j < columns - 1; ++j)
            plate[i * columns + j] = hash_unit((uint64_t)(i * columns + j));
    return plate;
}

static void check(const double* plate) {
    double *first = new_plate(1), *second = new_plate(0);
    const double* expected = expected_plate(first, second);
    for (long i = 0; i < rows; ++i)
        for (long j = 0; j < columns; ++j)
            workload_expect(fabs(plate[i * columns + j] - expected[i * columns + j]) < 1e-12,
                            "point (%ld, %ld) is %g, expected %g", i, j, plate[i * columns + j],
                            expected[i * columns + j]);
    free(first);
    free(second);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    double *first = new_plate(1), *second = new_plate(0);
    const double start = workload_seconds();
    const double* plate = iterate(first, second);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(plate);
    const double near_corner = plate[columns + 1];
    free(first);
    free(second);
    return workload_report(time_s, device_parts() * iterations, "near_corner:%.9f", near_corner);
}
