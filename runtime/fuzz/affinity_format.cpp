// SPDX-License-Identifier: Apache-2.0
// Fuzzes affinity formats: the length that is returned for a format does not depend on the size of
// the buffer, and the text is cut to the buffer's size, without writing beyond it.
#include "abi/affinity_format.h"

#include <algorithm>
#include <string>

#include "fuzz/input.h"

namespace {

// Writes into so much room; what lies behind it must stay as it is.
std::string written(std::string_view format, std::size_t room, std::size_t& length) {
    std::string buffer(room + 16, '\x5a');
    length = teff::abi::write_affinity(buffer.data(), room, format);
    FUZZ_CHECK(buffer.find_first_not_of('\x5a', std::min(length, room)) == std::string::npos);
    buffer.resize(std::min(length, room));
    return buffer;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    teff::fuzz::Input input(data, size);
    const std::size_t room = input.byte();
    const std::string_view format = input.text();
    std::size_t whole_length = 0, cut_length = 0;
    const std::string whole = written(format, 2048, whole_length);
    const std::string cut = written(format, room, cut_length);
    FUZZ_CHECK(cut_length == whole_length);
    FUZZ_CHECK(whole.compare(0, cut.size(), cut) == 0);
    teff::abi::set_affinity_format(format);
    std::size_t copy_length = teff::abi::copy_affinity_format(nullptr, 0);
    FUZZ_CHECK(copy_length <= format.size());
    return 0;
}
