// SPDX-License-Identifier: Apache-2.0
// Each section is a chunk of one iteration, numbered from 1.
// GCC 12 gives the call that starts a work-sharing construct the line of the code before it.
//
// graph:
//   initial
//     implicit region *T
// chunks: sections 1+1 2+1 3+1

int done[3];

int main(void) {
#pragma omp parallel // [region]
    {
#pragma omp barrier // [sections]
#pragma omp sections
        {
#pragma omp section
            done[0] = 1;
#pragma omp section
            done[1] = 1;
#pragma omp section
            done[2] = 1;
        }
    }
    return done[0] && done[1] && done[2] ? 0 : 1;
}
