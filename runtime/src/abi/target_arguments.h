// SPDX-License-Identifier: Apache-2.0
// What GCC passes to the doors of the target constructs, as far as the host needs it.
#pragma once

#include <cstddef>

namespace teff::abi {

// Ends the program if it insists on a device (OMP_TARGET_OFFLOAD=mandatory) and `device` is not the host.
void check_device(int device);

// The thread limit among the arguments of the construct, which end with a null pointer; 0: none. The list itself may be null.
unsigned thread_limit(void* const* arguments);

// While it lives, the firstprivate ones of `count` data have copies of their own, to which `addresses` points.
class FirstprivateCopies {
  public:
    FirstprivateCopies(std::size_t count, void** addresses, const std::size_t* sizes, const unsigned short* kinds);
    ~FirstprivateCopies();
    FirstprivateCopies(const FirstprivateCopies&) = delete;
    FirstprivateCopies& operator=(const FirstprivateCopies&) = delete;

  private:
    char* block_ = nullptr;
};

} // namespace teff::abi
