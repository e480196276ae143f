// SPDX-License-Identifier: Apache-2.0
// A target region is one child of the encountering task, deferred or not. Tasks that the target
// region creates are its own children, and run at once, because there is no parallel region inside
// it.
//
// graph:
//   initial
//     implicit region
//       task deferred *5
//         task inner inline *2
//       task included inline
//         task inner inline *2
//     implicit region *T-1

int sum;

static void two_tasks(void) {
    for (int i = 0; i < 2; ++i) {
#pragma omp task // [inner]
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    {
        for (int i = 0; i < 5; ++i) {
#pragma omp target nowait // [deferred]
            two_tasks();
        }
#pragma omp target // [included]
        two_tasks();
    }
    return sum != 12;
}
