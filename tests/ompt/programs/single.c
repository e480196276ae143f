// SPDX-License-Identifier: Apache-2.0
// single constructs: with and without the barrier, with copyprivate, and with tasks inside.
//
// count: work.single_executor.begin 4
// count: work.single_executor.end 4
// count: work.single_other.begin 4*(T-1)
// count: work.single_other.end 4*(T-1)
// count: task_create.explicit 3

int main(void) {
    int once = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int shared_value = 0;
#pragma omp single
        ++once;
#pragma omp single nowait
        {
#pragma omp atomic
            ++once;
        }
#pragma omp single copyprivate(shared_value)
        shared_value = 5;
#pragma omp single
        for (int i = 0; i < 3; ++i) {
#pragma omp task
            {
#pragma omp atomic
                ++once;
            }
        }
        sum += shared_value == 5;
    }
    return once != 5 || sum == 0;
}
