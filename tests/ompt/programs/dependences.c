// SPDX-License-Identifier: Apache-2.0
// Creates tasks with dependences of each type, in chains and diamonds. There are no dependences on
// tasks of other regions.
//
// count: task_create.explicit 10+4*5+3
// count: dependences 10+4*5+3
// count: schedule.complete 10+4*5+3

int chain, left, right, top, bottom, order[64], placed;

static void place(int value) {
    int at;
#pragma omp atomic capture
    at = placed++;
    order[at] = value;
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : chain) firstprivate(i)
            place(i);
        }
        for (int i = 0; i < 5; ++i) {
#pragma omp task depend(in : bottom) depend(out : top)
            place(100);
#pragma omp task depend(in : top) depend(out : left)
            place(101);
#pragma omp task depend(in : top) depend(out : right)
            place(101);
#pragma omp task depend(in : left, right) depend(out : bottom)
            place(102);
        }
        for (int i = 0; i < 3; ++i) {
#pragma omp task depend(mutexinoutset : chain)
            place(200);
        }
    }
    int next = 0, joined = 0;
    for (int i = 0; i < placed; ++i) {
        if (order[i] < 10 && order[i] != next++) return 1;
        joined += order[i] == 102;
    }
    return placed != 33 || joined != 5;
}
