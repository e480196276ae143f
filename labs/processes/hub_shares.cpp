// SPDX-License-Identifier: Apache-2.0
//
// The hub keeps the entry of a work-sharing construct from the first member's arrival until the
// last member has got its last answer. The construct's id is its number within the region; all
// members encounter the constructs in the same order.
#include "loop/schedules.h"
#include "processes/hub.h"
#include "processes/report.h"

namespace teff::processes::hub {

namespace {

constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};

struct Share {
    std::uint64_t id;
    std::uint64_t next;    // iteration, or section, that is not handed out
    std::uint64_t handed;  // how many chunks
    unsigned through;      // members that had their last answer
    std::uint64_t address; // copyprivate
    std::uint64_t turn;    // the chunk whose turn it is
    std::uint64_t chunks;  // of an ordered loop, when known
};
struct Turn { // a member that waits for its chunk's turn, or a chunk whose turn is over ahead of time
    std::uint64_t id, chunk;
    unsigned rank;
    bool over;
};
constinit List<Share> shares;
constinit List<Turn> turns;
struct Copy {
    std::uint64_t id;
    unsigned rank;
};
constinit List<Copy> copiers;

Share& find(std::uint64_t id) {
    for (Share& share : shares)
        if (share.id == id) return share;
    shares.push({id, 0, 0, 0, kNoAddress, 0, kNoAddress});
    return shares.back();
}

void drop(const Share& share) { shares.erase(static_cast<std::size_t>(&share - shares.data())); }

void member_through(Share& share, bool ordered) {
    if (++share.through == members() && (!ordered || share.turn == share.chunks)) drop(share);
}

// Returns the size of several chunks at once if many are left, because a request takes as long as
// many iterations.
std::uint64_t bundle(const Request& request, std::uint64_t left) {
    const std::uint64_t chunks = (left - 1) / request.c + 1;
    const std::uint64_t share = chunks / (std::uint64_t{4} * members());
    return (share == 0 || (request.flags & kOrderedLoop) != 0 ? 1 : share) * request.c;
}

std::uint64_t size_of_next(const Request& request, std::uint64_t left) {
    if (static_cast<Handing>(request.d) == Handing::guided) return loop::guided_size(left, request.c, members());
    const std::uint64_t size = bundle(request, left);
    return size < left ? size : left;
}

bool take_over(std::uint64_t id, std::uint64_t chunk) {
    for (std::size_t i = 0; i < turns.size(); ++i)
        if (turns[i].over && turns[i].id == id && turns[i].chunk == chunk) return turns.erase(i), true;
    return false;
}

void admit(const Share& share) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (turns[i].over || turns[i].id != share.id || turns[i].chunk != share.turn) continue;
        const unsigned rank = turns[i].rank;
        turns.erase(i);
        return answer(rank, go_on(), true);
    }
}

} // namespace

void hand_out(const Message& message) {
    const Request& request = message.request;
    Share& share = find(request.a);
    if (share.next >= request.b) {
        answer(message.rank, go_on(0, 0), false);
        share.chunks = share.handed;
        return member_through(share, (request.flags & kOrderedLoop) != 0);
    }
    const std::uint64_t first = share.next, last = first + size_of_next(request, request.b - first);
    share.next = last;
    answer(message.rank, go_on(first, last, share.handed++), false);
}

void single(const Message& message) {
    Share& share = find(message.request.a);
    answer(message.rank, go_on(share.handed++ == 0), false);
    if (message.request.flags == 0) member_through(share, false);
}

void copy_out(const Message& message) {
    Share& share = find(message.request.a);
    share.address = message.request.b;
    for (std::size_t i = 0; i < copiers.size();) {
        if (copiers[i].id != share.id) {
            ++i;
            continue;
        }
        const unsigned rank = copiers[i].rank;
        copiers.erase(i);
        answer(rank, go_on(share.address), true);
        ++share.through;
    }
    member_through(share, false);
}

void copy_in(const Message& message) {
    Share& share = find(message.request.a);
    if (share.address == kNoAddress) return copiers.push({share.id, message.rank});
    answer(message.rank, go_on(share.address), true);
    member_through(share, false);
}

void await_turn(const Message& message) {
    const Share& share = find(message.request.a);
    if (share.turn == message.request.b) return answer(message.rank, go_on(), true);
    turns.push({share.id, message.request.b, message.rank, false});
}

void turn_over(const Message& message) {
    Share& share = find(message.request.a);
    turns.push({share.id, message.request.b, 0, true});
    while (take_over(share.id, share.turn))
        ++share.turn;
    if (message.request.c != 0) share.chunks = message.request.c; // a static loop, which asks for no chunks
    if (share.turn == share.chunks && (message.request.c != 0 || share.through == members())) return drop(share);
    admit(share);
}

void forget_shares() {
    shares.clear();
    turns.clear();
    copiers.clear();
}

} // namespace teff::processes::hub
