// SPDX-License-Identifier: Apache-2.0
// Forks while another thread uses threadprivate data that the runtime keeps. Prints "ok".
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 200 };

void* __kmpc_threadprivate(void* ident, int thread, void* data, size_t bytes);

static int value, done;

static void* use(void* unused) {
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
        __kmpc_threadprivate(NULL, 0, &value, sizeof value);
    return unused;
}

int main(void) {
    __kmpc_threadprivate(NULL, 0, &value, sizeof value);
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    int failed = 0;
    for (int i = 0; i < FORKS && failed == 0; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit(__kmpc_threadprivate(NULL, 0, &value, sizeof value) == NULL);
        }
        waitpid(child, &failed, 0);
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    puts(failed == 0 ? "ok" : "a child failed");
    return 0;
}
