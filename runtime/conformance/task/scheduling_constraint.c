// SPDX-License-Identifier: Apache-2.0
//
// While a tied task waits in taskwait, its thread starts only tied tasks that descend from it
// (and from every other task that is suspended on that thread).
#include "check.h"

enum { MOST_THREADS = 64, MOST_SUSPENDED = 64, DEPTH = 8 };

struct node {
    struct node* parent;
};

// Touched only by tasks on the thread itself: no two run on it at once.
static struct {
    struct node* suspended[MOST_SUSPENDED];
    int count;
} threads[MOST_THREADS];

static int descends_from(const struct node* node, const struct node* ancestor) {
    while (node != NULL && node != ancestor)
        node = node->parent;
    return node != NULL;
}

static void check_may_start(const struct node* node) {
    int me = omp_get_thread_num();
    for (int i = 0; i < threads[me].count; i++)
        CHECK(descends_from(node, threads[me].suspended[i]));
}

static void suspend(struct node* node) {
    int me = omp_get_thread_num();
    CHECK(threads[me].count < MOST_SUSPENDED);
    threads[me].suspended[threads[me].count++] = node;
}

static void resume(const struct node* node) {
    int me = omp_get_thread_num(), i = 0;
    while (i < threads[me].count && threads[me].suspended[i] != node)
        i++;
    CHECK(i < threads[me].count); // a tied task resumes on its own thread
    threads[me].suspended[i] = threads[me].suspended[--threads[me].count];
}

static int work(struct node* parent, int depth) {
    struct node self = {parent};
    int counts[3] = {0}, thread = omp_get_thread_num();
    check_may_start(&self);
    if (depth == 0) return 1;
    for (int i = 0; i < 2 + depth % 2; i++) {
#pragma omp task shared(self, counts) firstprivate(i)
        counts[i] = work(&self, depth - 1);
    }
    suspend(&self);
#pragma omp taskwait
    resume(&self);
    CHECK_EQ(omp_get_thread_num(), thread);
    return 1 + counts[0] + counts[1] + counts[2];
}

int main(void) {
    int total = 0, expected = 1;
    for (int depth = 1; depth <= DEPTH; depth++)
        expected = 1 + (2 + depth % 2) * expected;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task shared(total)
        {
            int count = work(NULL, DEPTH - 1);
#pragma omp atomic
            total += count;
        }
    }
    CHECK_EQ(total, 4 * (expected - 1) / (2 + DEPTH % 2));
}
