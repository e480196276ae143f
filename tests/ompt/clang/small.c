// SPDX-License-Identifier: Apache-2.0
// Constructs that GCC compiles into the program's own code, without a call: masked, flush, and the
// combination of a reduction's copies.
//
// count: masked.begin 2
// count: masked.end 2
// count: flush T
// count: reduction.reduction.begin 2*T
// count: reduction.reduction.end 2*T
// count: work.single_executor.begin 1
// count: work.single_executor.end 1

int main(void) {
    int sum = 0, product = 1;
    long bits = 0;
#pragma omp parallel
    {
#pragma omp master
        sum += 1;
#pragma omp masked filter(0)
        sum += 1;
#pragma omp flush
#pragma omp single nowait
        bits |= 1;
#pragma omp barrier
#pragma omp for reduction(+ : sum) reduction(* : product) reduction(| : bits)
        for (int i = 0; i < 8; ++i) {
            sum += i;
            product *= 1;
            bits |= 2 << i;
        }
#pragma omp for nowait reduction(+ : sum) reduction(* : product) reduction(| : bits)
        for (int i = 0; i < 8; ++i) {
            sum += i;
            product *= 1;
            bits |= 2 << i;
        }
    }
    return sum != 58 || product != 1 || bits != 0x1ff;
}
