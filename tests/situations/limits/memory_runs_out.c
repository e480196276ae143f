// SPDX-License-Identifier: Apache-2.0
//
// Situation: from each allocation of the runtime on, in turn, there is no memory
// Catches: a runtime that follows the null pointer, waits for the member that it could not make, or ends without a word
// library: failing_memory.so failing_memory.c
// env: OMP_NUM_THREADS=4
// limit: 120
#include "each_allocation.h"

int main(int argc, char** argv) {
    (void)argv;
    return fail_at_each_allocation(argc, "FAULTS_FROM");
}
