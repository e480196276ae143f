// SPDX-License-Identifier: Apache-2.0
//
// Ends of the run, by the name in the first argument. Prints the process of device 0 first.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/times.h>
#include <unistd.h>

#pragma omp declare target
static long processor_time(void) {
    struct tms used;
    times(&used);
    return used.tms_utime + used.tms_stime;
}
#pragma omp end declare target

int main(int count, char** words) {
    const char* const how = count > 1 ? words[1] : "";
    int process = 0;
#pragma omp target map(from : process)
    process = getpid();
    printf("%d\n", process);
    fflush(stdout);
    if (strcmp(how, "device") == 0) {
#pragma omp target
        raise(SIGKILL);
    } else if (strcmp(how, "deferred") == 0) {
#pragma omp target nowait
        raise(SIGKILL);
#pragma omp taskwait
    } else if (strcmp(how, "wait") == 0) {
        // The host ends with a message while a deferred region hangs.
        int array[100] = {0};
#pragma omp target nowait device(1)
        raise(SIGSTOP);
#pragma omp target enter data map(to : array[0 : 50])
#pragma omp target map(tofrom : array[40 : 20])
        array[41] = 1;
        printf("%d\n", array[41]); // is not reached
    } else if (strcmp(how, "host") == 0) {
        raise(SIGKILL);
    } else if (strcmp(how, "busy") == 0) {
        // The host is ended while the device runs a region.
        if (fork() == 0) {
            sleep(1);
            kill(getppid(), SIGKILL);
            _exit(0);
        }
#pragma omp target
        for (;;)
            pause();
    } else if (strcmp(how, "stop") == 0) {
#pragma omp target
        raise(SIGSTOP);
    } else if (strcmp(how, "long") == 0) {
#pragma omp target
        sleep(4);
        printf("long, ok\n");
    } else if (strcmp(how, "idle") == 0) {
        long before = 0, after = 0;
#pragma omp target map(from : before)
        before = processor_time();
        sleep(1);
#pragma omp target map(from : after)
        after = processor_time();
        printf("idle %ld of %ld\n", after - before, sysconf(_SC_CLK_TCK));
    } else if (strcmp(how, "exit") == 0) {
        exit(7);
    } else if (strcmp(how, "_exit") == 0) {
        _exit(9);
    } else if (strcmp(how, "device-exit") == 0) {
#pragma omp target
        _exit(5);
    } else if (strcmp(how, "overlap") == 0) {
        int array[100] = {0};
        (void)array;
#pragma omp target enter data map(to : array[0 : 50])
#pragma omp target map(tofrom : array[40 : 20])
        array[41] = 1;
    } else if (strcmp(how, "output") == 0) {
        printf("host, before\n");
        fflush(stdout);
#pragma omp target
        printf("device\n");
        printf("host, after\n");
    }
    return 0;
}
