// SPDX-License-Identifier: Apache-2.0
#include "machine/task_graph.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <utility>

namespace teff::machine {

namespace {

using Problem = std::string; // or nothing

constexpr std::uint64_t kMostWork_ns = 1'000'000'000'000'000; // eleven days: no sum of times is too large

enum class What : std::uint8_t { task, region, loop, join, lock, signal, count };
constexpr std::array<std::string_view, static_cast<std::size_t>(What::count)> kPlural = {"tasks", "regions", "loops",
                                                                                         "joins", "locks",   "signals"};

// The places in which a step may occur.
enum Place : std::uint8_t { kProgram = 1, kRegion = 2, kTask = 4, kPiece = 8, kAnywhere = 15 };

struct Word {
    char letter;
    StepKind kind;
    What what;
    std::uint8_t places;
};
constexpr Word kWords[] = {
    {'c', StepKind::create, What::task, kAnywhere},  {'i', StepKind::call, What::task, kAnywhere},
    {'j', StepKind::wait, What::join, kAnywhere},    {'b', StepKind::barrier, What::count, kRegion},
    {'r', StepKind::region, What::region, kProgram}, {'l', StepKind::loop, What::loop, kAnywhere},
    {'h', StepKind::lock, What::lock, kAnywhere},    {'u', StepKind::unlock, What::lock, kAnywhere},
    {'s', StepKind::await, What::signal, kAnywhere}, {'p', StepKind::post, What::signal, kAnywhere},
    {'e', StepKind::fulfil, What::task, kAnywhere},
};

std::string quoted(std::string_view word) { return "'" + std::string(word.substr(0, 40)) + "'"; }

bool read(std::string_view word, std::uint64_t most, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size() && value <= most;
}

class Reader {
  public:
    Reader(std::string_view text, const std::string& file) : text_(text), size_(text.size()), file_(file) {}

    ParsedGraph graph() {
        Problem problem = begin();
        while (problem.empty() && next_line())
            problem = line();
        if (problem.empty()) problem = check();
        if (problem.empty()) return {std::move(graph_), {}};
        return {{}, file_ + ":" + std::to_string(number_) + ": " + problem};
    }

  private:
    // ---- Lines and words.

    bool next_line() {
        while (!text_.empty()) {
            ++number_;
            const auto end = std::min(text_.find('\n'), text_.size());
            line_ = text_.substr(0, end);
            text_.remove_prefix(std::min(end + 1, text_.size()));
            line_ = line_.substr(0, line_.find('#'));
            if (line_.find_first_not_of(" \t\r") != line_.npos) return true;
        }
        return false;
    }

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    std::string_view word() {
        std::size_t begin = 0;
        while (begin < line_.size() && is_blank(line_[begin]))
            ++begin;
        std::size_t end = begin;
        while (end < line_.size() && !is_blank(line_[end]))
            ++end;
        const std::string_view found = line_.substr(begin, end - begin);
        line_.remove_prefix(end);
        return found;
    }

    Problem numbered(What what, std::uint32_t& number) { return number_of(word(), what, number); }
    Problem number_of(std::string_view digits, What what, std::uint32_t& number) {
        const auto at = static_cast<std::size_t>(what);
        std::uint64_t value = 0;
        if (!read(digits, ~0u, value) || value >= counts_[at])
            return quoted(digits) + " is none of the " + std::to_string(counts_[at]) + " " + std::string(kPlural[at]) +
                   ", which count from 0";
        number = static_cast<std::uint32_t>(value);
        return {};
    }

    // ---- The first lines.

    Problem begin() {
        if (!next_line() || word() != "teff-taskgraph" || word() != "1" || !word().empty())
            return "is no task graph of version 1: its first line is 'teff-taskgraph 1'";
        std::uint64_t threads = 0;
        if (!next_line() || word() != "threads" || !read(word(), kMostThreads, threads) || threads == 0)
            return "the second line says how many threads there are, from 1 to 256: threads 2";
        graph_.threads = static_cast<unsigned>(threads);
        if (!next_line() || word() != "counts")
            return "the third line says how many there are of each: counts tasks 1 joins 0";
        for (std::string_view name = word(); !name.empty(); name = word())
            if (Problem problem = count(name); !problem.empty()) return problem;
        return make_room();
    }

    Problem count(std::string_view name) {
        const auto at = std::find(kPlural.begin(), kPlural.end(), name);
        if (at == kPlural.end())
            return quoted(name) + " cannot be counted; what can: tasks, regions, loops, joins, locks, signals";
        const std::string_view digits = word();
        // Each task, region and loop has a line. Of the other kinds, the text cannot name more than
        // it has bytes.
        if (!read(digits, size_, counts_[static_cast<std::size_t>(at - kPlural.begin())]))
            return quoted(digits) + " is no number of " + std::string(name) + " that a file of this size can have";
        return {};
    }

    std::uint64_t count_of(What what) const { return counts_[static_cast<std::size_t>(what)]; }

    Problem make_room() {
        if (count_of(What::region) * graph_.threads > size_) return "has fewer lines than its regions have threads";
        graph_.tasks.resize(count_of(What::task));
        graph_.regions.resize(count_of(What::region) * graph_.threads);
        graph_.loops.resize(count_of(What::loop));
        graph_.joins = static_cast<std::uint32_t>(count_of(What::join));
        graph_.locks = static_cast<std::uint32_t>(count_of(What::lock));
        graph_.signals = static_cast<std::uint32_t>(count_of(What::signal));
        seen_tasks_.resize(graph_.tasks.size());
        created_.resize(graph_.tasks.size());
        called_.resize(graph_.tasks.size());
        seen_parts_.resize(graph_.regions.size());
        seen_loops_.resize(graph_.loops.size());
        begun_.resize(count_of(What::region));
        holds_.resize(graph_.locks);
        return {};
    }

    // ---- One line of each kind.

    Problem line() {
        const std::string_view kind = word();
        if (kind == "task") return task();
        if (kind == "region") return region();
        if (kind == "loop") return loop();
        if (kind != "program") return quoted(kind) + " begins no line; what can: program, region, task, loop";
        if (std::exchange(seen_program_, true)) return "there is a line for the program already; remove one";
        return steps(graph_.program, kProgram);
    }

    static Problem once(std::vector<bool>& seen, std::size_t at) {
        if (seen[at]) return "there is a line for it already; remove one";
        seen[at] = true;
        return {};
    }

    Problem task() {
        std::uint32_t number = 0;
        if (Problem problem = numbered(What::task, number); !problem.empty()) return problem;
        if (Problem problem = once(seen_tasks_, number); !problem.empty()) return problem;
        GraphTask& task = graph_.tasks[number];
        for (std::string_view name = word(); name != ":"; name = word()) {
            if (name == "event") {
                task.has_event = true;
            } else if (name == "join") {
                if (Problem problem = numbered(What::join, task.join); !problem.empty()) return problem;
            } else if (name == "after") {
                if (Problem problem = numbered(What::task, task.after.emplace_back()); !problem.empty()) return problem;
            } else {
                return quoted(name) + " is none of join, after, event, or the : before the steps";
            }
        }
        return steps(task.steps, kTask);
    }

    Problem region() {
        std::uint32_t number = 0;
        if (Problem problem = numbered(What::region, number); !problem.empty()) return problem;
        std::uint64_t thread = 0;
        if (word() != "thread" || !read(word(), graph_.threads - 1, thread))
            return "behind the region's number comes one of its threads: region 0 thread 0 : w100";
        const std::size_t at = std::size_t{number} * graph_.threads + thread;
        if (Problem problem = once(seen_parts_, at); !problem.empty()) return problem;
        if (word() != ":") return "write a : before the steps";
        return steps(graph_.regions[at], kRegion);
    }

    Problem loop() {
        std::uint32_t number = 0;
        if (Problem problem = numbered(What::loop, number); !problem.empty()) return problem;
        if (Problem problem = once(seen_loops_, number); !problem.empty()) return problem;
        if (word() != ":") return "write a : before the pieces";
        std::vector<StepRange>& pieces = graph_.loops[number];
        do {
            if (Problem problem = steps(pieces.emplace_back(), kPiece); !problem.empty()) return problem;
        } while (std::exchange(piece_follows_, false));
        return {};
    }

    // ---- StepRange.

    Problem steps(StepRange& to, Place place) {
        to.begin = static_cast<std::uint32_t>(graph_.steps.size());
        for (std::string_view name = word(); !name.empty(); name = word()) {
            if (place == kPiece && name == "|") {
                piece_follows_ = true;
                break;
            }
            if (Problem problem = step(name, place); !problem.empty()) return problem;
        }
        if (graph_.steps.size() > ~0u) return "has more than four thousand million steps";
        to.end = static_cast<std::uint32_t>(graph_.steps.size());
        return {};
    }

    Problem step(std::string_view name, Place place) {
        Step& step = graph_.steps.emplace_back();
        if (name[0] == 'w') {
            if (read(name.substr(1), kMostWork_ns, step.work_ns) && (work_ns_ += step.work_ns) <= kMostWork_ns)
                return {};
            return quoted(name) + " is no work in ns, or all work is more than " + std::to_string(kMostWork_ns) + " ns";
        }
        const Word* const word =
            std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& w) { return w.letter == name[0]; });
        if (word == std::end(kWords)) return quoted(name) + " is no step; docs/formats/taskgraph.md has them";
        if ((word->places & place) == 0) return quoted(name) + " cannot stand on a line of this kind";
        step.kind = word->kind;
        if (step.kind == StepKind::barrier)
            return name.size() == 1 ? "" : quoted(name) + " is no step: b has no number";
        if (Problem problem = number_of(name.substr(1), word->what, step.number); !problem.empty())
            return quoted(name) + ": " + problem;
        return comes_once(step);
    }

    Problem comes_once(const Step& step) {
        if (step.kind == StepKind::call) called_[step.number] = true;
        if (step.kind == StepKind::create || step.kind == StepKind::call)
            return first(created_, step.number) ? "" : "task " + std::to_string(step.number) + " is created twice";
        if (step.kind == StepKind::lock) ++holds_[step.number];
        if (step.kind == StepKind::unlock) --holds_[step.number];
        if (step.kind == StepKind::region)
            return first(begun_, step.number) ? "" : "region " + std::to_string(step.number) + " begins twice";
        return {};
    }
    static bool first(std::vector<bool>& seen, std::size_t at) {
        const bool is = !seen[at];
        seen[at] = true;
        return is;
    }

    // ---- The whole.

    Problem check() const {
        if (!seen_program_) return "has no line for the program: program w100";
        const auto missing = [](const std::vector<bool>& seen) {
            return static_cast<std::size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
        };
        if (const auto at = missing(seen_tasks_); at < seen_tasks_.size())
            return "there is no line for task " + std::to_string(at) + "; is the end of the file missing?";
        if (const auto at = missing(seen_loops_); at < seen_loops_.size())
            return "there is no line for loop " + std::to_string(at) + "; is the end of the file missing?";
        if (const auto at = missing(seen_parts_); at < seen_parts_.size())
            return "there is no line for region " + std::to_string(at / graph_.threads) + " thread " +
                   std::to_string(at % graph_.threads) + "; is the end of the file missing?";
        for (std::size_t at = 0; at < called_.size(); ++at)
            if (called_[at] && !graph_.tasks[at].after.empty())
                return "task " + std::to_string(at) + " runs inside its creator, and so cannot come after others";
        if (const auto at = missing(created_); at < created_.size())
            return "task " + std::to_string(at) + " is never created; add c" + std::to_string(at) + " to some line";
        if (const auto at = missing(begun_); at < begun_.size())
            return "region " + std::to_string(at) + " never begins; add r" + std::to_string(at) + " to the program";
        const auto lock = std::find_if(holds_.begin(), holds_.end(), [](std::int64_t holds) { return holds < 0; });
        if (lock != holds_.end())
            return "lock " + std::to_string(lock - holds_.begin()) + " is given back more often than it is taken";
        return check_barriers();
    }

    Problem check_barriers() const {
        for (std::size_t at = 0; at < graph_.regions.size(); ++at)
            if (barriers(graph_.regions[at]) != barriers(graph_.regions[at / graph_.threads * graph_.threads]))
                return "the threads of region " + std::to_string(at / graph_.threads) +
                       " do not come to the same number of barriers";
        return {};
    }
    std::ptrdiff_t barriers(const StepRange& steps) const {
        return std::count_if(graph_.steps.begin() + steps.begin, graph_.steps.begin() + steps.end,
                             [](const Step& step) { return step.kind == StepKind::barrier; });
    }

    std::string_view text_, line_;
    const std::size_t size_;
    const std::string& file_;
    std::uint64_t number_ = 0; // of the line
    TaskGraph graph_;
    std::array<std::uint64_t, static_cast<std::size_t>(What::count)> counts_ = {};
    std::vector<bool> seen_tasks_, seen_parts_, seen_loops_, created_, called_, begun_;
    std::vector<std::int64_t> holds_; // of each lock: how much more often it is taken than given back
    std::uint64_t work_ns_ = 0;
    bool seen_program_ = false, piece_follows_ = false;
};

} // namespace

std::uint64_t TaskGraph::work_ns() const {
    return std::accumulate(steps.begin(), steps.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Step& step) { return sum + step.work_ns; });
}

ParsedGraph parse_task_graph(std::string_view text, const std::string& file) { return Reader(text, file).graph(); }

} // namespace teff::machine
