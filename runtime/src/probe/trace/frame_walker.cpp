// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/frame_walker.h"

#include <algorithm>

namespace teff::probe::trace {

namespace {

// The slots that the rules name lie on the thread's stack, whatever a sanitizer thinks of them.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uintptr_t load(std::uintptr_t at) {
    return *reinterpret_cast<const volatile std::uintptr_t*>(at);
}

} // namespace

// More are in use than fit. What is known of sites stays: digests have what tells an
// object, and not when it was met.
void FrameWalker::forget() {
    for (KnownRule& known : rules_)
        if (known.address != 0) known = {}; // pages that nothing was written to stay so
    rules_used_ = objects_used_ = 0;
}

FrameWalker::Object* FrameWalker::find_object(std::uintptr_t address) {
    Object* const end = objects_ + objects_used_;
    Object* const found = std::find_if(
        objects_, end, [=](const Object& of) { return of.round != 0 && address >= of.begin && address < of.end; });
    return found != end ? found : nullptr;
}

// One that was replaced may come back, with its rules.
FrameWalker::Object* FrameWalker::object_named(std::uint64_t identity) {
    Object* const end = objects_ + objects_used_;
    Object* const found = std::find_if(objects_, end, [=](const Object& of) { return of.identity == identity; });
    return found != end ? found : nullptr;
}

bool FrameWalker::is_still_there(Object& object, std::uintptr_t address) {
    FoundObject found;
    if (!find_object_without_lock(address, found) || found.identity != object.identity) return false;
    object.round = round_;
    return true;
}

FrameWalker::Object* FrameWalker::add_object(std::uintptr_t address) {
    FoundObject found;
    if (!find_object_without_lock(address, found)) return nullptr;
    Object* object = object_named(found.identity);
    if (object == nullptr) {
        if (objects_used_ == kObjects) forget();
        object = &objects_[objects_used_++];
    }
    *object = {found.begin, found.end, found.tables, found.identity, round_};
    return object;
}

// Null: it lies in none. Rules of an object that is replaced are looked up again one by one.
const FrameWalker::Object* FrameWalker::object_of(std::uintptr_t address) {
    Object* const known = find_object(address);
    if (known == nullptr) return add_object(address);
    if (TEFF_LIKELY(known->round == round_) || is_still_there(*known, address)) return known;
    known->round = 0;
    return add_object(address);
}

FrameWalker::KnownRule& FrameWalker::slot_of_rule(std::uintptr_t return_address) {
    std::size_t at = static_cast<std::size_t>(return_address * 0x9e3779b97f4a7c15ull >> 40);
    while (rules_[at % kRules].address != 0 && rules_[at % kRules].address != return_address)
        ++at;
    return rules_[at % kRules];
}

// Null: it lies in no object.
const FrameWalker::KnownRule* FrameWalker::rule_of(std::uintptr_t return_address) {
    const KnownRule& known = slot_of_rule(return_address);
    if (TEFF_LIKELY(known.address != 0 && objects_[known.object].round == round_)) return &known;
    return look_for_rule(return_address);
}

const FrameWalker::KnownRule* FrameWalker::look_for_rule(std::uintptr_t return_address) {
    if (rules_used_ >= kRules / 2) forget();
    const Object* const object = object_of(return_address); // it may forget, too
    if (object == nullptr) return nullptr;
    KnownRule& known = slot_of_rule(return_address);
    const auto at = static_cast<std::uint32_t>(object - objects_);
    if (known.address != 0 && known.object == at) return &known; // its object is still there
    if (known.address == 0) ++rules_used_;
    known = {return_address, frame_rule(return_address - 1, object->tables), at};
    return &known;
}

// False: there is no caller, or it cannot be told. Stacks grow downwards: whatever the tables say,
// a walk ends.
bool FrameWalker::go_to_caller(Registers& registers, const FrameRule& rule) {
    using Cfa = FrameRule::Cfa;
    using Saved = FrameRule::Saved;
    if (rule.cfa_is == Cfa::kUnknown || rule.cfa_is == Cfa::kOutermost) return false;
    std::uintptr_t cfa = rule.cfa_is == Cfa::kOfStack ? registers.stack : registers.frame;
    cfa += static_cast<std::uintptr_t>(std::int64_t{rule.cfa});
    const bool is_frame_odd = rule.cfa_is != Cfa::kOfStack && (registers.frame < registers.stack);
    if (is_frame_odd || cfa % sizeof(void*) != 0) return false;
    if (rule.cfa_is == Cfa::kAtFrame) {
        if (!stack_.can_read(registers.stack, cfa)) return false;
        cfa = load(cfa);
    }
    if (cfa <= registers.stack || cfa % sizeof(void*) != 0) return false;
    if (rule.saved_is != Saved::kInRegister) {
        const std::uintptr_t base = rule.saved_is == Saved::kAtCfa ? cfa : registers.frame;
        const std::uintptr_t at = base + static_cast<std::uintptr_t>(std::int64_t{rule.saved});
        if (at % sizeof(void*) != 0 || !stack_.can_read(registers.stack, at)) return false;
        registers.frame = load(at);
    }
    if (!stack_.can_read(registers.stack, cfa - sizeof(void*))) return false;
    registers = {.code = load(cfa - sizeof(void*)), .stack = cfa, .frame = registers.frame};
    return registers.code != 0;
}

} // namespace teff::probe::trace
