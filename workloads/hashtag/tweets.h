/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of the service: tweets, each with one hashtag, and the random draws that determine all
 * input.
 *
 * The popularity of hashtags follows a Zipf law: the k-th most popular has a weight of 1 /
 * k^exponent. Every draw is a hash of the seed, of what is drawn and of its position, so the input
 * depends on nothing else. A feed owns its names and texts. They are written once, before the
 * parallel part, and are only read in the parallel part.
 */
#ifndef HASHTAG_TWEETS_H
#define HASHTAG_TWEETS_H

#include <math.h>

#include "../common/hash.h"
#include "../common/workload.h"

enum draw_kind {
    DRAW_NAME,
    DRAW_TAG,
    DRAW_LENGTH,
    DRAW_LETTER,
    DRAW_TABLE,
    DRAW_REQUEST,
    DRAW_PRIORITY,
    DRAW_ARRIVAL,
    DRAW_INSERT,
    DRAW_INSERT_TABLE
};
enum { NAME_BYTES = 32, TEXT_LEAST = 40, TEXT_MOST = 280 };

static long seed;

static inline uint64_t draw(enum draw_kind kind, long position) {
    return hash_mix(hash_mix((uint64_t)seed << 4 | kind) + (uint64_t)position);
}

static inline double draw_unit(enum draw_kind kind, long position) { return hash_unit(draw(kind, position)); }

/* The probability that a draw is at most k, for every k: the last one is 1. */
typedef struct zipf {
    double* up_to;
    long count;
} zipf;

static inline zipf zipf_create(long count, double exponent) {
    const zipf law = {workload_allocate((size_t)count * sizeof(double)), count};
    double sum = 0;
    for (long k = 0; k < count; ++k)
        law.up_to[k] = sum += pow((double)(k + 1), -exponent);
    for (long k = 0; k < count; ++k)
        law.up_to[k] /= sum;
    return law;
}

static inline long zipf_pick(zipf law, double unit) {
    long low = 0, high = law.count - 1;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (law.up_to[middle] > unit) high = middle;
        else low = middle + 1;
    }
    return low;
}

typedef struct tweet {
    long tag; /* its hashtag's rank, from 0 */
    char* text;
} tweet;

typedef struct feed {
    char (*names)[NAME_BYTES]; /* of the hashtags, by rank */
    tweet* tweets;
    char* letters; /* of all texts */
    zipf popularity;
    long tweet_count;
} feed;

/* Lower-case words of random letters; a space stands for about every sixth. */
static inline void write_letters(char* to, long length, long position) {
    for (long i = 0; i < length; ++i) {
        const uint64_t letter = draw(DRAW_LETTER, position + i) % 31;
        to[i] = letter < 26 ? (char)('a' + letter) : ' ';
    }
    to[length] = 0;
}

static inline void write_name(char* name, long rank) {
    const uint64_t letters = draw(DRAW_NAME, rank);
    char word[9];
    for (int i = 0; i < 8; ++i)
        word[i] = (char)('a' + (letters >> (8 * i)) % 26);
    word[3 + letters % 6] = 0;
    snprintf(name, NAME_BYTES, "#%s%ld", word, rank);
}

static inline feed feed_create(long tweet_count, long hashtag_count, double exponent) {
    feed f = {
        workload_allocate((size_t)hashtag_count * NAME_BYTES), workload_allocate((size_t)tweet_count * sizeof(tweet)),
        workload_allocate((size_t)tweet_count * (TEXT_MOST + 1)), zipf_create(hashtag_count, exponent), tweet_count};
    char* next = f.letters;
    for (long rank = 0; rank < hashtag_count; ++rank)
        write_name(f.names[rank], rank);
    for (long i = 0; i < tweet_count; ++i) {
        const long length = TEXT_LEAST + (long)(draw(DRAW_LENGTH, i) % (TEXT_MOST - TEXT_LEAST + 1));
        write_letters(next, length, i * (TEXT_MOST + 1));
        f.tweets[i] = (tweet){zipf_pick(f.popularity, draw_unit(DRAW_TAG, i)), next};
        next += length + 1;
    }
    return f;
}

static inline void feed_destroy(feed f) {
    free(f.names);
    free(f.tweets);
    free(f.letters);
    free(f.popularity.up_to);
}

#endif
