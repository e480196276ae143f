/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that all workloads share: the options, the sizes, a clock, and the final line.
 *
 * A workload describes itself in one `workload` table, calls workload_init() first, times its parallel part with
 * workload_seconds(), tests its result with workload_expect() when workload_check_wanted() says so, and ends with
 * `return workload_report(...)`. Each program is one translation unit, so the state below is plain static data.
 *
 * Nothing here touches OpenMP except to ask for the number of threads: a workload must show the runtime under it,
 * not its own helpers. Plain C that is also C++.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A program that uses another library for its threads defines this before it includes us. */
#ifndef WORKLOAD_THREADS
#include <omp.h>
#define WORKLOAD_THREADS() omp_get_max_threads()
#endif

enum { WORKLOAD_SIZES = 3 };
static const char* const workload_size_names[WORKLOAD_SIZES] = {"small", "medium", "large"};

/* Stand in an option's `choices` and say that it is neither a whole number nor a choice. */
static const char* const workload_thousandths[] = {NULL}; /* with decimals, kept in thousandths */
static const char* const workload_flag[] = {NULL};        /* takes no value; 1 where it is given */

/* The choices of an option --tasks, whose value is 1 for untied tasks. */
static const char* const workload_tie_names[] = {"tied", "untied"};

typedef struct workload_option {
    const char* name;    /* without the leading "--" */
    const char* meaning; /* with its unit */
    long* value;         /* a number, the index of a choice, or a flag */
    long min, max;
    long preset[WORKLOAD_SIZES]; /* the values that --size selects */
    const char* const* choices;  /* names of 0..max; NULL: a whole number; or one of the two above */
} workload_option;

typedef struct workload {
    const char* name;
    const char* about; /* what it does and where the idea comes from */
    const workload_option* options;
    int option_count;
} workload;

#define WORKLOAD_OPTION_COUNT(options) ((int)(sizeof(options) / sizeof((options)[0])))

static const workload* workload_self;
static const char* workload_size_label;
static int workload_check_flag = 1;

static inline double workload_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline int workload_check_wanted(void) { return workload_check_flag; }

__attribute__((noreturn, format(printf, 1, 2))) static inline void workload_usage_error(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", workload_self->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; see %s --help\n", workload_self->name);
    va_end(arguments);
    exit(2);
}

/* Ends the program with status 1 and the message when the result is wrong. */
__attribute__((format(printf, 2, 3))) static inline void workload_expect(int ok, const char* format, ...) {
    va_list arguments;
    if (ok) return;
    va_start(arguments, format);
    fprintf(stderr, "%s: check failed: ", workload_self->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* A workload's arrays are its input: without them it cannot go on. Returns `memory`, or ends the program. */
static inline void* workload_memory(void* memory, size_t bytes) {
    if (!memory) {
        fprintf(stderr, "%s: cannot allocate %zu bytes: choose a smaller size\n", workload_self->name, bytes);
        exit(1);
    }
    return memory;
}

static inline void* workload_allocate(size_t bytes) { return workload_memory(malloc(bytes ? bytes : 1), bytes); }

static inline void workload_help_range(const workload_option* option) {
    const double unit = option->choices == workload_thousandths ? 1e-3 : 1;
    printf("%.10g..%.10g; small %.10g, medium %.10g, large %.10g\n", (double)option->min * unit,
           (double)option->max * unit, (double)option->preset[0] * unit, (double)option->preset[1] * unit,
           (double)option->preset[2] * unit);
}

static inline void workload_help_option(const workload_option* option) {
    printf("  --%-12s %s\n", option->name, option->meaning);
    if (option->choices == workload_flag) return;
    fputs("                 ", stdout);
    if (!option->choices || option->choices == workload_thousandths) {
        workload_help_range(option);
        return;
    }
    for (long i = 0; i <= option->max; ++i)
        printf("%s%s", i ? "|" : "one of ", option->choices[i]);
    printf("; default %s\n", option->choices[option->preset[0]]);
}

static inline void workload_help(void) {
    printf("%s: %s\n\nOptions (as --name VALUE or --name=VALUE):\n", workload_self->name, workload_self->about);
    for (int i = 0; i < workload_self->option_count; ++i)
        workload_help_option(&workload_self->options[i]);
    puts("  --size         small|medium|large: values for all options above that are not given; default small\n"
         "  --check        compare the result with a serial computation (default); exit status 1 if it is wrong\n"
         "  --no-check     do not\n"
         "  --help         print this\n"
         "OMP_NUM_THREADS sets the number of threads.");
    exit(0);
}

static inline long workload_choice(const workload_option* option, const char* text) {
    for (long i = 0; i <= option->max; ++i)
        if (!strcmp(option->choices[i], text)) return i;
    workload_usage_error("--%s does not know '%s'", option->name, text);
}

static inline long workload_number(const workload_option* option, const char* text) {
    char* end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end) workload_usage_error("--%s wants a whole number, not '%s'", option->name, text);
    if (errno || value < option->min || value > option->max)
        workload_usage_error("--%s must lie in %ld..%ld, not %s", option->name, option->min, option->max, text);
    return value;
}

static inline long workload_decimal(const workload_option* option, const char* text) {
    char* end;
    const double value = strtod(text, &end) * 1e3;
    if (end == text || *end) workload_usage_error("--%s wants a number, not '%s'", option->name, text);
    if (!(value >= (double)option->min && value <= (double)option->max))
        workload_usage_error("--%s must lie in %g..%g, not %s", option->name, (double)option->min * 1e-3,
                             (double)option->max * 1e-3, text);
    return (long)(value < 0 ? value - 0.5 : value + 0.5);
}

static inline long workload_value(const workload_option* option, const char* text) {
    if (!option->choices) return workload_number(option, text);
    if (option->choices == workload_thousandths) return workload_decimal(option, text);
    return workload_choice(option, text);
}

static inline int workload_size_index(const char* text) {
    for (int i = 0; i < WORKLOAD_SIZES; ++i)
        if (!strcmp(workload_size_names[i], text)) return i;
    workload_usage_error("--size must be small, medium or large, not '%s'", text);
}

static inline void workload_use_size(int size) {
    for (int i = 0; i < workload_self->option_count; ++i)
        *workload_self->options[i].value = workload_self->options[i].preset[size];
    workload_size_label = workload_size_names[size];
}

/* If argument `*index` is --name VALUE or --name=VALUE, returns VALUE and steps over it; else NULL. */
static inline const char* workload_match(const char* name, int argc, char** argv, int* index) {
    const char* argument = argv[*index];
    const size_t length = strlen(name);
    if (strncmp(argument, "--", 2) || strncmp(argument + 2, name, length)) return NULL;
    if (argument[2 + length] == '=') return argument + 3 + length;
    if (argument[2 + length]) return NULL;
    if (*index + 1 >= argc) workload_usage_error("--%s wants a value", name);
    return argv[++*index];
}

/* Whether --name VALUE or --name=VALUE stands on a command line that workload_init() has accepted. */
static inline int workload_given(const char* name, int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (workload_match(name, argc, argv, &i)) return 1;
    return 0;
}

static inline int workload_is_flag(const workload_option* option, const char* argument) {
    return option->choices == workload_flag && !strncmp(argument, "--", 2) && !strcmp(argument + 2, option->name);
}

static inline int workload_parse_option(int argc, char** argv, int* index) {
    for (int i = 0; i < workload_self->option_count; ++i) {
        const workload_option* option = &workload_self->options[i];
        if (workload_is_flag(option, argv[*index])) return (int)(*option->value = 1);
        if (option->choices == workload_flag) continue;
        const char* text = workload_match(option->name, argc, argv, index);
        if (!text) continue;
        *option->value = workload_value(option, text);
        workload_size_label = "custom";
        return 1;
    }
    return 0;
}

/* Reads the command line. --size is applied first, so that a number given anywhere overrides it. */
static inline void workload_init(const workload* self, int argc, char** argv) {
    workload_self = self;
    workload_use_size(0);
    for (int i = 1; i < argc; ++i) {
        const char* text = workload_match("size", argc, argv, &i);
        if (text) workload_use_size(workload_size_index(text));
    }
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) workload_help();
        else if (!strcmp(argv[i], "--check")) workload_check_flag = 1;
        else if (!strcmp(argv[i], "--no-check")) workload_check_flag = 0;
        else if (!workload_match("size", argc, argv, &i) && !workload_parse_option(argc, argv, &i))
            workload_usage_error("unknown argument '%s'", argv[i]);
    }
}

/* The peak of this program alone: getrusage() would carry over the peak of whoever started it. */
static inline long workload_peak_rss_kib(void) {
    char line[256];
    long kib = 0;
    FILE* status = fopen("/proc/self/status", "r");
    if (!status) return 0;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    fclose(status);
    return kib;
}

/* Prints the final line; `tasks` is the number of explicit tasks in the timed part, or 0 where it has none. */
__attribute__((format(printf, 3, 4))) static inline int workload_report(double time_s, long tasks,
                                                                        const char* result_format, ...) {
    const long peak_rss_kib = workload_peak_rss_kib();
    va_list arguments;
    printf("%s size=%s time_s=%.6f result=", workload_self->name, workload_size_label, time_s);
    va_start(arguments, result_format);
    vprintf(result_format, arguments);
    va_end(arguments);
    printf(" threads=%d", WORKLOAD_THREADS());
    if (tasks) printf(" tasks=%ld", tasks);
    printf(" peak_rss_kib=%ld check=%s\n", peak_rss_kib, workload_check_flag ? "ok" : "skipped");
    return 0;
}

#endif
