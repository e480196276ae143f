/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of tasks after Task Bench (Slaughter et al., SC 2020), as target regions. There are
 * --width points and --steps steps of time, with one region with nowait for each point and step.
 * It works for --grain rounds, and writes --bytes of output. Its inputs are outputs of the step
 * before, of the points that --pattern names. The depend clauses name inputs and output. The
 * regions of a point run on the same device if the program places them; with --place runtime they
 * have no device clause, and the runtime decides.
 */
#include "common/devices.h"
#include "common/hash.h"
#include "common/workload.h"

enum { kTrivial, kNoCommunication, kStencil, kPeriodic, kFft, kTree, kNearest, kSpread, kRandom, kPatterns };
enum { kMostInputs = 5 };
static const char* const pattern_names[kPatterns] = {
    "trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "fft", "tree", "nearest", "spread", "random"};
static const char* const place_names[] = {"program", "runtime"};

static long pattern, width, steps, grain, bytes, place, pause_us;

static const workload_option options[] = {
    {"pattern", "inputs of a task", &pattern, 0, kPatterns - 1, {kStencil, kStencil, kStencil}, pattern_names},
    {"width", "tasks per step", &width, 1, 4096, {8, 16, 64}, NULL},
    {"steps", "steps of time", &steps, 1, 100000, {16, 100, 1000}, NULL},
    {"grain", "rounds of work in a task, of some nanoseconds each", &grain, 0, 1000000000, {1000, 10000, 10000}, NULL},
    {"bytes", "of output of a task, a multiple of 8", &bytes, 8, 1 << 28, {64, 1024, 65536}, NULL},
    {"place", "who chooses the device of a region", &place, 0, 1, {0, 0, 0}, place_names},
    {"sleep", "microseconds that each region also sleeps, in place of work", &pause_us, 0, 1000000, {0, 0, 0}, NULL},
};
static const workload self = {"taskbench",
                              "runs the graphs of tasks of Task Bench as target regions (Slaughter et al. 2020)",
                              options, WORKLOAD_OPTION_COUNT(options)};

/* The points of the step before that a task reads, each once. */
typedef struct inputs {
    int count;
    long points[kMostInputs];
} inputs;

static long wrapped(long point) { return (point % width + width) % width; }

static void add_input(inputs* of, long point) {
    if (point < 0 || point >= width) return;
    for (int i = 0; i < of->count; ++i)
        if (of->points[i] == point) return;
    of->points[of->count++] = point;
}

/* The distance of the partners in a step of a Fourier transform. */
static long fft_distance(long step) {
    long levels = 0;
    while ((1L << (levels + 1)) <= width)
        ++levels;
    return levels == 0 ? 0 : 1L << ((step - 1) % levels);
}

static inputs inputs_of(long step, long point) {
    inputs of = {0, {0}};
    if (step == 0 || pattern == kTrivial) return of;
    switch (pattern) {
    case kNoCommunication:
        add_input(&of, point);
        break;
    case kStencil:
        for (long i = -1; i <= 1; ++i)
            add_input(&of, point + i);
        break;
    case kPeriodic:
        for (long i = -1; i <= 1; ++i)
            add_input(&of, wrapped(point + i));
        break;
    case kFft:
        for (long i = -1; i <= 1; ++i)
            add_input(&of, point + i * fft_distance(step));
        break;
    case kTree:
        add_input(&of, point / 2);
        break;
    case kNearest:
        for (long i = 0; i < kMostInputs; ++i)
            add_input(&of, point - kMostInputs / 2 + i);
        break;
    case kSpread:
        for (long i = 0; i < kMostInputs; ++i)
            add_input(&of, wrapped(point + step + i * width / kMostInputs));
        break;
    case kRandom:
        for (long i = 0; i < kMostInputs; ++i)
            add_input(&of, (long)(hash_mix((uint64_t)((step * width + point) * kMostInputs + i)) % (uint64_t)width));
        break;
    default:
        break;
    }
    return of;
}

#pragma omp declare target
/* The first word of an output depends on the task and on the first words of its inputs; the others on the first. */
static uint64_t first_word(uint64_t task, const uint64_t* const* in, int count, long rounds) {
    uint64_t word = hash_mix(task);
    for (int i = 0; i < count; ++i)
        word = hash_mix(word ^ in[i][0]);
    return hash_chain(word, rounds);
}

static void run_task(uint64_t task, uint64_t* out, long words, const uint64_t* const* in, int count, long rounds,
                     long pause) {
    device_sleep(pause);
    const uint64_t first = first_word(task, in, count, rounds);
    for (long i = 0; i < words; ++i)
        out[i] = first + (uint64_t)i;
}
#pragma omp end declare target

/* The output of a point in the even and in the odd steps. */
static uint64_t** outputs[2];

static uint64_t* output(long step, long point) { return outputs[step % 2][point]; }

/* Stands for an input that a task has not: no task writes it, and an array of it without elements is mapped. */
static const uint64_t no_input[1];

static void spawn(long step, long point) {
    const inputs of = inputs_of(step, point);
    const uint64_t* in[kMostInputs];
    long n[kMostInputs];
    uint64_t* out = output(step, point);
    const long words = bytes / (long)sizeof *out, rounds = grain, pause = pause_us;
    for (int i = 0; i < kMostInputs; ++i) {
        in[i] = i < of.count ? output(step - 1, of.points[i]) : no_input;
        n[i] = i < of.count ? words : 0;
    }
    const uint64_t *a = in[0], *b = in[1], *c = in[2], *d = in[3], *e = in[4];
    const uint64_t task = (uint64_t)(step * width + point);
    const int device = device_of_part(point), count = of.count;
    if (place == 0) {
#pragma omp target device(device) nowait map(from : out[ : words])                                                     \
    map(to : a[ : n[0]], b[ : n[1]], c[ : n[2]], d[ : n[3]], e[ : n[4]]) depend(in : a[0], b[0], c[0], d[0], e[0])     \
    depend(out : out[0])
        run_task(task, out, words, (const uint64_t* const[]){a, b, c, d, e}, count, rounds, pause);
    } else {
#pragma omp target nowait map(from : out[ : words])                                                                    \
    map(to : a[ : n[0]], b[ : n[1]], c[ : n[2]], d[ : n[3]], e[ : n[4]]) depend(in : a[0], b[0], c[0], d[0], e[0])     \
    depend(out : out[0])
        run_task(task, out, words, (const uint64_t* const[]){a, b, c, d, e}, count, rounds, pause);
    }
}

static void run(void) {
    for (long step = 0; step < steps; ++step)
        for (long point = 0; point < width; ++point)
            spawn(step, point);
#pragma omp taskwait
}

/* Each output of the last two steps must be what a serial run computes. */
static void check(void) {
    uint64_t* words[2] = {workload_allocate((size_t)width * 8), workload_allocate((size_t)width * 8)};
    for (long step = 0; step < steps; ++step)
        for (long point = 0; point < width; ++point) {
            const inputs of = inputs_of(step, point);
            const uint64_t* in[kMostInputs];
            for (int i = 0; i < of.count; ++i)
                in[i] = &words[(step + 1) % 2][of.points[i]];
            words[step % 2][point] = first_word((uint64_t)(step * width + point), in, of.count, grain);
        }
    for (long step = steps > 1 ? steps - 2 : 0; step < steps; ++step)
        for (long point = 0; point < width; ++point)
            for (long i = 0; i < bytes / 8; ++i)
                workload_expect(output(step, point)[i] == words[step % 2][point] + (uint64_t)i,
                                "word %ld of task %ld in step %ld is wrong", i, point, step);
    free(words[0]);
    free(words[1]);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    if (bytes % 8) workload_usage_error("--bytes must be a multiple of 8, not %ld", bytes);
    for (int parity = 0; parity < 2; ++parity) {
        outputs[parity] = workload_allocate((size_t)width * sizeof *outputs[parity]);
        for (long point = 0; point < width; ++point)
            outputs[parity][point] = workload_allocate((size_t)bytes);
    }
    const double start = workload_seconds();
    run();
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check();
    const uint64_t last = output(steps - 1, width - 1)[0];
    for (int parity = 0; parity < 2; ++parity) {
        for (long point = 0; point < width; ++point)
            free(outputs[parity][point]);
        free(outputs[parity]);
    }
    return workload_report(time_s, steps * width, "last:%016llx", (unsigned long long)last);
}
