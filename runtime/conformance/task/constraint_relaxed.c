// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=1 TEFF_TSC=relaxed
// stock: fails, a thread that waits starts no unrelated task
//
// While a tied task waits, its thread starts any task, the newest first.
#include "constraint.h"

int main(void) { return expect_order("wtcudW"); }
