// SPDX-License-Identifier: Apache-2.0
//
// The program that halves.py builds for each pair of libraries, FIRST and SECOND: loads them, and
// calls main of each, one after the other, in threads of their own. So both have initial tasks and
// control variables of their own, and share the runtime.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char* words[] = {"program", NULL};

static void* call(void* main_of_library) {
    int (*const code)(int, char**) = (int (*)(int, char**))main_of_library;
    const int status = code(1, words);
    if (status != 0) exit(status);
    return NULL;
}

static void run(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* const code = library != NULL ? dlsym(library, "main") : NULL;
    pthread_t thread;
    if (code == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    if (pthread_create(&thread, NULL, call, code) != 0) exit(1);
    pthread_join(thread, NULL);
}

int main(void) {
    run(FIRST);
    run(SECOND);
    return 0;
}
