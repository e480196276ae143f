// SPDX-License-Identifier: Apache-2.0
// What later.c finds in the library.
int add_table(int count, const int* in, int* out); // returns how often constructors have run on the device
void begin_to_count(void);
int count_on_device(int tasks); // adds one in each task, and returns the sum
void change_table(void);
