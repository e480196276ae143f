/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash tables of the service, and what a search in one of them answers.
 *
 * Tweets are spread evenly over the tables, whatever their hashtags, so every search has to ask
 * every table. A table is an array of buckets, each a list of <hashtag, text> pairs. The tables are
 * built before the parallel part and only read in it, so searches need no lock. Names and texts
 * stay with the feed.
 */
#ifndef HASHTAG_TABLES_H
#define HASHTAG_TABLES_H

#include "tweets.h"

typedef struct entry {
    const char *hashtag, *text;
    struct entry* next;
} entry;

typedef struct tables {
    entry** heads; /* the buckets of table 0, then those of table 1, ... */
    entry* entries;
    long count, bucket_count;
} tables;

/* What was found: answers of several tables add up. */
typedef struct answer {
    long texts;
    uint64_t digest; /* the sum of the texts' digests, whatever the order in which they are found */
} answer;

/* FNV-1a: reads every byte, as a server does that sends the text. */
static inline uint64_t digest_of(const char* text) {
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (; *text; ++text)
        digest = (digest ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return digest;
}

static inline void answer_add(answer* to, answer more) {
    to->texts += more.texts;
    to->digest += more.digest;
}

static inline void answer_add_text(answer* to, const char* text) { answer_add(to, (answer){1, digest_of(text)}); }

static inline entry** tables_bucket(tables t, long table, const char* hashtag) {
    return &t.heads[table * t.bucket_count + (long)(digest_of(hashtag) % (uint64_t)t.bucket_count)];
}

static inline tables tables_create(feed f, long count, long bucket_count) {
    const size_t heads = (size_t)(count * bucket_count);
    const tables t = {workload_allocate(heads * sizeof(entry*)),
                      workload_allocate((size_t)f.tweet_count * sizeof(entry)), count, bucket_count};
    memset(t.heads, 0, heads * sizeof(entry*));
    for (long i = 0; i < f.tweet_count; ++i) {
        const char* hashtag = f.names[f.tweets[i].tag];
        entry** head = tables_bucket(t, (long)(draw(DRAW_TABLE, i) % (uint64_t)count), hashtag);
        t.entries[i] = (entry){hashtag, f.tweets[i].text, *head};
        *head = &t.entries[i];
    }
    return t;
}

static inline void tables_destroy(tables t) {
    free(t.heads);
    free(t.entries);
}

static inline answer tables_search(tables t, long table, const char* hashtag) {
    answer found = {0, 0};
    for (const entry* e = *tables_bucket(t, table, hashtag); e; e = e->next)
        if (!strcmp(e->hashtag, hashtag)) answer_add_text(&found, e->text);
    return found;
}

#endif
