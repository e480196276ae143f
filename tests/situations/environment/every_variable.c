// SPDX-License-Identifier: Apache-2.0
//
// Situation: each variable that the runtime shows, and its variants for devices, with empty, huge, negative, malformed and non-UTF-8 values
// Catches: a runtime that crashes, uses a part of the value or a value other than the default, prints no warning, or prints it twice
// env: OMP_DISPLAY_ENV=VERBOSE
// limit: 120
#include "again.h"

#include <omp.h>

enum { kMostNames = 100, kLong = 100000 };

static char names[kMostNames][40];
static int name_count;

static char long_digits[kLong + 1], long_bytes[kLong + 1], long_blanks[kLong + 1];

static const char* const kBad[] = {
    "",      " ",  "-1", "-9223372036854775808", "999999999999999999999999", "0x10", "1e9", "1.5", "nan",  "\xff\xfe\xfd", "\xc3\x28", "\x1b[2J",
    "%s%s%n", "1,", ",",  ",1", "a=b", "true false", "{0", "(", "1 1x", "\t\n", long_digits, long_bytes, long_blanks,
};
enum { kBadCount = sizeof kBad / sizeof *kBad };

static int is_one_of(const char* name, const char* const* list) {
    for (; *list; ++list)
        if (strcmp(name, *list) == 0) return 1;
    return 0;
}

// What these hold is up to the program that reads it: a path, a format. No value is bad, apart from
// too long ones.
static int holds_any_text(const char* name) {
    static const char* const kNames[] = {"OMP_AFFINITY_FORMAT", "OMP_TOOL_LIBRARIES", "OMP_TOOL_VERBOSE_INIT", "TEFF_TRACE",
                                         "TEFF_PREEMPT_OBJECTS", "TEFF_DISTRIBUTE", "TEFF_STAT", "TEFF_STAT_EVENTS",
                                         "TEFF_TRACE_COUNTERS", "TEFF_MPI", NULL};
    return is_one_of(name, kNames);
}

// libgomp reads its own list of processors with a comma after any of them.
static int is_good(const char* name, const char* value) { return strcmp(name, "GOMP_CPU_AFFINITY") == 0 && strcmp(value, "1,") == 0; }

static int has_variants(const char* name) {
    static const char* const kNames[] = {
        "OMP_DYNAMIC",    "OMP_NUM_THREADS",        "OMP_SCHEDULE", "OMP_PROC_BIND", "OMP_PLACES",    "OMP_STACKSIZE", "OMP_WAIT_POLICY",
        "OMP_THREAD_LIMIT", "OMP_TEAMS_THREAD_LIMIT", "OMP_NUM_TEAMS", "OMP_ALLOCATOR", "OMP_MAX_ACTIVE_LEVELS", NULL};
    return is_one_of(name, kNames);
}

// The names in what OMP_DISPLAY_ENV shows: OMP_..., GOMP_... and TEFF_... before an equals sign.
static void read_names(const char* shown) {
    for (const char* equals = strchr(shown, '='); equals; equals = strchr(equals + 1, '=')) {
        const char* end = equals;
        while (end > shown && end[-1] == ' ') --end;
        const char* begin = end;
        while (begin > shown && (begin[-1] == '_' || (begin[-1] >= 'A' && begin[-1] <= 'Z'))) --begin;
        const int length = (int)(end - begin);
        const int known = !strncmp(begin, "OMP_", 4) || !strncmp(begin, "GOMP_", 5) || !strncmp(begin, "TEFF_", 5);
        if (!known || length >= (int)sizeof names[0] || name_count == kMostNames) continue;
        snprintf(names[name_count++], sizeof names[0], "%.*s", length, begin);
    }
}

// What is shown from OMP_DISPLAY_ENV's first line on; the warnings are before it.
static const char* display(const struct Again* again) {
    const char* begin = strstr(again->errors, "OPENMP DISPLAY ENVIRONMENT BEGIN");
    return begin ? begin : "";
}

static void try_value(const struct Again* clean, const char* name, const char* value) {
    char* setting = NULL;
    if (asprintf(&setting, "%s=%s", name, value) < 0) WRONG("no memory");
    struct Again again = run_again("show", 10, setting, NULL);
    char what[120];
    snprintf(what, sizeof what, "with %.60s", setting);
    free(setting);
    if (again.hung) WRONG("hangs %s", what);
    if (again.status != 0) WRONG("ends with %s %s", WIFSIGNALED(again.status) ? strsignal(WTERMSIG(again.status)) : "an error", what);
    if (holds_any_text(name) || is_good(name, value)) return;
    if (again.lines != clean->lines + 1) WRONG("%d warnings %s", again.lines - clean->lines, what);
    if (strcmp(display(&again), display(clean)) != 0) WRONG("not the default %s", what);
}

static void try_variants(const struct Again* clean) {
    static const char* const kSuffixes[] = {"_ALL", "_DEV", "_DEV_0"};
    for (int i = 0; i < name_count; ++i)
        for (int bad = 0; bad < kBadCount && has_variants(names[i]); ++bad) {
            const int any_suffix = strcmp(names[i], "OMP_PLACES") != 0; // which places a device has is not known here
            char variant[60];
            snprintf(variant, sizeof variant, "%.39s%s", names[i], kSuffixes[any_suffix ? bad % 3 : 0]);
            try_value(clean, variant, kBad[bad]);
        }
}

static void try_all_at_once(const struct Again* clean) {
    int expected = 0;
    for (int i = 0; i < name_count; ++i) {
        if (holds_any_text(names[i])) continue;
        setenv(names[i], "\xff,", 1);
        ++expected;
    }
    struct Again again = run_again("show", 10, NULL);
    if (again.status != 0) WRONG("ends with all of them bad at once");
    CHECK_EQ(again.lines - clean->lines, expected);
    if (strcmp(display(&again), display(clean)) != 0) WRONG("not the defaults with all of them bad at once");
}

int main(int argc, char** argv) {
    if (argc > 1) return omp_get_max_threads() < 1;
    memset(long_digits, '9', kLong);
    memset(long_bytes, 0x80, kLong);
    memset(long_blanks, ' ', kLong);
    unsetenv("OMP_NUM_THREADS");
    struct Again clean = run_again("show", 10, NULL);
    read_names(display(&clean));
    CHECK(name_count > 15);
    for (int i = 0; i < name_count; ++i)
        for (int bad = 0; bad < kBadCount; ++bad)
            try_value(&clean, names[i], kBad[bad]);
    try_variants(&clean);
    try_all_at_once(&clean);
    return 0;
}
