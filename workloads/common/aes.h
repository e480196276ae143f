/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES with a key of 128 bits (FIPS 197), with one function per round, so that a program can make
 * tasks of rounds. It uses tables of bytes, not the processor's instructions. The workload needs it
 * for its dependences; it must not be used to protect data.
 *
 * A round here begins with the round key and ends before the next one: of the standard's eleven
 * keys the first ten begin a round, and the last key ends the block. So a round waits for its key
 * at its start, which is where the round needs the key.
 */
#ifndef WORKLOAD_AES_H
#define WORKLOAD_AES_H

#include <stdint.h>
#include <string.h>

enum { AES_BLOCK = 16, AES_ROUNDS = 10 };

typedef struct aes_keys {
    uint8_t round[AES_ROUNDS + 1][AES_BLOCK]; /* [0] is the cipher key itself */
} aes_keys;

static uint8_t aes_s_box[256];

/* The product with x in GF(2^8). */
static inline uint8_t aes_double(uint8_t value) { return (uint8_t)(value << 1 ^ (value >> 7) * 0x1b); }

static inline uint8_t aes_turn(uint8_t value, int bits) { return (uint8_t)(value << bits | value >> (8 - bits)); }

/* Fills the S-box; to be called once, before all else. By powers of the generator 3 and of its inverse, 0xf6. */
static inline void aes_init(void) {
    uint8_t power = 1, inverse = 1;
    do {
        power = (uint8_t)(power ^ aes_double(power));
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        if (inverse & 0x80) inverse ^= 0x09;
        aes_s_box[power] = (uint8_t)(inverse ^ aes_turn(inverse, 1) ^ aes_turn(inverse, 2) ^ aes_turn(inverse, 3) ^
                                     aes_turn(inverse, 4) ^ 0x63);
    } while (power != 1);
    aes_s_box[0] = 0x63;
}

/* Makes the round keys first..last, from 1 on, each from the one before it. */
static inline void aes_expand(aes_keys* keys, int first, int last) {
    uint8_t constant = 1;
    for (int i = 1; i < first; ++i)
        constant = aes_double(constant);
    for (int i = first; i <= last; ++i, constant = aes_double(constant)) {
        const uint8_t* from = keys->round[i - 1];
        uint8_t* to = keys->round[i];
        for (int j = 0; j < 4; ++j)
            to[j] = (uint8_t)(from[j] ^ aes_s_box[from[12 + (j + 1) % 4]]);
        to[0] ^= constant;
        for (int j = 4; j < AES_BLOCK; ++j)
            to[j] = (uint8_t)(from[j] ^ to[j - 4]);
    }
}

static inline void aes_add_key(uint8_t* state, const uint8_t* key) {
    for (int i = 0; i < AES_BLOCK; ++i)
        state[i] ^= key[i];
}

/* SubBytes and ShiftRows. The state goes by columns of four bytes. */
static inline void aes_substitute(uint8_t* state) {
    uint8_t from[AES_BLOCK];
    memcpy(from, state, sizeof from);
    for (int i = 0; i < AES_BLOCK; ++i)
        state[i] = aes_s_box[from[(i + i % 4 * 4) % AES_BLOCK]];
}

static inline void aes_mix_columns(uint8_t* state) {
    for (uint8_t* column = state; column < state + AES_BLOCK; column += 4) {
        const uint8_t first = column[0], all = (uint8_t)(column[0] ^ column[1] ^ column[2] ^ column[3]);
        for (int i = 0; i < 3; ++i)
            column[i] ^= (uint8_t)(all ^ aes_double((uint8_t)(column[i] ^ column[i + 1])));
        column[3] ^= (uint8_t)(all ^ aes_double((uint8_t)(column[3] ^ first)));
    }
}

/* The rounds first..last; round AES_ROUNDS is the last key alone, which ends the block. */
static inline void aes_encrypt(uint8_t* state, const aes_keys* keys, int first, int last) {
    for (int i = first; i <= last; ++i) {
        aes_add_key(state, keys->round[i]);
        if (i == AES_ROUNDS) return;
        aes_substitute(state);
        if (i < AES_ROUNDS - 1) aes_mix_columns(state);
    }
}

#endif
