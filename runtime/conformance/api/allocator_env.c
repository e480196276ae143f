// SPDX-License-Identifier: Apache-2.0
// env: OMP_ALLOCATOR=omp_default_mem_space:alignment=512,pool_size=100000,fallback=null_fb
// stock: fails, it reads traits in OMP_ALLOCATOR only from GCC 13 on
//
// OMP_ALLOCATOR describes the default allocator by traits: all threads use it.
#include "check.h"
#include <stdint.h>

int main(void) {
    omp_allocator_handle_t initial = omp_get_default_allocator();
    CHECK(initial > omp_thread_mem_alloc);
#pragma omp parallel
    {
        CHECK(omp_get_default_allocator() == initial);
        char* memory = omp_alloc(100, omp_null_allocator);
        CHECK_EQ((uintptr_t)memory % 512, 0);
        omp_free(memory, omp_null_allocator);
        CHECK(omp_alloc(200000, omp_null_allocator) == NULL);
        omp_set_default_allocator(omp_default_mem_alloc);
    }
    CHECK(omp_get_default_allocator() == initial);
}
