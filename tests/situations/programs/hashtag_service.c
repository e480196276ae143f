// SPDX-License-Identifier: Apache-2.0
//
// Situation: a service answers 5 times 20,000 requests of three priorities, each by four child tasks, the larger tables first (after Hashtag-Text)
// Catches: a runtime that confuses its queues when children of one parent differ in priority: libgomp 12 crashes
// env: OMP_NUM_THREADS=4 OMP_MAX_TASK_PRIORITY=6
// limit: 60
//
// The posts are divided among four hash tables; later tables have more posts. A request for a hash
// tag searches all four tables at once and waits for the results. Tasks are untied; 60 % of the
// requests have priority 1, 30 % priority 2, and 10 % priority 3.
#include "situation.h"

#include <stdint.h>

enum { kTables = 4, kBuckets = 100, kPosts = 20000, kTags = 500, kRequests = 20000, kRounds = 5 };

struct Post {
    int tag, next;
};

static struct Post posts[kPosts];
static int buckets[kTables][kBuckets];
static long expected[kTags], found[kRequests];

static uint64_t state = 42;
static unsigned draw(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % below);
}

// One tenth of the posts in the first table, four tenths in the last.
static int table_of(int post) {
    const int tenth = post % 10;
    return tenth < 1 ? 0 : tenth < 3 ? 1 : tenth < 6 ? 2 : 3;
}

static void fill(void) {
    memset(buckets, -1, sizeof buckets);
    for (int i = 0; i < kPosts; ++i) {
        const int tag = (int)draw(kTags);
        int* head = &buckets[table_of(i)][tag % kBuckets];
        posts[i] = (struct Post){tag, *head};
        *head = i;
        expected[tag] += i + 1;
    }
}

static long search(int table, int tag) {
    long sum = 0;
    for (int at = buckets[table][tag % kBuckets]; at >= 0; at = posts[at].next)
        if (posts[at].tag == tag) sum += at + 1;
    return sum;
}

static long answer(int tag, int priority) {
    long parts[kTables];
    for (int table = 0; table < kTables; ++table) {
#pragma omp task untied priority(priority + table) shared(parts) firstprivate(table)
        parts[table] = search(table, tag);
    }
#pragma omp taskwait
    return parts[0] + parts[1] + parts[2] + parts[3];
}

static int tags[kRequests];

static void serve(void) {
#pragma omp parallel
#pragma omp single
    for (int request = 0; request < kRequests; ++request) {
        const unsigned dice = draw(10);
        const int priority = dice < 6 ? 1 : dice < 9 ? 2 : 3;
        const int tag = tags[request] = (int)draw(kTags);
#pragma omp task untied priority(priority) firstprivate(request, tag, priority)
        found[request] = answer(tag, priority);
    }
}

int main(void) {
    fill();
    for (int round = 0; round < kRounds; ++round) {
        serve();
        for (int request = 0; request < kRequests; ++request)
            if (found[request] != expected[tags[request]])
                WRONG("request %d found %ld instead of %ld", request, found[request], expected[tags[request]]);
    }
    return 0;
}
