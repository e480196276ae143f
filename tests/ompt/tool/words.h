// SPDX-License-Identifier: Apache-2.0
//
// Words for the constants of the interface. A constant without a word becomes "?" with its value.

#ifndef OMPT_TEST_WORDS_H
#define OMPT_TEST_WORDS_H

typedef struct Word {
    unsigned value;
    const char* text;
} Word;

typedef struct Words {
    const Word* first;
    int count;
} Words;

extern const Words endpoint_words, thread_words, status_words, work_words, dispatch_words, sync_words, mutex_words,
    dependence_words, severity_words, target_words, data_op_words;
extern const Words parallel_flag_words, task_flag_words, cancel_flag_words;

const char* word_of(Words words, unsigned value);
// Each bit's word, joined by "+"; "0" for none.
const char* flags_of(Words words, unsigned flags, char buffer[160]);

#endif
