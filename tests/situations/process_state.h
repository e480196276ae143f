// SPDX-License-Identifier: Apache-2.0
//
// Reads the state that the kernel reports for this process.
#ifndef PROCESS_STATE_H
#define PROCESS_STATE_H

#include <dirent.h>
#include <sched.h>

#include "situation.h"

// The threads that the process has now.
__attribute__((unused)) static int count_threads(void) {
    DIR* tasks = opendir("/proc/self/task");
    if (tasks == NULL) SKIP("no /proc");
    int count = 0;
    for (const struct dirent* entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

// A line of /proc/self/status, in KiB: VmRSS, VmData, VmSize.
__attribute__((unused)) static long memory_kib(const char* line_name) {
    FILE* status = fopen("/proc/self/status", "re");
    if (status == NULL) SKIP("no /proc");
    char line[256];
    long kib = -1;
    while (fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, line_name, strlen(line_name)) == 0) sscanf(line + strlen(line_name), ": %ld", &kib);
    fclose(status);
    return kib;
}

// Waits until the process has at most `limit` threads: threads that end are still counted for a
// moment. Those that do not end make a hang.
__attribute__((unused)) static void wait_for_threads_to_end(int limit) {
    for (int looks = 0; count_threads() > limit; ++looks) {
        if (looks > 2000) WRONG("%d threads are left, instead of at most %d", count_threads(), limit);
        usleep(1000);
    }
}

#endif
