// SPDX-License-Identifier: Apache-2.0
//
// Cases of data that OpenMP shares: each must compute the same result as a serial program.
#include <stdlib.h>
#include <unistd.h>

#include "case.h"

enum { MANY = 20000 };

static int numbers[MANY];
static unsigned char bytes[4096];
static long counter;
static long private_number;
#pragma omp threadprivate(private_number)

static int globals(void) {
#pragma omp parallel for
    for (int i = 0; i < MANY; i++)
        numbers[i] = 3 * i;
    for (int i = 0; i < MANY; i++)
        if (numbers[i] != 3 * i) return 0;
    return 1;
}

static int heap(void) {
    double** rows = calloc(64, sizeof *rows);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 64; i++) {
        rows[i] = malloc(1000 * sizeof(double)); // by whoever has the iteration
        for (int j = 0; j < 1000; j++)
            rows[i][j] = i + j;
    }
    double sum = 0;
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < 1000; j++)
            sum += rows[i][j];
        free(rows[i]);
    }
    free(rows);
    return sum == 64.0 * 1000 * (31.5 + 499.5);
}

// Variables on the stack of the thread that begins the region, and of a task's creator.
static int stack(void) {
    int local[100] = {0}, right = 1;
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 100; i++)
            local[i] = i;
        int mine[4] = {0};
        for (int i = 0; i < 4; i++) {
#pragma omp task shared(mine) firstprivate(i)
            mine[i] = i + 1;
        }
#pragma omp taskwait
        if (mine[0] + mine[1] + mine[2] + mine[3] != 10) {
#pragma omp critical
            right = 0;
        }
    }
    for (int i = 0; i < 100; i++)
        if (local[i] != i) right = 0;
    return right;
}

// Each byte of one page is written by the next thread.
static int false_sharing(void) {
    for (int round = 1; round <= 20; round++) {
#pragma omp parallel
        for (int i = omp_get_thread_num(); i < (int)sizeof bytes; i += omp_get_num_threads())
            bytes[i] = (unsigned char)(i + round);
        for (int i = 0; i < (int)sizeof bytes; i++)
            if (bytes[i] != (unsigned char)(i + round)) return 0;
    }
    return 1;
}

static int critical(void) {
#pragma omp parallel
    for (int i = 0; i < 200; i++) {
#pragma omp critical
        counter++;
    }
    return counter == 200l * threads;
}

static int locks(void) {
    omp_lock_t lock;
    omp_nest_lock_t nested;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
    long other = 0;
#pragma omp parallel
    for (int i = 0; i < 50; i++) {
        omp_set_lock(&lock);
        counter++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        other++;
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
    }
    return counter == 50l * threads && other == counter;
}

static int atomics(void) {
    double sum = 0;
    static short small[8];
    int captured[64 * 64];
#pragma omp parallel
    for (int i = 0; i < 64; i++) {
#pragma omp atomic
        sum += 0.5;
#pragma omp atomic
        small[i % 8]++;
        long mine;
#pragma omp atomic capture
        mine = counter++;
        captured[mine] = (int)mine;
    }
    for (int i = 0; i < 64 * threads; i++)
        if (captured[i] != i) return 0;
    return sum == 32.0 * threads && small[3] == 8 * threads;
}

static int dynamic_loops(void) {
    for (int chunk = 1; chunk < 50; chunk += 16) {
        memset(numbers, 0, sizeof numbers);
#pragma omp parallel
        {
#pragma omp for schedule(dynamic, chunk) nowait
            for (int i = 0; i < MANY / 2; i++)
                numbers[i]++;
#pragma omp for schedule(guided, chunk)
            for (int i = MANY / 2; i < MANY; i++)
                numbers[i]++;
        }
        for (int i = 0; i < MANY; i++)
            if (numbers[i] != 1) return 0;
    }
    return 1;
}

static int reductions(void) {
    long sum = 0;
    double largest = -1;
    int grouped = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : largest)
    for (int i = 0; i < MANY; i++) {
        sum += i;
        if (i * 0.5 > largest) largest = i * 0.5;
    }
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : grouped)
    for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : grouped)
        grouped += i;
    }
    return sum == (long)MANY * (MANY - 1) / 2 && largest == (MANY - 1) * 0.5 && grouped == 4950;
}

static int constructs(void) {
    int ordered[100], next = 0, sections = 0, singles = 0, copied = 0, right = 1;
    private_number = 7;
#pragma omp parallel copyin(private_number)
    {
        if (private_number != 7) {
#pragma omp critical
            right = 0;
        }
#pragma omp for ordered schedule(dynamic, 3)
        for (int i = 0; i < 100; i++) {
#pragma omp ordered
            ordered[next++] = i;
        }
#pragma omp sections reduction(+ : sections)
        {
#pragma omp section
            sections += 1;
#pragma omp section
            sections += 10;
#pragma omp section
            sections += 100;
        }
#pragma omp single
        singles++;
        int value;
#pragma omp single copyprivate(value)
        value = 1000 + omp_get_thread_num();
#pragma omp critical
        copied += value >= 1000;
#pragma omp barrier
#pragma omp masked
        right &= copied == omp_get_num_threads();
    }
    for (int i = 0; i < 100; i++)
        right &= ordered[i] == i;
    return right && next == 100 && sections == 111 && singles == 1;
}

static long fibonacci(int n) {
    if (n < 2) return n;
    long a, b;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static int tasks(void) {
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fibonacci(16);
    return result == 987;
}

// Runs for longer than the time between two beats.
static int tiny_tasks(void) {
    static long done[64];
    long created = 0, sum = 0;
    for (const double end = omp_get_wtime() + 2; omp_get_wtime() < end; created += 20000) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 20000; i++) {
#pragma omp task
            done[omp_get_thread_num()]++;
        }
    }
    for (int i = 0; i < 64; i++)
        sum += done[i];
    return sum == created;
}

struct node {
    struct node *left, *right;
    int value;
};

static struct node* grow(int depth) {
    struct node* node = malloc(sizeof *node);
    node->value = 1;
    node->left = node->right = NULL;
    if (depth == 0) return node;
#pragma omp task shared(node)
    node->left = grow(depth - 1);
#pragma omp task shared(node)
    node->right = grow(depth - 1);
#pragma omp taskwait
    return node;
}

static int cut(struct node* node) {
    if (node == NULL) return 0;
    const int sum = node->value + cut(node->left) + cut(node->right);
    free(node);
    return sum;
}

// Trees that tasks of all processes build, and that one process frees.
static int trees(void) {
    for (int round = 0; round < 5; round++) {
        struct node* root = NULL;
#pragma omp parallel
#pragma omp single
        root = grow(8);
        if (cut(root) != 511) return 0;
    }
    return 1;
}

static int dependences(void) {
    int chain[50] = {1};
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < 50; i++) {
#pragma omp task depend(in : chain[i - 1]) depend(out : chain[i])
        chain[i] = chain[i - 1] + i;
    }
    return chain[49] == 1 + 49 * 50 / 2;
}

// A taskgroup waits for the children of its tasks, too, and sees what they wrote elsewhere.
static int groups(void) {
    static int written[20];
    int right = 1;
#pragma omp parallel
#pragma omp single
    for (int round = 1; round <= 60; round++) {
#pragma omp taskgroup
        for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i, round)
            {
                usleep(round % 3 == 0 ? 100 : 0);
#pragma omp task firstprivate(i, round)
                {
                    usleep(round % 2 == 0 ? 200 : 0);
                    written[i] = round;
                }
            }
        }
        for (int i = 0; i < 20; i++)
            right = right && written[i] == round;
    }
    return right;
}

// The event of a new task, which adds to `where`.
static omp_event_handle_t add_detached(int* where) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    ++*where;
    return event;
}

// The first task fulfils an event late. A task that waits for the event does not run tasks that are
// older than itself.
static int older_tasks(void) {
    static int done[9];
    static omp_event_handle_t handed;
    static int is_handed;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            for (int seen = 0; !seen; usleep(1000)) {
#pragma omp atomic read seq_cst
                seen = is_handed;
            }
            omp_fulfill_event(handed);
            done[0] = 1;
        }
        usleep(100000); // so that the other thread has it
        for (int i = 1; i < 8; i++) {
#pragma omp task firstprivate(i)
            done[i] = 1;
        }
#pragma omp task
        {
            handed = add_detached(&done[8]);
#pragma omp atomic write seq_cst
            is_handed = 1;
#pragma omp taskwait
        }
    }
    int count = 0;
    for (int i = 0; i < 9; i++)
        count += done[i];
    return count == 9;
}

// In a team of one, a task that waits for an event does not prevent its creator from fulfilling the
// event.
static int events_alone(void) {
    int right = 0;
#pragma omp parallel num_threads(2) reduction(+ : right)
    {
        int steps[3] = {0, 0, 0};
#pragma omp parallel num_threads(1)
        {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : steps)
            steps[0] = 1;
#pragma omp task depend(in : steps)
            {
                steps[1] = steps[0] + 1;
#pragma omp task // the region's end alone waits for it
                steps[2] = steps[1] + 1;
            }
            omp_fulfill_event(event);
        }
        right = steps[2] == 3;
    }
    return right == 2;
}

static int task_loops(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(100)
    for (int i = 0; i < MANY; i++)
        numbers[i] = i + 1;
    for (int i = 0; i < MANY; i++)
        if (numbers[i] != i + 1) return 0;
    return 1;
}

// A block is passed from process to process, and each process enlarges it.
static int reallocation(void) {
    int* list = NULL;
    int length = 0;
#pragma omp parallel
    for (int round = 0; round < 30; round++) {
#pragma omp critical
        {
            list = realloc(list, (size_t)(length + 100) * sizeof *list);
            for (int i = 0; i < 100; i++, length++)
                list[length] = length;
        }
    }
    for (int i = 0; i < length; i++)
        if (list[i] != i) return 0;
    free(list);
    return length == 3000 * threads;
}

static volatile int flag;

// Waits for another thread without any call.
static int spinning(void) {
    int seen = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
        }
        seen = 1;
    } else {
        __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&seen, __ATOMIC_ACQUIRE)) {
        }
    }
    return seen;
}

static const struct a_case cases[] = {
    {"globals", globals},
    {"heap", heap},
    {"stack", stack},
    {"false_sharing", false_sharing},
    {"critical", critical},
    {"locks", locks},
    {"atomics", atomics},
    {"dynamic_loops", dynamic_loops},
    {"reductions", reductions},
    {"constructs", constructs},
    {"tasks", tasks},
    {"tiny_tasks", tiny_tasks},
    {"trees", trees},
    {"dependences", dependences},
    {"groups", groups},
    {"older_tasks", older_tasks},
    {"events_alone", events_alone},
    {"task_loops", task_loops},
    {"reallocation", reallocation},
    {"spinning", spinning},
};

int main(int argc, char** argv) { return argc == 2 ? run_case(cases, sizeof cases / sizeof *cases, argv[1]) : 2; }
