// SPDX-License-Identifier: Apache-2.0
//
// Placed: where the data of a program lie on a modelled machine, under a distribution.
//
// The distributions are the runtime's own (mem/distribution.h). They ask a modelled system for
// their pages, and mem/placement.h says on which nodes the bytes then lie. For a machine that
// distributes units smaller than pages, addresses are multiplied so that a unit takes the place of
// a page.
//
// `standard` is first touch: the initialisation is serial, so all data lie on the first node. On a
// machine whose standard is `fine`, `standard` means `fine`. `interleave` is numactl's
// distribution: the address of a page determines its node, and an allocation begins behind a
// header, as with malloc.
#pragma once

#include <optional>
#include <string_view>

#include "machine/memory.h"
#include "machine/program.h"

namespace teff::machine {

enum class Spreading : std::uint8_t { standard, fine, coarse, interleave };
std::string_view name_of(Spreading spreading);

struct Placed {
    // For each extent: its chunks, each with the nodes on which its lines lie.
    std::vector<std::vector<Chunk>> chunks;
    // For each extent: its bytes on each node.
    std::vector<std::vector<std::uint64_t>> bytes_on;
};

Placed place(const Program& program, const Description& description, Spreading spreading);

// Returns, for each node, the bytes that the task names and touches.
std::vector<std::uint64_t> named_bytes(const TaskSpec& task, const Placed& placed, unsigned nodes);

} // namespace teff::machine
