// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=1 TEFF_TSC=strict
// stock: fails, a thread that waits starts no unrelated task
//
// While a tied task waits, its thread starts untied tasks, and tied ones that descend from it, but
// no other tied ones.
#include "constraint.h"

int main(void) { return expect_order("wudWtc"); }
