// SPDX-License-Identifier: Apache-2.0
// Task reductions, whose copies the runtime combines: once for the taskgroup, and once for the
// region, before its members combine their own copies.
//
// count: task_create.explicit 4+T
// count: reduction.reduction.begin 1+1+T
// count: reduction.reduction.end 1+1+T

int main(void) {
    int sum = 0, members = 0, product = 1;
    long bits = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 0; i < 4; ++i) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
    }
#pragma omp parallel reduction(task, + : members) reduction(task, * : product) reduction(task, | : bits)
    {
#pragma omp task in_reduction(+ : members) in_reduction(* : product) in_reduction(| : bits)
        {
            members += 1;
            product *= 1;
            bits |= 1;
        }
    }
    return sum != 6 || members < 1 || product != 1 || bits != 1;
}
