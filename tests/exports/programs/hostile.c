// SPDX-License-Identifier: Apache-2.0
// Its lines are said to be those of a file whose name no format takes as it is.

int sums[4];

int main(void) {
#line 7 "we\"ird; na\nme\\<&>\377.c"
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#line 10 "we\"ird; na\nme\\<&>\377.c"
#pragma omp task firstprivate(i)
        sums[i] = i;
    }
    return sums[3] == 3 ? 0 : 1;
}
