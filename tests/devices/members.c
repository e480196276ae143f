// SPDX-License-Identifier: Apache-2.0
//
// Constructs with nowait that map large members of a structure, which get one block on the device.
// All of them are in the device's queue before the first wait.
enum { kInts = 1 << 16, kRegions = 6 };

struct Pair {
    int from[kInts], to[kInts];
};

// Returns how many elements are wrong.
static int start(int number) {
    struct Pair pair;
    int wrong = 0;
    for (int i = 0; i < kInts; ++i) {
        pair.from[i] = number + i;
        pair.to[i] = 1;
    }
#pragma omp target nowait map(to : pair.from) map(tofrom : pair.to)
    for (int i = 0; i < kInts; ++i)
        pair.to[i] += pair.from[i];
    if (number < kRegions) {
        wrong = start(number + 1);
    } else {
#pragma omp taskwait
    }
    for (int i = 0; i < kInts; ++i)
        wrong += pair.to[i] != number + i + 1;
    return wrong;
}

int main(void) { return start(1) != 0; }
