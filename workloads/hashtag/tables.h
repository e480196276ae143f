/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash tables of the service, and what a search in one of them answers.
 *
 * Tweets are spread evenly over the tables, whatever their hashtags, so every search has to ask
 * every table. A table is an array of buckets, each a list of <hashtag, text> pairs. The feed owns
 * the names and texts.
 *
 * Without insertions the tables are only read in the parallel part, and no lock is taken. With
 * insertions each bucket has a lock, for its list: insertions put a pair at the front, and searches
 * take the lock while they read. The entry for each insertion is allocated at the start.
 */
#ifndef HASHTAG_TABLES_H
#define HASHTAG_TABLES_H

#include <omp.h>

#include "tweets.h"

typedef struct entry {
    const char *hashtag, *text;
    struct entry* next;
} entry;

typedef struct tables {
    entry** heads; /* the buckets of table 0, then those of table 1, ... */
    entry* entries;
    entry* insertions; /* those that are set aside */
    omp_lock_t* locks; /* of the buckets, as above; NULL: nothing is inserted */
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

static inline long tables_bucket(tables t, long table, const char* hashtag) {
    return table * t.bucket_count + (long)(digest_of(hashtag) % (uint64_t)t.bucket_count);
}

static inline void tables_put(tables t, entry* e, long bucket, const char* hashtag, const char* text) {
    *e = (entry){hashtag, text, t.heads[bucket]};
    t.heads[bucket] = e;
}

static inline long table_of_tweet(long number, long tables) {
    return (long)(draw(DRAW_TABLE, number) % (uint64_t)tables);
}

static inline tables tables_create(feed f, long count, long bucket_count, long insertions) {
    const size_t heads = (size_t)(count * bucket_count);
    tables t = {.heads = workload_allocate(heads * sizeof(entry*)),
                .entries = workload_allocate((size_t)(f.tweet_count + insertions) * sizeof(entry)),
                .count = count,
                .bucket_count = bucket_count};
    memset(t.heads, 0, heads * sizeof(entry*));
    for (long i = 0; i < f.tweet_count; ++i) {
        const char* hashtag = f.names[f.tweets[i].tag];
        tables_put(t, &t.entries[i], tables_bucket(t, table_of_tweet(i, count), hashtag), hashtag, f.tweets[i].text);
    }
    if (!insertions) return t;
    t.insertions = t.entries + f.tweet_count;
    t.locks = workload_allocate(heads * sizeof *t.locks);
    for (size_t i = 0; i < heads; ++i)
        omp_init_lock(&t.locks[i]);
    return t;
}

static inline void tables_destroy(tables t) {
    for (long i = 0; t.locks && i < t.count * t.bucket_count; ++i)
        omp_destroy_lock(&t.locks[i]);
    free(t.locks);
    free(t.heads);
    free(t.entries);
}

/* `number` of the insertion: from 0 to those that tables_create was told, each once. */
static inline void tables_insert(tables t, long table, long number, const char* hashtag) {
    const long bucket = tables_bucket(t, table, hashtag);
    omp_set_lock(&t.locks[bucket]);
    tables_put(t, &t.insertions[number], bucket, hashtag, hashtag);
    omp_unset_lock(&t.locks[bucket]);
}

/* Stops after `most` texts (0: reads all). */
static inline answer tables_search(tables t, long table, const char* hashtag, long most) {
    const long bucket = tables_bucket(t, table, hashtag);
    answer found = {0, 0};
    if (t.locks) omp_set_lock(&t.locks[bucket]);
    for (const entry* e = t.heads[bucket]; e && (!most || found.texts < most); e = e->next)
        if (!strcmp(e->hashtag, hashtag)) answer_add_text(&found, e->text);
    if (t.locks) omp_unset_lock(&t.locks[bucket]);
    return found;
}

#endif
