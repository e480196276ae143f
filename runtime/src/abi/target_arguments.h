// SPDX-License-Identifier: Apache-2.0
// What GCC passes to the doors of the target constructs, as far as the host needs it.
#pragma once

#include <cstddef>

namespace teff::abi {

// Ends the program if it insists on a device (OMP_TARGET_OFFLOAD=mandatory) and `device` is not the
// host, or if that is omp_invalid_device.
void check_device(int device);

// The thread limit among the arguments of the construct, which end with a null pointer; 0: none.
// The list itself may be null.
unsigned thread_limit(void* const* arguments);

// The data that a construct maps, as GCC passes them: element i of each array.
struct TargetData {
    std::size_t count;
    void** addresses;
    const std::size_t* sizes;
    const unsigned short* kinds;
};

// What the firstprivate ones need for their copies. One that is absent (an optional argument of
// Fortran: a null address) is not copied.
struct BlockShape {
    std::size_t bytes = 0, alignment = 1;
};
BlockShape firstprivate_shape(const TargetData& data);

// Copies the firstprivate data into `block`, which has that shape, and lets `data.addresses` point
// there. `compilers_list`: where the addresses stood when the construct was met, in case `data` has
// a copy of them.
void copy_firstprivate(const TargetData& data, char* block, void** compilers_list);

// While it lives, the firstprivate data have copies of their own, to which `data.addresses` points.
class FirstprivateCopies {
  public:
    explicit FirstprivateCopies(const TargetData& data);
    ~FirstprivateCopies();
    FirstprivateCopies(const FirstprivateCopies&) = delete;
    FirstprivateCopies& operator=(const FirstprivateCopies&) = delete;

  private:
    char* block_ = nullptr;
};

} // namespace teff::abi
