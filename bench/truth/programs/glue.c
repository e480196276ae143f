// SPDX-License-Identifier: Apache-2.0
//
// The log for programs in Fortran: each function has the name by which Fortran calls it.

#include "truth.h"

void glue_begin(double us, int64_t grains) {
    char words[2][32];
    snprintf(words[0], sizeof words[0], "%f", us);
    snprintf(words[1], sizeof words[1], "%ld", grains);
    char* all[] = {NULL, words[0], words[1]};
    truth_begin(3, all, 1);
}

void glue_grain(int64_t grains, int64_t a) { grain(GRAIN, grains * G, a, 0); }

void glue_region(int ends) { mark(ends ? REGION_ENDS : REGION_BEGINS); }

void glue_end(void) { truth_end(); }
