// SPDX-License-Identifier: Apache-2.0
// Loops whose schedule determines their chunks, but not which thread runs which chunk. GCC 12 gives
// the call that starts a work-sharing construct the line of the code before it; for the first loop
// here, this is the line of the region.
//
// graph:
//   initial
//     implicit region *T
// chunks: region 0+7 7+7 14+7 21+2
// chunks: down 10+2 8+2 6+1
// chunks: stepped 3+2 13+2 23+1
// chunks: wide 9223372036854775808+2 9223372036854784000+2

int done[23], others;

int main(void) {
#pragma omp parallel // [region]
    {
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < 23; ++i)
            done[i] = 1;
#pragma omp for schedule(dynamic, 2) // [down]
        for (int i = 10; i > 5; --i)
#pragma omp atomic
            others += 1;
#pragma omp for schedule(dynamic, 2) // [stepped]
        for (int i = 3; i < 24; i += 5)
#pragma omp atomic
            others += 1;
#pragma omp for schedule(dynamic, 2) // [wide]
        for (unsigned long long i = 9223372036854775808u; i < 9223372036854792192u; i += 4096)
#pragma omp atomic
            others += 1;
    }
    for (int i = 0; i < 23; ++i)
        if (!done[i]) return 1;
    return others == 14 ? 0 : 2;
}
