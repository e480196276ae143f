// SPDX-License-Identifier: Apache-2.0
// Sets its tool's callbacks between the first two regions, and finalises the tool between the third
// and the fourth.

void ompt_test_attach(void);
void ompt_test_finalize(void);

static int region(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int mine = 0;
#pragma omp task shared(mine)
        ++mine;
#pragma omp taskwait
        sum += mine;
    }
    return sum;
}

int main(void) {
    int first = region();
    ompt_test_attach();
    int second = region(), third = region();
    ompt_test_finalize();
    int fourth = region();
    return first != second || second != third || third != fourth;
}
