// SPDX-License-Identifier: Apache-2.0
//
// Tests OpenMP allocators (alignment, zeroing, growth, pool limits and fallbacks) and the allocate
// clause.
#include "check.h"
#include <stdint.h>

static void check_default(void) {
    char* p = omp_alloc(1000, omp_default_mem_alloc);
    CHECK(p != NULL);
    memset(p, 1, 1000);
    p = omp_realloc(p, 100000, omp_default_mem_alloc, omp_default_mem_alloc);
    CHECK(p != NULL && p[0] == 1 && p[999] == 1);
    omp_free(p, omp_default_mem_alloc);
    omp_free(NULL, omp_default_mem_alloc);
    long* zeros = omp_calloc(300, sizeof *zeros, omp_large_cap_mem_alloc);
    for (int i = 0; i < 300; i++)
        CHECK_EQ(zeros[i], 0);
    omp_free(zeros, omp_null_allocator);
    for (size_t alignment = 8; alignment <= 4096; alignment *= 2) {
        char* aligned = omp_aligned_alloc(alignment, alignment * 3, omp_null_allocator);
        CHECK_EQ((uintptr_t)aligned % alignment, 0);
        omp_free(aligned, omp_null_allocator);
        aligned = omp_aligned_calloc(alignment, 5, alignment, omp_null_allocator);
        CHECK_EQ((uintptr_t)aligned % alignment, 0);
        CHECK_EQ(aligned[5 * alignment - 1], 0);
        omp_free(aligned, omp_null_allocator);
    }
}

static void check_pool(void) {
    omp_alloctrait_t traits[] = {
        {omp_atk_pool_size, 8192}, {omp_atk_alignment, 256}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, traits);
    CHECK(pool != omp_null_allocator);
    for (int round = 0; round < 100; round++) {
        char* p = omp_alloc(4096, pool);
        CHECK(p != NULL);
        CHECK_EQ((uintptr_t)p % 256, 0);
        CHECK(omp_alloc(8192, pool) == NULL);
        omp_free(p, pool);
    }
    omp_set_default_allocator(pool);
    CHECK(omp_get_default_allocator() == pool);
    CHECK(omp_alloc(100000, omp_null_allocator) == NULL);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(pool);
}

// The pool need not have room for both sizes.
static void check_resize_in_pool(void) {
    omp_alloctrait_t traits[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, traits);
    char* p = omp_alloc(3000, pool);
    CHECK(p != NULL);
    p[0] = 1, p[2999] = 2;
    p = omp_realloc(p, 4000, pool, pool);
    CHECK(p != NULL && p[0] == 1 && p[2999] == 2);
    CHECK(omp_realloc(p, 5000, pool, pool) == NULL);
    CHECK(omp_alloc(200, pool) == NULL);
    p = omp_realloc(p, 100, pool, pool);
    CHECK(p != NULL && p[0] == 1);
    char* other = omp_alloc(3800, pool);
    CHECK(other != NULL);
    omp_free(other, pool);
    omp_free(p, pool);
    p = omp_alloc(4000, pool);
    CHECK(p != NULL); // all of it came back
    omp_free(p, pool);
    omp_destroy_allocator(pool);
}

static void check_default_is_inherited(void) {
    omp_alloctrait_t traits[] = {{omp_atk_alignment, 128}};
    omp_allocator_handle_t aligned = omp_init_allocator(omp_default_mem_space, 1, traits);
    omp_set_default_allocator(aligned);
#pragma omp parallel
    {
        CHECK(omp_get_default_allocator() == aligned);
        omp_set_default_allocator(omp_thread_mem_alloc);
        CHECK(omp_get_default_allocator() == omp_thread_mem_alloc);
    }
    CHECK(omp_get_default_allocator() == aligned);
#pragma omp parallel
    CHECK(omp_get_default_allocator() == aligned);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(aligned);
}

static void check_clause(void) {
    omp_alloctrait_t traits[] = {{omp_atk_alignment, 256}};
    omp_allocator_handle_t aligned = omp_init_allocator(omp_default_mem_space, 1, traits);
    int copied[50] = {3};
    volatile int size = 40;
    int variable[size];
    variable[39] = 5;
#pragma omp parallel firstprivate(copied, variable) allocate(aligned : copied, variable)
    {
        CHECK_EQ((uintptr_t)copied % 256, 0);
        CHECK_EQ((uintptr_t)variable % 256, 0);
        CHECK_EQ(copied[0] + variable[39], 8);
        copied[0] = omp_get_thread_num();
#pragma omp barrier
        CHECK_EQ(copied[0], omp_get_thread_num());
    }
    CHECK_EQ(copied[0], 3);
    omp_destroy_allocator(aligned);
}

int main(void) {
    check_default();
    check_pool();
    check_resize_in_pool();
    check_default_is_inherited();
    check_clause();
    int values[50] = {0};
    long sum = 0;
#pragma omp parallel private(values) reduction(+ : sum) allocate(omp_default_mem_alloc : values, sum)
    {
        for (int i = 0; i < 50; i++)
            values[i] = i;
        for (int i = 0; i < 50; i++)
            sum += values[i];
    }
    CHECK_EQ(sum, omp_get_max_threads() * 1225L);
}
