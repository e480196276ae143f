// SPDX-License-Identifier: Apache-2.0
// Tasks outlive their parent: the parent ends without waiting for them, and the region's barrier
// joins them.
//
// graph:
//   initial
//     implicit region
//       task parent *2
//         task child *2
//           task grandchild
//     implicit region *T-1

int count;

static void count_one(void) {
#pragma omp atomic
    ++count;
}

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    for (int i = 0; i < 2; ++i) {
#pragma omp task // [parent]
        for (int j = 0; j < 2; ++j) {
#pragma omp task // [child]
            {
#pragma omp task // [grandchild]
                count_one();
            }
        }
    }
    return count == 4 ? 0 : 1;
}
