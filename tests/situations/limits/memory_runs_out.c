// SPDX-License-Identifier: Apache-2.0
//
// Situation: for each allocation of the runtime in turn: this allocation and all later ones fail
// Catches: a runtime that dereferences the null pointer, waits for a member that it could not create, or ends without a message
// library: failing_memory.so failing_memory.c
// env: OMP_NUM_THREADS=4
// limit: 120
#include "each_allocation.h"

int main(int argc, char** argv) {
    (void)argv;
    return fail_at_each_allocation(argc, "FAULTS_FROM");
}
