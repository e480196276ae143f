// SPDX-License-Identifier: Apache-2.0
//
// Constructs that calls.c compiles twice: HALF(name) is the name of a function of one half. A
// function with `code` calls it where the construct's own code would be, so the other half's
// functions can be inside. The critical region of one half does not exclude the other half's: the
// compilers give its lock names of their own. Nor do atomic constructs on a long double: for them
// GCC's take a lock of the runtime, and Clang's call libatomic.

// ---- regions, and what binds to them ----

void HALF(region)(int threads, void (*code)(void*), void* data) {
#pragma omp parallel num_threads(threads)
    code(data);
}

void HALF(serial_region)(void (*code)(void*), void* data) {
#pragma omp parallel if (0)
    code(data);
}

void HALF(barrier)(void) {
#pragma omp barrier
}

void HALF(single)(void (*code)(void*), void* data) {
#pragma omp single
    code(data);
}

int HALF(copy_from_single)(int value) {
    int copy = -1;
#pragma omp single copyprivate(copy)
    copy = value;
    return copy;
}

void HALF(critical)(long* counter) {
#pragma omp critical
    check_slow_increment(counter);
}

void HALF(atomic)(long double* sum) {
#pragma omp atomic
    *sum += 1;
}

void HALF(masked)(void (*code)(void*), void* data) {
#pragma omp master
    code(data);
}

// ---- loops and sections ----

void HALF(static_loop)(int count, int* touched) {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < count; i++)
        touched[i]++;
}

void HALF(dynamic_loop)(int count, int* touched) {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < count; i++)
        touched[i]++;
}

void HALF(guided_loop)(int count, int* touched) {
#pragma omp for schedule(guided)
    for (long i = count - 1; i >= 0; i--)
        touched[i]++;
}

void HALF(ordered_loop)(int count, int* next) {
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < count; i++) {
#pragma omp ordered
        CHECK_EQ((*next)++, i);
    }
}

void HALF(chained_loop)(int count, int* chain) {
#pragma omp for ordered(1) schedule(static, 16)
    for (int i = 1; i < count; i++) {
#pragma omp ordered depend(sink : i - 1)
        chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
}

void HALF(sections)(int* touched) {
#pragma omp sections
    {
#pragma omp section
        touched[0]++;
#pragma omp section
        touched[1]++;
#pragma omp section
        touched[2]++;
    }
}

long HALF(sum_of_loop)(int count) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < count; i++)
        sum += i;
    return sum;
}

// `sum` is shared by the team.
void HALF(add_by_loop)(int count, long* sum) {
#pragma omp for reduction(+ : sum[ : 1])
    for (int i = 0; i < count; i++)
        sum[0] += i;
}

// ---- tasks ----

void HALF(task)(void (*code)(void*), void* data) {
#pragma omp task
    code(data);
}

void HALF(undeferred_task)(void (*code)(void*), void* data) {
#pragma omp task if (0)
    code(data);
}

// A task that is scheduled again and again, each time perhaps after a wait.
void HALF(untied_task)(void (*code)(void*), void* data) {
#pragma omp task untied
    {
        code(data);
#pragma omp taskyield
        code(data);
#pragma omp taskwait
        code(data);
    }
}

void HALF(writer)(int* value, void (*code)(void*), void* data) {
#pragma omp task depend(inout : value[0])
    code(data);
}

void HALF(reader)(int* value, void (*code)(void*), void* data) {
#pragma omp task depend(in : value[0])
    code(data);
}

void HALF(writer_that_is_not_deferred)(int* value, void (*code)(void*), void* data) {
#pragma omp task depend(inout : value[0]) if (0)
    code(data);
}

void HALF(wait)(void) {
#pragma omp taskwait
}

void HALF(wait_for)(int* value) {
#pragma omp taskwait depend(in : value[0])
}

void HALF(group)(void (*code)(void*), void* data) {
#pragma omp taskgroup
    code(data);
}

void HALF(taskloop)(int count, int* touched) {
#pragma omp taskloop grainsize(2) nogroup
    for (int i = 0; i < count; i++) {
#pragma omp atomic
        touched[i]++;
    }
}

void HALF(detached)(omp_event_handle_t* handle, int* value) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value[0])
    {
        *value = 1;
        memcpy(handle, &event, sizeof event);
        __atomic_store_n(&value[1], 1, __ATOMIC_RELEASE);
    }
}

void HALF(fulfil)(omp_event_handle_t* handle) { omp_fulfill_event(*handle); }

// ---- cancellation ----

void HALF(cancel_group)(void) {
#pragma omp task if (0)
    {
#pragma omp cancel taskgroup
    }
}

int HALF(group_of_tasks)(void (*code)(void*), void* data, int tasks) {
    int begun = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(begun)
        {
            code(data);
#pragma omp cancellation point taskgroup
            begun += 100;
        }
#pragma omp taskwait
        for (int i = 0; i < tasks; i++) {
#pragma omp task shared(begun)
            {
#pragma omp atomic
                begun++;
            }
        }
    }
    return begun;
}

int HALF(cancelled_loop)(int count) {
    int run = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < count; i++) {
#pragma omp atomic
            run++;
#pragma omp cancel for
        }
    }
    return run;
}

// ---- locks ----

void HALF(lock)(omp_lock_t* lock, long* counter) {
    omp_set_lock(lock);
    check_slow_increment(counter);
    omp_unset_lock(lock);
}
void HALF(init_lock)(omp_lock_t* lock) { omp_init_lock(lock); }
void HALF(destroy_lock)(omp_lock_t* lock) { omp_destroy_lock(lock); }

// ---- threadprivate data ----

extern int number_of_thread;
#pragma omp threadprivate(number_of_thread)

void HALF(store_number)(int value) { number_of_thread = value; }
int HALF(load_number)(void) { return number_of_thread; }
void HALF(copy_number_in)(void (*code)(void*), void* data) {
#pragma omp parallel num_threads(3) copyin(number_of_thread)
    code(data);
}
