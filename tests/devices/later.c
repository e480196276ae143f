// SPDX-License-Identifier: Apache-2.0
// Loads libraries with target regions when the program runs, and uses them on devices.
//   later LIBRARY...        all functions of each; the library number i has FIRST = 10 i
//   later --elsewhere LIBRARY   changes its directory in between
//   later --again LIBRARY       unloads and loads it
//   later --closed LIBRARY      puts other memory in its place
//   later --removed LIBRARY     removes the file before it is used
//   later --replaced LIBRARY OTHER  puts the other file in its place
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../check.h"

enum { COUNT = 64 };

static void* load(const char* path) {
    void* const library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return library;
}

static void* find(void* library, const char* name) {
    void* const found = dlsym(library, name);
    CHECK(found != NULL);
    return found;
}

static void use_table(void* library, int first) {
    int (*add)(int, const int*, int*) = (int (*)(int, const int*, int*))find(library, "add_table");
    int in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; ++i)
        in[i] = i;
    CHECK(add(COUNT, in, out) == 1);
    for (int i = 0; i < COUNT; ++i)
        CHECK(out[i] == i + first + i % 4);
}

static void use(void* library, int first) {
    // A data construct is the first to use the library.
    ((void (*)(void))find(library, "begin_to_count"))();
    CHECK(((int (*)(int))find(library, "count_on_device"))(20) == 25);
    use_table(library, first);
    ((void (*)(void))find(library, "change_table"))();
    use_table(library, first + 100);
}

static void use_memory_at(void* place) {
    enum { PAGES = 64, INTS = 1024 };
    int* const memory = mmap(place, PAGES * INTS * sizeof(int), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(memory == place);
    for (int* page = memory; page != memory + PAGES * INTS; page += INTS) {
#pragma omp target map(tofrom : page[0 : INTS])
        for (int i = 0; i < INTS; ++i)
            page[i] += i;
        for (int i = 0; i < INTS; ++i)
            CHECK(page[i] == i);
    }
}

int main(int argc, char** argv) {
    const char* const how = argc > 2 && strncmp(argv[1], "--", 2) == 0 ? argv[1] : "";
    void* libraries[8];
    const int from = how[0] == '\0' ? 1 : 2;
    const int end = strcmp(how, "--replaced") == 0 ? 3 : argc;
    for (int i = from; i < end; ++i)
        libraries[i - from] = load(argv[i]);
    if (strcmp(how, "--elsewhere") == 0) CHECK(chdir("/") == 0);
    if (strcmp(how, "--removed") == 0) CHECK(unlink(argv[2]) == 0);
    if (strcmp(how, "--replaced") == 0) CHECK(rename(argv[3], argv[2]) == 0);
    for (int i = from; i < end; ++i)
        use(libraries[i - from], 10 * (i - from + 1));
    for (int i = from; i < end; ++i) // again, when all are loaded
        use_table(libraries[i - from], 10 * (i - from + 1) + 100);
    if (strcmp(how, "--again") == 0) {
        CHECK(dlclose(libraries[0]) == 0);
        CHECK(dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) == NULL);
        libraries[0] = load(argv[2]);
        ((void (*)(void))find(libraries[0], "change_table"))(); // the device has kept its own
        use_table(libraries[0], 110);
    }
    if (strcmp(how, "--closed") == 0) {
        Dl_info info;
        CHECK(dladdr(find(libraries[0], "change_table"), &info) != 0);
        CHECK(dlclose(libraries[0]) == 0);
        CHECK(dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) == NULL);
        use_memory_at(info.dli_fbase);
    }
    printf("%d devices, ok\n", omp_get_num_devices());
    return 0;
}
