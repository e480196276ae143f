// SPDX-License-Identifier: Apache-2.0
//
// Tests host.h, between.h and placement.h with many threads at a time. The devices are in this
// process: a transport carries a construct out as soon as it is sent, with all checks of a device,
// and keeps the answer. What one device sends to another waits on their line. Nothing here is
// locked but by the functions that are tested, so ThreadSanitizer sees what these leave unguarded:
// the tables, the line of a device, and the program's data.
#include "device/host.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "device/ahead.h"
#include "device/between.h"
#include "device/deferred.h"
#include "device/incoming.h"
#include "device/lines.h"
#include "device/placement.h"
#include "device/pretended_device.h"
#include "device/turn.h"
#include "icv/icv.h"

namespace teff::device {
namespace {

constexpr unsigned kHere = 3, kAtATime = 4;
constexpr int kRounds = 200;

struct Message {
    Message(const iovec* parts, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const auto* const first = static_cast<const char*>(parts[i].iov_base);
            content.insert(content.end(), first, first + parts[i].iov_len);
        }
    }
    bool move(void* to, std::size_t bytes) {
        if (bytes > content.size() - at) return false;
        std::copy_n(content.data() + at, bytes, static_cast<char*>(to));
        at += bytes;
        return true;
    }
    bool is_over() const { return at == content.size(); }

    std::vector<char> content;
    std::size_t at = 0;
};

// Used by the thread that has the device's turn.
class DeviceHere {
  public:
    void say_hello(unsigned number) {
        number_ = number;
        modules_.read();
        heap_ = {PretendedDevice::address_of(memory_), sizeof memory_};
        const auto count = static_cast<std::uint32_t>(modules_.records().size());
        const std::size_t bytes = count * sizeof(ModuleRecord);
        answer(Header{Header::kMagic, MessageKind::hello, 0, sizeof(Hello) + bytes});
        answer(Hello{Hello::kVersion, count, 1, heap_});
        answer(modules_.records().data(), bytes);
    }
    bool take(const iovec* parts, std::size_t count) {
        Message message(parts, count);
        const auto receive = [&](void* to, std::size_t bytes) { return message.move(to, bytes); };
        Incoming incoming;
        if (take_construct(receive, ++sequence_, {heap_, &modules_, number_, kHere}, incoming) != Taken::whole)
            return false;
        EXPECT_LE(incoming.construct.ahead, aheads_.load());
        for (std::uint64_t i = 0; i < incoming.construct.released; ++i)
            std::memset(pointer(incoming.lists().released[i].address), 0xdd, incoming.lists().released[i].bytes);
        discarded_ = sequence_;
        return carry_out(incoming, receive) && message.is_over();
    }
    // Used by the thread that sends ahead.
    bool take_ahead_of_others(const iovec* parts, std::size_t count) {
        Message message(parts, count);
        const auto receive = [&](void* to, std::size_t bytes) { return message.move(to, bytes); };
        IncomingAhead incoming;
        if (take_ahead(receive, aheads_.load() + 1, heap_, incoming) != Taken::whole) return false;
        while (discarded_ < incoming.ahead.after)
            std::this_thread::yield();
        for (std::uint64_t i = 0; i < incoming.ahead.copies; ++i)
            if (!receive(pointer(incoming.copies()[i].address), incoming.copies()[i].bytes)) return false;
        ++aheads_;
        return message.is_over();
    }
    std::uint64_t aheads() const { return aheads_.load(); }
    bool give(void* to, std::size_t bytes) {
        if (bytes > answers_.size() - given_) return false;
        std::copy_n(answers_.data() + given_, bytes, static_cast<char*>(to));
        given_ += bytes;
        return true;
    }

    void take_end() { ++ends_; }
    unsigned ends() const { return ends_; }

  private:
    template <class T> void answer(const T& object) { answer(&object, sizeof object); }
    void answer(const void* data, std::size_t bytes) {
        const auto* const first = static_cast<const char*>(data);
        answers_.insert(answers_.end(), first, first + bytes);
    }
    static void* pointer(Address address) { return reinterpret_cast<void*>(address); }

    template <class Receive> bool carry_out(const Incoming& incoming, Receive&& receive) {
        const Construct& construct = incoming.construct;
        const Lists lists = incoming.lists();
        if (construct.passing == Passing::receives) take_pass(construct, lists);
        else if (construct.passing == Passing::moves) move_within(construct, lists);
        for (std::uint64_t i = 0; i < construct.copies && construct.passing == Passing::none; ++i)
            if (!receive(pointer(lists.copies[i].address), lists.copies[i].bytes)) return false;
        for (std::uint64_t i = 0; i < construct.stores; ++i)
            std::memcpy(pointer(lists.stores[i].device), &lists.stores[i].value, sizeof(Address));
        if (construct.function != 0)
            reinterpret_cast<void (*)(void*)>(construct.function)(pointer(construct.arguments));
        answers_.clear();
        given_ = 0;
        constexpr DeviceTimes kTimes = {};
        answer(Answer{{Header::kMagic, MessageKind::reply, sequence_, sizeof kTimes + incoming.reply_bytes}, kTimes});
        if (construct.passing == Passing::sends) give_pass(construct, lists);
        for (std::uint64_t i = 0; i < construct.reads && construct.passing == Passing::none; ++i)
            answer(pointer(lists.reads[i].address), lists.reads[i].bytes);
        return true;
    }

    void give_pass(const Construct& construct, const Lists& lists);
    void take_pass(const Construct& construct, const Lists& lists);

    unsigned number_ = 0;
    unsigned ends_ = 0;      // of lines that it has got
    std::uint64_t pass_ = 0; // of what waits on the line to each device
    std::vector<char> lines_[kHere];
    Modules modules_;
    Range heap_ = {};
    std::uint64_t sequence_ = 0;
    std::atomic<std::uint64_t> aheads_{0}, discarded_{0};
    std::vector<char> answers_;
    std::size_t given_ = 0;
    alignas(64) char memory_[1 << 29]; // hardly any of it is used
};

DeviceHere* devices_here = nullptr;

void DeviceHere::give_pass(const Construct& construct, const Lists& lists) {
    pass_ = construct.pass;
    for (std::uint64_t i = 0; i < construct.reads; ++i) {
        const auto* const first = static_cast<const char*>(pointer(lists.reads[i].address));
        lines_[construct.other].insert(lines_[construct.other].end(), first, first + lists.reads[i].bytes);
    }
}

void DeviceHere::take_pass(const Construct& construct, const Lists& lists) {
    DeviceHere& sender = devices_here[construct.other];
    std::vector<char>& line = sender.lines_[number_];
    EXPECT_EQ(sender.pass_, construct.pass);
    const char* next = line.data();
    for (std::uint64_t i = 0; i < construct.copies; ++i) {
        std::copy_n(next, lists.copies[i].bytes, static_cast<char*>(pointer(lists.copies[i].address)));
        next += lists.copies[i].bytes;
    }
    EXPECT_EQ(next, line.data() + line.size());
    line.clear();
}

const Transport transport_here = {
    .name = "here",
    .is_usable = nullptr,
    .begin = nullptr,
    .send =
        [](Peer peer, const iovec* parts, std::size_t count) {
            const bool is_lane = peer >= static_cast<Peer>(kHere);
            return is_lane ? devices_here[peer - kHere].take_ahead_of_others(parts, count)
                           : devices_here[peer].take(parts, count);
        },
    .receive = [](Peer peer, void* to, std::size_t bytes) { return devices_here[peer].give(to, bytes); },
    .make_line = [](LineEnds& ends) { return ends = {0, 1}, true; },
    .give_line = [](Peer peer, int) { return devices_here[peer].take_end(), true; },
    .keep_line = [](Peer peer, int) { return peer + static_cast<Peer>(kHere); },
    .take_line = nullptr,
    .await_end = nullptr,
    .end = nullptr,
    .forget = nullptr,
};

void make_devices() {
    if (devices_here != nullptr) return;
    static constexpr Peer kPeers[] = {0, 1, 2};
    static_assert(std::size(kPeers) == kHere);
    devices_here = new DeviceHere[kHere];
    for (unsigned i = 0; i < kHere; ++i)
        devices_here[i].say_hello(i);
    set_peers(transport_here, kPeers, kHere);
    make_queues(kHere);
}

constexpr Where kWhere = {ConstructKind::region, nullptr}, kRoutine = routine_at(nullptr);

// The body of a region: adds 1 to the element whose number is its second word.
void add_one(void* arguments) {
    auto* const words = static_cast<std::uintptr_t*>(arguments);
    ++reinterpret_cast<int*>(words[0])[words[1]];
}

ItemList element_of(int* data, std::size_t count, std::uintptr_t number) {
    ItemList list;
    list.add(MapKind::tofrom, data, count * sizeof *data);
    list.add(MapKind::firstprivate_int, reinterpret_cast<const void*>(number), 0);
    return list;
}

void run_placed(ItemList list) {
    const Items items = list.items();
    if (!places_regions()) return run_region(0, items, {add_one, 0}, kWhere);
    const unsigned device = place(items, 0, false);
    run_region(device, items, {add_one, 0}, kWhere);
    unplace(items, device);
}

template <class Body> void in_threads(Body&& body) {
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < kAtATime; ++number)
        threads.emplace_back([&, number] { body(number); });
    for (std::thread& thread : threads)
        thread.join();
}

// The parameter is a number in icv::kDevicePlacements; 0 places nothing.
class HostOfManyThreads : public testing::TestWithParam<std::uint8_t> {
  protected:
    void SetUp() override {
        make_devices();
        icv::detail::process_icvs.device_placement = GetParam();
        choose_place_policy(kHere);
    }
    void TearDown() override {
        icv::detail::process_icvs.device_placement = 0;
        choose_place_policy(kHere);
    }
};

TEST_P(HostOfManyThreads, RegionsWithDataOfTheirOwn) {
    int own[kAtATime][16] = {};
    in_threads([&](unsigned number) {
        for (int round = 0; round < kRounds; ++round)
            run_placed(element_of(own[number], 16, number));
    });
    for (unsigned number = 0; number < kAtATime; ++number)
        EXPECT_EQ(own[number][number], kRounds);
}

TEST_P(HostOfManyThreads, RegionsThatWriteBackTheSameMemory) {
    int shared[kAtATime] = {};
    in_threads([&](unsigned number) {
        for (int round = 0; round < kRounds; ++round)
            run_placed(element_of(shared, kAtATime, number));
    });
    for (const int element : shared)
        EXPECT_EQ(element, kRounds);
}

TEST_P(HostOfManyThreads, DataThatComeAndGoWhileOthersAreLookedFor) {
    int shared[kAtATime] = {}, own[kAtATime][16] = {};
    const auto whole = [&](MapKind kind) { return ItemList().add(kind, shared, sizeof shared); };
    in_threads([&](unsigned number) {
        for (int round = 0; round < kRounds; ++round) {
            enter_data(0, whole(MapKind::to).items(), nullptr, kWhere);
            run_region(0, element_of(shared, kAtATime, number).items(), {add_one, 0}, kWhere);
            run_placed(element_of(own[number], 16, 0));
            EXPECT_NE(mapped_address(0, shared, kRoutine), nullptr);
            exit_data(0, whole(MapKind::from).items(), kWhere);
        }
    });
    EXPECT_EQ(mapped_address(0, shared, kRoutine), nullptr);
    for (const int element : shared)
        EXPECT_EQ(element, kRounds);
    for (const auto& mine : own)
        EXPECT_EQ(mine[0], kRounds);
}

// Each thread's element goes around all devices, in one direction or the other, and once within a
// device; regions add to it on its way.
TEST_P(HostOfManyThreads, CopiesInBothDirections) {
    constexpr std::size_t kBytes = 64 * sizeof(int);
    int results[kAtATime] = {};
    in_threads([&](unsigned number) {
        int* places[kHere];
        for (unsigned device = 0; device < kHere; ++device)
            places[device] = static_cast<int*>(allocate(device, 2 * kBytes, kRoutine));
        const auto range = [&](unsigned device, std::size_t element, std::size_t bytes) {
            return Range{PretendedDevice::address_of(places[device] + element), bytes};
        };
        const auto move = [&](unsigned to, unsigned from) {
            Ranges written = {to, {}}, read = {from, {}};
            const std::size_t target = to == from ? 64 : 0;
            for (const std::size_t element : {0, 32}) { // two ranges
                written.list.push(range(to, target + element, kBytes / 2));
                read.list.push(range(from, element, kBytes / 2));
            }
            copy_between(written, read, kRoutine);
        };
        base::List<Copy> none, whole;
        int own[64] = {};
        whole.push({PretendedDevice::address_of(places[0]), PretendedDevice::address_of(own), kBytes});
        copy(0, whole, none, kRoutine);
        unsigned at = 0;
        for (int round = 0; round < kRounds; ++round) {
            const unsigned next = (at + (number % 2 == 0 ? 1 : kHere - 1)) % kHere;
            move(next, at);
            at = next;
            ItemList list;
            list.add(MapKind::firstprivate_int, places[at], 0);
            list.add(MapKind::firstprivate_int, reinterpret_cast<const void*>(std::uintptr_t{number}), 0);
            run_region(at, list.items(), {add_one, 0}, kWhere);
        }
        move(at, at);
        whole.clear();
        whole.push({range(at, 64, 0).address, PretendedDevice::address_of(own), kBytes});
        copy(at, none, whole, kRoutine);
        results[number] = own[number];
        for (unsigned device = 0; device < kHere; ++device)
            release(device, places[device], kRoutine);
    });
    for (const int result : results)
        EXPECT_EQ(result, kRounds);
    for (unsigned device = 0; device < kHere; ++device)
        EXPECT_EQ(devices_here[device].ends(), kHere - 1) << "one line to each other device";
}

// A thread sends data ahead, of constructs that others carry out a moment later. These write back
// what it sends, use the memory that it takes, and map the same data.
TEST_P(HostOfManyThreads, DataThatAreSentAhead) {
    constexpr std::size_t kLarge = 1 << 18; // elements: memory that is worth discarding
    constexpr int kSends = 9;
    open_lane(0, kWhere);
    std::vector<int> own[kAtATime], shared(kLarge);
    for (auto& mine : own)
        mine.resize(kLarge);
    const std::uint64_t before = devices_here[0].aheads();
    std::mutex sending; // one thread at a time sends
    in_threads([&](unsigned number) {
        for (int round = 0; round < kSends; ++round) {
            int* const data = own[number].data();
            ItemList list = element_of(data, kLarge, number), both = element_of(data, kLarge, number);
            both.add(MapKind::to, shared.data(), kLarge * sizeof(int));
            ItemList& used = round % 2 == 0 ? list : both;
            const Items items = used.items();
            EXPECT_TRUE(is_worth_sending_ahead(items));
            {
                const std::lock_guard guard(sending);
                send_ahead(0, items);
            }
            if (round % 3 == 0) run_region(0, element_of(data, kLarge, number).items(), {add_one, 0}, kWhere);
            run_region(0, items, {add_one, 0}, kWhere);
        }
    });
    for (unsigned number = 0; number < kAtATime; ++number)
        EXPECT_EQ(own[number][number], kSends + kSends / 3);
    EXPECT_GT(devices_here[0].aheads(), before);
    EXPECT_EQ(mapped_address(0, shared.data(), kRoutine), nullptr);
    EXPECT_TRUE(device_at(0).memory.sent_ahead.empty());
}

INSTANTIATE_TEST_SUITE_P(Policies, HostOfManyThreads, testing::Values(0, 1, 2));

} // namespace
} // namespace teff::device
