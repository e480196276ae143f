/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encrypts a message as TLS 1.2 does with AES_128_CBC_SHA: fragments, each with an HMAC-SHA1 behind it, in CBC mode.
 * A block of 16 bytes takes five tasks: two expand the key, three encrypt, and each encrypting task
 * depends on the encrypting task before it and on its keys. So tasks are tiny and have dependences,
 * and there are millions of them. With `--grouping rounds` a block takes 21 tasks, one for each
 * round of the cipher and for each key.
 *
 *     key 1..3 ──> key 4..10
 *        │             │
 *     round 0 ──> rounds 1..3 ──> rounds 4..10        of a block; the next block waits for it
 *
 *     key 1 ──────> key 2 ──> ...  ──> key 10         the same by rounds
 *        │             │                  │
 *     round 0 ──> round 1 ──> round 2 ... round 10
 *
 *     fragment ──> hash ─────────────────────┐
 *              └─> blocks of the data ───────┴─> the two blocks of the hash
 *
 * The key is expanded again for each block, which is part of the load. OpenSSL computes the hash,
 * and also checks the whole result.
 */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/aes.h"
#include "common/hash.h"
#include "common/workload.h"

enum { SERIAL, AES, FULL, FRAGMENTS };
enum { HASH_BLOCKS = 2, HASH_BYTES = HASH_BLOCKS * AES_BLOCK }; /* a SHA1 of 20 bytes and its padding */
enum { GROUPS, ROUNDS };
enum { TASKS_OF_A_FRAGMENT = 3 };
enum { SECRET_BYTES = 20 }; /* of the HMAC */

static const char* const variant_names[] = {"serial", "aes", "full", "fragments"};
static const char* const grouping_names[] = {"groups", "rounds"};
static const long tasks_of_a_block[] = {5, 2 * AES_ROUNDS + 1};

static long kib, fragment_kib, variant, grouping;

static const workload_option options[] = {
    {"kib", "length of the message in KiB", &kib, 1, 1048576, {256, 4096, 51200}, NULL},
    {"fragment", "length of a fragment in KiB; TLS allows 16", &fragment_kib, 1, 1048576, {16, 16, 16}, NULL},
    {"variant",
     "what makes tasks: nothing, the blocks of one fragment after the other, the blocks of all "
     "fragments at a time, or the fragments alone",
     &variant,
     SERIAL,
     FRAGMENTS,
     {FULL, FULL, FULL},
     variant_names},
    {"grouping",
     "the tasks of a block: 5 tasks, which group rounds and keys, or 21 tasks, one for each round and key",
     &grouping,
     GROUPS,
     ROUNDS,
     {GROUPS, GROUPS, GROUPS},
     grouping_names},
};
static const workload self = {"aes",
                              "encrypts a message with AES-128 in CBC mode and HMAC-SHA1, fragment by fragment, in "
                              "five or 21 tasks for each block of 16 bytes (after Rasa, Instrumentation of OpenMP "
                              "task scheduling, 2015, chapter 6: its message is large)",
                              options, WORKLOAD_OPTION_COUNT(options)};

typedef struct fragment {
    const uint8_t* data;
    long bytes;
    uint8_t* cipher;          /* `bytes` and the HASH_BYTES */
    uint8_t iv[AES_BLOCK];    /* what the first block is chained to */
    uint8_t hash[HASH_BYTES]; /* the hash and its padding */
} fragment;

static uint8_t key[AES_BLOCK], secret[SECRET_BYTES];

/* Of random bytes that all runs share, those from `position` on. */
static void fill(uint8_t* bytes, long count, uint64_t position) {
    for (long i = 0; i < count; ++i)
        bytes[i] = (uint8_t)hash_mix(position + (uint64_t)i);
}

static void take_hash(fragment* f) {
    unsigned length = 0;
    const unsigned char* done = HMAC(EVP_sha1(), secret, sizeof secret, f->data, (size_t)f->bytes, f->hash, &length);
    workload_expect(done != NULL, "OpenSSL gives no HMAC-SHA1");
    memset(f->hash + length, (int)(HASH_BYTES - length - 1), HASH_BYTES - length); /* RFC 5246, 6.2.3.2 */
}

/* `state` holds the plain text and receives the cipher text. */
static void encrypt_block(uint8_t* state) {
    aes_keys keys;
    memcpy(keys.round[0], key, AES_BLOCK);
    aes_expand(&keys, 1, AES_ROUNDS);
    aes_encrypt(state, &keys, 0, AES_ROUNDS);
}

static void encrypt_block_in_groups(uint8_t* state) {
    aes_keys keys;
    memcpy(keys.round[0], key, AES_BLOCK);
#pragma omp task shared(keys) depend(out : keys.round[3])
    aes_expand(&keys, 1, 3);
#pragma omp task shared(keys) depend(out : state[0])
    aes_encrypt(state, &keys, 0, 0);
#pragma omp task shared(keys) depend(in : keys.round[3]) depend(out : keys.round[10])
    aes_expand(&keys, 4, AES_ROUNDS);
#pragma omp task shared(keys) depend(in : keys.round[3]) depend(inout : state[0])
    aes_encrypt(state, &keys, 1, 3);
#pragma omp task shared(keys) depend(in : keys.round[10]) depend(inout : state[0])
    aes_encrypt(state, &keys, 4, AES_ROUNDS);
#pragma omp taskwait
}

static void encrypt_block_in_rounds(uint8_t* state) {
    aes_keys keys;
    memcpy(keys.round[0], key, AES_BLOCK);
    for (int round = 0; round <= AES_ROUNDS; ++round) {
        if (round > 0) {
#pragma omp task shared(keys) depend(in : keys.round[round - 1]) depend(out : keys.round[round])
            aes_expand(&keys, round, round);
        }
#pragma omp task shared(keys) depend(in : keys.round[round]) depend(inout : state[0])
        aes_encrypt(state, &keys, round, round);
    }
#pragma omp taskwait
}

static void encrypt_block_in_tasks(uint8_t* state) {
    (grouping == ROUNDS ? encrypt_block_in_rounds : encrypt_block_in_groups)(state);
}

/* In CBC mode; `chain` is the block of cipher text before them, or the initialisation vector. */
static void encrypt_blocks(const uint8_t* plain, long bytes, const uint8_t* chain, uint8_t* cipher, int in_tasks) {
    for (long at = 0; at < bytes; at += AES_BLOCK, chain = cipher, cipher += AES_BLOCK) {
        for (int i = 0; i < AES_BLOCK; ++i)
            cipher[i] = plain[at + i] ^ chain[i];
        if (in_tasks) encrypt_block_in_tasks(cipher);
        else encrypt_block(cipher);
    }
}

static void encrypt_data(fragment* f, int in_tasks) { encrypt_blocks(f->data, f->bytes, f->iv, f->cipher, in_tasks); }

static void encrypt_hash(fragment* f, int in_tasks) {
    uint8_t* after = f->cipher + f->bytes;
    encrypt_blocks(f->hash, HASH_BYTES, after - AES_BLOCK, after, in_tasks);
}

static void encrypt_fragment(fragment* f) {
    take_hash(f);
    encrypt_data(f, 0);
    encrypt_hash(f, 0);
}

static void encrypt_fragment_in_tasks(fragment* f) {
#pragma omp task depend(out : f->hash)
    take_hash(f);
#pragma omp task depend(out : f->cipher)
    encrypt_data(f, 1);
#pragma omp task depend(in : f->hash, f->cipher)
    encrypt_hash(f, 1);
}

static void encrypt_all(fragment* fragments, long count) {
#pragma omp parallel if (variant != SERIAL)
#pragma omp single
    for (fragment* f = fragments; f < fragments + count; ++f)
        switch (variant) {
        case SERIAL:
            encrypt_fragment(f);
            break;
        case AES:
            encrypt_fragment_in_tasks(f);
#pragma omp taskwait
            break;
        case FULL:
#pragma omp task firstprivate(f)
            encrypt_fragment_in_tasks(f);
            break;
        case FRAGMENTS:
#pragma omp task firstprivate(f)
            encrypt_fragment(f);
            break;
        }
}

static long task_count(const fragment* fragments, long count) {
    long tasks = variant == FULL || variant == FRAGMENTS ? count : 0;
    if (variant == AES || variant == FULL)
        for (const fragment* f = fragments; f < fragments + count; ++f)
            tasks += TASKS_OF_A_FRAGMENT + tasks_of_a_block[grouping] * (f->bytes / AES_BLOCK + HASH_BLOCKS);
    return tasks;
}

/* What OpenSSL makes of a fragment, by other code than ours: its HMAC and its AES in CBC mode. */
static void check_fragment(const fragment* f, long number, EVP_CIPHER_CTX* context, uint8_t* expected) {
    uint8_t hash[HASH_BYTES];
    memset(hash, HASH_BYTES - SECRET_BYTES - 1, sizeof hash);
    int length = 0, rest = 0;
    const int done = HMAC(EVP_sha1(), secret, sizeof secret, f->data, (size_t)f->bytes, hash, NULL) != NULL &&
                     EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), NULL, key, f->iv) &&
                     EVP_CIPHER_CTX_set_padding(context, 0) &&
                     EVP_EncryptUpdate(context, expected, &length, f->data, (int)f->bytes) &&
                     EVP_EncryptUpdate(context, expected + length, &rest, hash, sizeof hash);
    workload_expect(done && length + rest == f->bytes + HASH_BYTES, "OpenSSL does not encrypt fragment %ld", number);
    workload_expect(!memcmp(expected, f->cipher, (size_t)f->bytes + HASH_BYTES),
                    "fragment %ld differs from what OpenSSL makes of it", number);
}

static void check(const fragment* fragments, long count) {
    uint8_t* expected = workload_allocate((size_t)(fragments->bytes + HASH_BYTES + AES_BLOCK));
    EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
    workload_expect(context != NULL, "OpenSSL has no memory");
    for (long i = 0; i < count; ++i)
        check_fragment(fragments + i, i, context, expected);
    EVP_CIPHER_CTX_free(context);
    free(expected);
}

static uint64_t digest(const fragment* fragments, long count) {
    uint64_t value = 0;
    for (const fragment* f = fragments; f < fragments + count; ++f)
        for (long i = 0; i < f->bytes + HASH_BYTES; i += (long)sizeof value) {
            uint64_t word;
            memcpy(&word, f->cipher + i, sizeof word);
            value = hash_mix(value ^ word);
        }
    return value;
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    aes_init();
    fill(key, sizeof key, 1000);
    fill(secret, sizeof secret, 2000);
    const long bytes = kib * 1024, step = fragment_kib * 1024, count = (bytes + step - 1) / step;
    uint8_t* data = workload_allocate((size_t)bytes);
    uint8_t* cipher = workload_allocate((size_t)(bytes + count * HASH_BYTES));
    fragment* fragments = workload_allocate((size_t)count * sizeof *fragments);
    fill(data, bytes, 1u << 20);
    memset(cipher, 0, (size_t)(bytes + count * HASH_BYTES));
    for (long i = 0; i < count; ++i) {
        fragments[i] = (fragment){.data = data + i * step,
                                  .bytes = i + 1 < count ? step : bytes - i * step,
                                  .cipher = cipher + i * (step + HASH_BYTES)};
        fill(fragments[i].iv, AES_BLOCK, 4000 + (uint64_t)i * AES_BLOCK);
    }
    const double start = workload_seconds();
    encrypt_all(fragments, count);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(fragments, count);
    const uint64_t result = digest(fragments, count);
    const long tasks = task_count(fragments, count);
    free(fragments);
    free(cipher);
    free(data);
    return workload_report(time_s, tasks, "%016llx", (unsigned long long)result);
}
