// SPDX-License-Identifier: Apache-2.0
//
// Makes two nested control groups, if the machine permits it: groups of cgroup v2 if v2 has the
// controller, otherwise groups of cgroup v1. The groups are removed when the program ends. The
// machine's own groups are not changed, except that with v2 the controller is enabled for their
// children.
#ifndef GROUPS_H
#define GROUPS_H

#include "again.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

static char groups_outer[200], groups_inner[300];
static int groups_version;

// False: it cannot be written, or the kernel does not want the value.
__attribute__((unused)) static int groups_write(const char* group, const char* file, const char* text) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", group, file);
    const int out = open(path, O_WRONLY);
    if (out < 0) return 0;
    const ssize_t length = (ssize_t)strlen(text);
    const int written = write(out, text, (size_t)length) == length;
    close(out);
    return written;
}

static void groups_remove(void) {
    if (groups_inner[0]) rmdir(groups_inner);
    if (groups_outer[0]) rmdir(groups_outer);
}

static int groups_make_in(const char* top) {
    snprintf(groups_outer, sizeof groups_outer, "%s/situation-%d", top, (int)getpid());
    snprintf(groups_inner, sizeof groups_inner, "%s/inner", groups_outer);
    if (mkdir(groups_outer, 0755) != 0) return 0;
    return mkdir(groups_inner, 0755) == 0;
}

static int groups_make_v2(const char* controller) {
    char add[40];
    snprintf(add, sizeof add, "+%s", controller);
    if (!groups_write("/sys/fs/cgroup", "cgroup.subtree_control", add)) return 0;
    if (!groups_make_in("/sys/fs/cgroup")) return 0;
    groups_version = 2;
    return groups_write(groups_outer, "cgroup.subtree_control", add);
}

static int groups_make_v1(const char* controller) {
    char top[100];
    snprintf(top, sizeof top, "/sys/fs/cgroup/%s", controller);
    groups_version = 1;
    return groups_make_in(top);
}

// Two nested groups with this controller.
__attribute__((unused)) static void groups_make(const char* controller) {
    const int made = groups_make_v2(controller) || (groups_remove(), groups_make_v1(controller));
    if (made) return;
    groups_remove();
    SKIP("no control group with %s can be made here", controller);
}

// As again_prepare: the child enters the inner group before it becomes the program.
__attribute__((unused)) static void groups_enter(void) {
    char self[20];
    snprintf(self, sizeof self, "%d", (int)getpid());
    if (!groups_write(groups_inner, "cgroup.procs", self)) _exit(kSkipped);
}

__attribute__((unused)) static int groups_machine_processors(void) {
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

// WRONG ends by _exit, so the groups are removed first.
#define GROUPS_WRONG(...) (groups_remove(), WRONG(__VA_ARGS__))

#endif
