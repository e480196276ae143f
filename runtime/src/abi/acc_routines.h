// SPDX-License-Identifier: Apache-2.0
// The routines of GCC's openacc.h that other files of this folder call.
#pragma once

#include <cstddef>

extern "C" {
int acc_get_num_devices(int type);
void acc_set_device_type(int type);
int acc_get_device_type();
void acc_set_device_num(int number, int type);
int acc_get_device_num(int type);
std::size_t acc_get_property(int number, int type, int property);
const char* acc_get_property_string(int number, int type, int property);
int acc_async_test(int async);
int acc_async_test_all();
void acc_wait(int async);
void acc_wait_async(int async, int other);
void acc_wait_all();
void acc_wait_all_async(int async);
void acc_init(int type);
void acc_shutdown(int type);
int acc_on_device(int type);
void* acc_copyin(void* data, std::size_t bytes);
void* acc_create(void* data, std::size_t bytes);
int acc_is_present(void* data, std::size_t bytes);
}
