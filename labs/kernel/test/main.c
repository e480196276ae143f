// SPDX-License-Identifier: Apache-2.0
//
// client [ticks=N] [period_ns=N] GROUP...: runs the checks of these groups, one line each: `ok
// NAME` or `FAILED NAME`.

#include "harness.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#define LIMIT_S 600
#define NOBODY 65534

static const struct {
    const char* name;
    const struct check* checks;
    bool as_root;
} GROUPS[] = {
    {"intact", intact_checks, false},   {"demand", demand_checks, false},     {"stepped", stepped_checks, false},
    {"refusal", refusal_checks, false}, {"lifetime", lifetime_checks, false}, {"root", root_checks, true},
    {"due", due_measurements, false},   {"asked", asked_measurements, false},
};

// Runs in the program that a bound, armed thread has executed: the file that was left open is
// useless, and no tick comes.
static int executed(const char* descriptor) {
    struct teff_preempt_bind wish = {.hold = (uint64_t)&me.hold};
    const int fd = atoi(descriptor);
    alarm(10);
    if (fd >= 0) must(ioctl(fd, TEFF_PREEMPT_BIND, &wish) < 0 && errno == EPERM, "may use the file of its past");
    spin(50000000); // an entry would fault, or call a handler that is not set
    return 0;
}

static int run_check(const struct check* check, bool as_root) {
    int status = 0;
    fflush(stdout);
    const uint64_t began = now_ns();
    const pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT_S);
        must(as_root || (!setgid(NOBODY) && !setuid(NOBODY)), "root's rights cannot be given up");
        check->run();
        fflush(stdout);
        _exit(0);
    }
    must(child > 0 && waitpid(child, &status, 0) == child, "no child: %s", strerror(errno));
    const double seconds = (double)(now_ns() - began) / 1e9;
    if (status == 0) {
        printf("ok %s (%.1f s)\n", check->name, seconds);
    } else if (WIFSIGNALED(status)) {
        printf("FAILED %s: signal %d (%s) after %.1f s\n", check->name, WTERMSIG(status),
               WTERMSIG(status) == SIGALRM ? "time limit" : strsignal(WTERMSIG(status)), seconds);
    } else {
        printf("FAILED %s: see the line above\n", check->name);
    }
    return status != 0;
}

static int run_group(const char* name) {
    int failed = 0;
    for (size_t i = 0; i < sizeof(GROUPS) / sizeof(*GROUPS); i++) {
        if (strcmp(GROUPS[i].name, name)) continue;
        for (const struct check* check = GROUPS[i].checks; check->name; check++) {
            failed += run_check(check, GROUPS[i].as_root);
        }
        return failed;
    }
    must(false, "there is no group '%s'", name);
}

int main(int count, char** words) {
    int failed = 0;
    if (count == 3 && !strcmp(words[1], "executed")) return executed(words[2]);
    for (int i = 1; i < count; i++) {
        if (!strncmp(words[i], "ticks=", 6)) {
            ticks_wanted = strtoull(words[i] + 6, NULL, 10);
        } else if (!strncmp(words[i], "period_ns=", 10)) {
            short_period_ns = strtoull(words[i] + 10, NULL, 10);
        } else {
            failed += run_group(words[i]);
        }
    }
    return failed != 0;
}
