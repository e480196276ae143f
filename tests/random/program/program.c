// SPDX-License-Identifier: Apache-2.0
//
// Runs a random program that is given as a tree, and checks that the runtime obeyed the
// specification.
//
//     program 'program { parallel size=4 { task { work n=100 } barrier } }'
//     program @FILE [counts]
//
// A correct run ends with status 0 and the line `ok HASH`; HASH is computed from how often each
// node ran. A wrong run ends with status 1 and a line `WRONG: node N (KIND): ...`; N is the node's
// position in the text. Before this last line, the program prints the CPU times of the root's
// children in nanoseconds and, with `counts`, how often each node ran.

#include <time.h>

#include "exclusion.h"
#include "regions.h"
#include "taskloops.h"

static void do_work(long n) {
    for (volatile long i = 0; i < n; i++) {
    }
}

static void do_pause(long us) {
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void run_simple(struct node* node, struct frame* frame) {
    if (node->kind != KIND_barrier) count(node);
    switch (node->kind) {
    case KIND_work:
        do_work(GET(node, n));
        break;
    case KIND_pause:
        do_pause(GET(node, us));
        break;
    case KIND_taskyield: {
#pragma omp taskyield
        break;
    }
    case KIND_barrier: {
        count(node);
#pragma omp barrier
        passed_barrier(frame);
        break;
    }
    case KIND_release:
        omp_pause_resource_all(omp_pause_soft);
        break;
    default:
        FAIL(node, "stands where it cannot");
    }
}

static void repeat(struct node* node, struct frame* frame) {
    for (long i = 0; i < GET(node, n); i++) {
        count(node);
        run_children(node, frame);
    }
}

static void run_node(struct node* node, struct frame* frame) {
    switch (node->kind) {
    case KIND_repeat:
        repeat(node, frame);
        break;
    case KIND_threads:
        run_threads(node);
        break;
    case KIND_fork:
        run_fork(node);
        break;
    case KIND_parallel:
        run_region(frame, node);
        break;
    case KIND_parfor:
        run_parfor(frame, node);
        break;
    case KIND_task:
        spawn(frame, node);
        break;
    case KIND_tree:
        spawn_tree(frame, node, (int)GET(node, depth));
        break;
    case KIND_taskwait:
        wait_for_children(frame, node);
        break;
    case KIND_taskgroup:
        run_group(frame, node);
        break;
    case KIND_taskloop:
        run_taskloop(frame, node);
        break;
    case KIND_critical:
        run_critical(frame, node);
        break;
    case KIND_lock:
        run_lock(frame, node);
        break;
    case KIND_atomic:
        run_atomic(node);
        break;
    case KIND_loop:
        run_loop(frame, node);
        break;
    case KIND_doacross:
        run_doacross(frame, node);
        break;
    case KIND_sections:
        run_sections(frame, node);
        break;
    case KIND_single:
        run_single(frame, node);
        break;
    case KIND_master:
    case KIND_masked:
        run_filtered(frame, node);
        break;
    default:
        run_simple(node, frame);
    }
    check_thread(frame);
}

static void run_children(struct node* node, struct frame* frame) {
    for (int i = 0; i < node->child_count; i++)
        run_node(node->children[i], frame);
}

static long cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

// Runs the root's children one by one, with their CPU times.
static void run_phases(struct node* root, long* ns) {
    struct team team;
    omp_set_dynamic(0);
    omp_set_max_active_levels(MOST_LEVELS);
    begin_team(&team, 1);
    struct frame* frame = implicit_frame(root, &team, false);
    count(root);
    for (int i = 0; i < root->child_count; i++) {
        long before = cpu_ns();
        run_node(root->children[i], frame);
        ns[i] = cpu_ns() - before;
    }
    drop(frame);
}

static char* text_of(const char* argument) {
    enum { MOST_BYTES = 1 << 20 };
    if (argument[0] != '@') return strdup(argument);
    FILE* file = fopen(argument + 1, "r");
    if (file == NULL) return NULL;
    char* text = calloc(1, MOST_BYTES);
    size_t length = fread(text, 1, MOST_BYTES - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static void print_outcome(struct node* root, const long* ns, bool with_counts) {
    unsigned long hash = 0;
    printf("cpu");
    for (int i = 0; i < root->child_count; i++)
        printf(" %ld", ns[i]);
    printf("\n");
    for (int i = 0; i < node_count; i++) {
        if (all_nodes[i]->at_most) continue;
        if (with_counts) printf("count %d %ld\n", i, counted(all_nodes[i]));
        hash = hash * 31 + (unsigned long)counted(all_nodes[i]);
    }
    printf("ok %016lx\n", hash);
}

int main(int argc, char** argv) {
    char* text = argc > 1 ? text_of(argv[1]) : NULL;
    if (text == NULL) {
        fprintf(stderr, "usage: program TREE|@FILE [counts]\n");
        return UNREADABLE;
    }
    const char* at = text;
    struct node* root = parse_node(&at);
    struct surroundings none = {.teams = 1, .threads = 1, .icv = omp_get_max_threads()};
    expect(root, none);
    lean = GET(root, lean) != 0;
    long* ns = calloc((size_t)root->child_count + 1, sizeof *ns);
    make_locks();
    run_phases(root, ns);
    check_counts(root, 1);
    check_atomics();
    print_outcome(root, ns, argc > 2);
    return 0;
}
