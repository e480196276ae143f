// SPDX-License-Identifier: Apache-2.0
// Runs a tree of tasks, each of which waits: tasks run on top of waiting tasks, and are stolen by
// other threads.
//
// count: task_create.explicit 2*(2**9-1)
// count: schedule.complete 2*(2**9-1)
// count: sync.taskwait.begin 2**9-1
// count: wait.taskwait.end 2**9-1

static int grow(int depth) {
    int left = 0, right = 0;
    if (depth == 0) return 1;
#pragma omp task shared(left)
    left = grow(depth - 1);
#pragma omp task shared(right)
    right = grow(depth - 1);
#pragma omp taskwait
    return left + right;
}

int main(void) {
    int leaves = 0;
#pragma omp parallel
#pragma omp single
    leaves = grow(9);
    return leaves != 1 << 9;
}
