// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "judge.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 64 };

static const char *program, *spread;
static int nodes[MOST], count, failed, node_before = -1;

void judge_start(const char* its_name, const char* its_spread, const char* its_nodes) {
    program = strdup(its_name); // Fortran's words last as long as the call
    spread = strdup(its_spread);
    char* words = strdup(its_nodes);
    for (char* word = strtok(words, ","); word != NULL && count < MOST; word = strtok(NULL, ","))
        nodes[count++] = atoi(word);
    free(words);
}

static int index_of_node(uintptr_t address) {
    void* page = (void*)address;
    int node = -1;
    if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) != 0) perror("move_pages");
    for (int i = 0; i < count; ++i)
        if (nodes[i] == node) return i;
    return -1;
}

static int is_as_asked(const long on[MOST], long pages, long least, long most) {
    if (strcmp(spread, "fine") == 0) return most - least <= 1;
    if (strcmp(spread, "coarse") != 0) return 1;
    for (int i = 0; i < count; ++i) {
        if (on[i] != pages) continue;
        const int follows = node_before < 0 || i == (node_before + 1) % count;
        node_before = i;
        return follows;
    }
    return 0;
}

void judge_block(const char* name, const void* block, size_t bytes) {
    const uintptr_t begin = (uintptr_t)block / PAGE * PAGE, end = ((uintptr_t)block + bytes - 1) / PAGE * PAGE + PAGE;
    long on[MOST] = {0}, elsewhere = 0, pages = (long)((end - begin) / PAGE), least = pages, most = 0;
    for (uintptr_t page = begin; page < end; page += PAGE) {
        const int node = index_of_node(page);
        if (node < 0) ++elsewhere;
        else ++on[node];
    }
    for (int i = 0; i < count; ++i) {
        least = on[i] < least ? on[i] : least;
        most = on[i] > most ? on[i] : most;
    }
    const int before = node_before, good = elsewhere == 0 && is_as_asked(on, pages, least, most);
    printf("%s %s, %s: %s: %ld pages, from %ld to %ld on a node, %ld elsewhere, after %d\n", good ? "ok" : "FAILED",
           program, spread, name, pages, least, most, elsewhere, before);
    failed |= !good;
}

int judge_end(void) { return failed; }
