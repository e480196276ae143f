// SPDX-License-Identifier: Apache-2.0
// Reads the arguments that GCC passes to the exported functions of the target constructs.
#pragma once

#include <cstddef>

namespace teff::abi {

inline constexpr int kOnHost = -1;

// Returns the device on which a construct runs, for the number that GCC passes: below
// device::role().usable, or kOnHost. Ends the program with a message if `device` is neither the
// host nor a device and OMP_TARGET_OFFLOAD is mandatory, or if it is omp_invalid_device.
int device_of(int device);

// Whether the construct for which GCC passes this number has a device clause.
bool has_device_clause(int device);

// Returns the thread limit among the arguments of the construct; 0 if there is none. The arguments
// end with a null pointer; the list itself may be null.
unsigned thread_limit(void* const* arguments);

// The data that a construct maps, as GCC passes them: element i of each array describes item i.
struct TargetData {
    std::size_t count;
    void** addresses;
    const std::size_t* sizes;
    const unsigned short* kinds;
};

// The size and alignment of the memory for the copies of the firstprivate items. An item with a
// null address (an absent optional argument of Fortran) is not copied.
struct BlockShape {
    std::size_t bytes = 0, alignment = 1;
};
BlockShape firstprivate_shape(const TargetData& data);

// Returns the place that an item of `data` names, where `data` has a copy of `compilers_list`, the
// list of addresses that the compiler has passed: a place in that list means the same place in the
// copy.
void** place_in_copy(void* place, const TargetData& data, void** compilers_list);

// Copies the firstprivate data into `block`, and makes `data.addresses` point to the copies.
// Requires `block` to have the shape firstprivate_shape(data). `compilers_list` is the list of
// addresses that the compiler has passed; it differs from `data.addresses` if `data` has a copy of
// the list.
void copy_firstprivate(const TargetData& data, char* block, void** compilers_list);

// Owns copies of the firstprivate data. The constructor makes the copies and makes `data.addresses`
// point to them; the destructor frees the copies and does not restore the addresses.
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
