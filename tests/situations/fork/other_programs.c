// SPDX-License-Identifier: Apache-2.0
// Situation: members and tasks start other programs: fork and exec, vfork, posix_spawn, system, popen, all at once
// Catches: a runtime whose fork handlers wait for a lock that another thread holds while it starts a program.

#include <spawn.h>

#include "../use_openmp.h"

enum { kRounds = 12 };

extern char** environ;

static char* const command[] = {(char*)"true", NULL};

static void by_fork(void) {
    const pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    situation_join(child);
}

static void by_vfork(void) {
    const pid_t child = vfork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    situation_join(child);
}

static void by_spawn(void) {
    pid_t child = -1;
    if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0) WRONG("posix_spawnp failed");
    situation_join(child);
}

static void by_system(void) { CHECK_EQ(system("true"), 0); }

static void by_popen(void) {
    char word[8] = "";
    FILE* pipe = popen("echo yes", "re");
    CHECK(pipe != NULL && fgets(word, sizeof word, pipe) != NULL);
    CHECK(strcmp(word, "yes\n") == 0);
    CHECK_EQ(pclose(pipe), 0);
}

static void (*const ways[])(void) = {by_fork, by_vfork, by_spawn, by_system, by_popen};
enum { kWays = sizeof ways / sizeof *ways };

int main(void) {
    for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(4)
        {
            ways[(round + omp_get_thread_num()) % kWays]();
#pragma omp barrier
#pragma omp for schedule(dynamic)
            for (int i = 0; i < kWays; ++i)
#pragma omp task firstprivate(i)
                ways[i]();
        }
        use_openmp(3);
    }
    return 0;
}
