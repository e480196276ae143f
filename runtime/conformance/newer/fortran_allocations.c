// SPDX-License-Identifier: Apache-2.0
// stock: fails, it has GOMP_add_alloc and GOMP_is_alloc only from GCC 14 on
//
// Later compilers ask the runtime whether a Fortran allocatable variable was allocated by an OpenMP
// allocator before they free or enlarge it. The answers are right.
#include "newer.h"

enum { kBlocks = 1000 };

int main(void) {
    void (*add)(void*) = newer_symbol("GOMP_add_alloc", "GOMP_5.1.2");
    _Bool (*is_one)(void*) = newer_symbol("GOMP_is_alloc", "GOMP_5.1.2");
    add(NULL);
    CHECK(!is_one(NULL));
#pragma omp parallel
    {
        char* blocks[kBlocks];
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < kBlocks; i++) {
                blocks[i] = omp_alloc(i % 50 + 1, omp_default_mem_alloc);
                if (i % 3 != 0) add(blocks[i]);
            }
            for (int i = kBlocks; i-- > 0;) {
                CHECK_EQ(is_one(blocks[i]), i % 3 != 0);
                CHECK(!is_one(blocks[i])); // asking makes it forget
                omp_free(blocks[i], omp_null_allocator);
            }
        }
    }
}
