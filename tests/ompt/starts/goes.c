// SPDX-License-Identifier: Apache-2.0
// Finalises its tool in the serial part after a region of three threads, and continues without it.

void ompt_test_finalize(void);

static int region(void) {
    int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
    ++members;
    return members;
}

int main(void) {
    const int before = region();
    ompt_test_finalize();
    ompt_test_finalize(); // changes nothing
    return before != 3 || region() != 3 || region() != 3;
}
