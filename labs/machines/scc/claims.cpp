// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/claims.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace teff::machine::scc {

namespace {

constexpr unsigned kAll = 48; // the paper's largest team
constexpr Barrier kOfPaper[] = {Barrier::smsb, Barrier::cpb, Barrier::clutb, Barrier::smsb_uc, Barrier::cpb_uc};

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
    char buffer[200];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return buffer;
}

bool between(double value, double least, double most) { return value >= least && value <= most; }

// How much smaller `value` is than `than`, in per cent.
double below(double value, double than) { return 100 * (1 - value / than); }

struct Pair {
    double master, slaves;
};
Pair of(Experiment& e, Barrier barrier, unsigned cores) {
    const BarrierTimes& times = e.barrier(barrier, cores);
    return {times.master, times.slaves};
}
Pair below(const Pair& value, const Pair& than) {
    return {below(value.master, than.master), below(value.slaves, than.slaves)};
}
bool both_above(const Pair& pair, double limit) { return pair.master > limit && pair.slaves > limit; }

Claim order_at_all(Experiment& e) {
    const Pair s = of(e, Barrier::smsb, kAll), c = of(e, Barrier::cpb, kAll), l = of(e, Barrier::clutb, kAll);
    return {
        "B1",       "S-MSB is far above CPB, and CPB above C-LUTB, at 48",
        "figure 6", text("%.0f, %.1f, %.1f us", s.master, c.master, l.master),
        "robust",   s.master > 5 * c.master && s.slaves > 5 * c.slaves && c.master > l.master && c.slaves > l.slaves};
}

Claim near_at_two(Experiment& e) {
    double least = of(e, Barrier::smsb, 2).master, most = least;
    for (const Barrier each : kOfPaper) {
        least = std::min(least, of(e, each, 2).master);
        most = std::max(most, of(e, each, 2).master);
    }
    return {"B2",       "all are near each other at 2",
            "figure 6", text("%.2f to %.2f us", least, most),
            "robust",   most < 3 * least};
}

Claim far_below(Experiment& e, Barrier barrier, const char* id, const char* statement, const char* verdict) {
    const Pair gain = below(of(e, barrier, kAll), of(e, Barrier::smsb, kAll));
    return {id, statement, "> 97 %", text("%.1f, %.1f %%", gain.master, gain.slaves), verdict, both_above(gain, 97)};
}

Claim chain_below(Experiment& e) {
    return far_below(e, Barrier::cpb, "B3", "CPB is more than 97 % below S-MSB at 48, MO and ASO",
                     "direction robust; 95 to 97 %");
}

Claim lut_below(Experiment& e) {
    return far_below(e, Barrier::clutb, "B4", "C-LUTB is more than 97 % below S-MSB at 48, MO and ASO",
                     "direction robust");
}

Claim lut_far_below(Experiment& e) {
    const double gain = below(of(e, Barrier::clutb, kAll), of(e, Barrier::smsb, kAll)).master;
    return {
        "B5",        "C-LUTB's MO is 98.5 % below S-MSB's at 48", "98.5 %", text("%.1f %%", gain), "not to be reached",
        gain >= 98.5};
}

Claim times_smaller(Experiment& e) {
    const double times = of(e, Barrier::smsb, kAll).slaves / of(e, Barrier::cpb, kAll).slaves;
    return {"B6",
            "CPB's ASO is about 26 times smaller than S-MSB's at 48",
            "26",
            text("%.1f", times),
            "26 at a service of 50 cycles",
            between(times, 20, 32)};
}

Claim lut_below_uncached_chain(Experiment& e) {
    const double gain = below(of(e, Barrier::clutb, kAll), of(e, Barrier::cpb_uc, kAll)).master;
    return {"B7",        "C-LUTB's MO is 14 to 35 % below CPB-UC's at 48",
            "25.6 %",    text("%.1f %%", gain),
            "plausible", between(gain, 14, 35)};
}

Claim lut_is_fastest(Experiment& e) {
    std::string lost;
    for (const unsigned cores : {4u, 8u, 12u, 24u, 48u})
        for (const Barrier each : kOfPaper)
            if (of(e, each, cores).slaves < of(e, Barrier::clutb, cores).slaves)
                lost += text("%s%s at %u", lost.empty() ? "" : ", ", std::string(name_of(each)).c_str(), cores);
    return {"B8",
            "C-LUTB's ASO is the smallest from 4 cores on",
            "always",
            lost.empty() ? "always" : "not " + lost,
            "robust without CPB-UC",
            lost.empty()};
}

Claim uncached_chain_literally(Experiment& e) {
    const double ratio = of(e, Barrier::cpb_uc, kAll).master / of(e, Barrier::cpb, kAll).master;
    return {"U1",
            "CPB-UC is worse than CPB by more than 96 %, as written",
            "> 1.96",
            text("%.2f", ratio),
            "contradicts U3 and B7",
            ratio > 1.96};
}

Claim uncached_chain_as_meant(Experiment& e) {
    const Pair gain = below(of(e, Barrier::cpb_uc, kAll), of(e, Barrier::smsb, kAll));
    return {"U2",
            "the same, read as: CPB-UC is 96 % below S-MSB",
            "> 96 %",
            text("%.1f, %.1f %%", gain.master, gain.slaves),
            "the reading that fits",
            both_above(gain, 96)};
}

Claim uncached_gain(Experiment& e, const char* id, const char* statement, const char* paper, Barrier uncached,
                    Barrier cached) {
    const Pair gain = below(of(e, uncached, kAll), of(e, cached, kAll));
    return {id, statement, paper, text("%.1f, %.1f %%", gain.master, gain.slaves), "sign robust", both_above(gain, 0)};
}

Claim no_growth(Experiment& e) {
    const double chain = of(e, Barrier::cpb_uc, kAll).master / of(e, Barrier::cpb_uc, 4).master;
    const double lut = of(e, Barrier::clutb, kAll).master / of(e, Barrier::clutb, 4).master;
    return {"G1",
            "the number of cores has no impact on CPB-UC and C-LUTB",
            "none",
            text("48 against 4: %.0f and %.0f times", chain, lut),
            "impossible for a chain",
            chain < 1.2 && lut < 1.2};
}

Claim linear_growth(Experiment& e) {
    const double chain = of(e, Barrier::cpb, kAll).master / of(e, Barrier::cpb, 24).master;
    return {"G2",         "the chain grows linearly: twice from 24 to 48",
            "-",          text("%.2f times", chain),
            "arithmetic", between(chain, 1.6, 2.5)};
}

Claim quadratic_growth(Experiment& e) {
    const double shared = of(e, Barrier::smsb, kAll).master / of(e, Barrier::smsb, 24).master;
    const double signal = of(e, Barrier::smsb_signal, kAll).master / of(e, Barrier::smsb_signal, 24).master;
    return {"G3",         "the shared buffer grows quadratically: four times",
            "-",          text("%.2f, %.2f times", shared, signal),
            "arithmetic", between(shared, 3.2, 5) && between(signal, 3.2, 5)};
}

Claim sides_differ(Experiment& e) {
    double most = 0;
    for (const Barrier each : kOfPaper) {
        const Pair pair = of(e, each, kAll);
        most = std::max(most, 100 * std::fabs(pair.slaves / pair.master - 1));
    }
    return {
        "G4",    "MO and ASO differ", "by 1.5 % and more", text("by %.1f %% at most", most), "back to back: within 3 %",
        most > 5};
}

Claim halving(Experiment& e) {
    const double ratio = e.alignment(kAll, true);
    return {"A1",
            "split loops take half of the one loop's time at 48",
            "< 0.5",
            text("%.2f", ratio),
            "needs buffer and copies",
            ratio < 0.55};
}

Claim slightly_worse(Experiment& e) {
    const double one = e.alignment(1, true), two = e.alignment(2, true);
    return {"A2",
            "split loops take a little more at 1 and 2",
            "> 1",
            text("%.2f, %.2f", one, two),
            "slightly worse",
            between(one, 1, 1.3) && between(two, 1, 1.3)};
}

Claim no_effect_uncached(Experiment& e) {
    const double ratio = e.alignment(kAll, false);
    return {"A3",        "in UC splitting makes no difference at 48",
            "1",         text("%.2f", ratio),
            "no effect", between(ratio, 0.95, 1.05)};
}

Claim dissemination_beats_all(Experiment& e) {
    double least = of(e, Barrier::clutb, kAll).slaves;
    for (const Barrier each : kOfPaper)
        least = std::min(least, of(e, each, kAll).slaves);
    const double ours = of(e, Barrier::dissemination, kAll).slaves;
    return {"N1",     "dissemination, which the paper did not try, beats all at 48",
            "-",      text("%.1f against %.1f us", ours, least),
            "robust", ours < least};
}

} // namespace

const BarrierTimes& Experiment::barrier(Barrier barrier, unsigned cores) {
    const auto [found, is_new] = barriers_.try_emplace({barrier, cores});
    if (is_new) found->second = measure_median(costs_, barrier, cores, seeds_);
    return found->second;
}

double Experiment::alignment(unsigned cores, bool cached) {
    const auto [found, is_new] = alignments_.try_emplace({cores, cached});
    if (is_new)
        found->second =
            measure_alignment(costs_, cores, true, cached) / measure_alignment(costs_, cores, false, cached);
    return found->second;
}

std::vector<Claim> judge(Experiment& e) {
    return {
        order_at_all(e),
        near_at_two(e),
        chain_below(e),
        lut_below(e),
        lut_far_below(e),
        times_smaller(e),
        lut_below_uncached_chain(e),
        lut_is_fastest(e),
        uncached_chain_literally(e),
        uncached_chain_as_meant(e),
        uncached_gain(e, "U3", "UC makes CPB faster at 48, MO and ASO", "19.9 % (ASO)", Barrier::cpb_uc, Barrier::cpb),
        uncached_gain(e, "U4", "UC makes S-MSB faster at 48, MO and ASO", "> 41 %", Barrier::smsb_uc, Barrier::smsb),
        no_growth(e),
        linear_growth(e),
        quadratic_growth(e),
        sides_differ(e),
        halving(e),
        slightly_worse(e),
        no_effect_uncached(e),
        dissemination_beats_all(e)};
}

std::vector<Dependence> vary(const Costs& costs, unsigned seeds, const std::vector<Claim>& claims) {
    std::vector<Dependence> dependences(claims.size());
    for (const Cost& cost : all_costs())
        for (const double factor : {0.5, 2.0}) {
            Costs varied = costs;
            cost.scale(varied, factor);
            Experiment experiment(varied, seeds);
            const auto now = judge(experiment);
            for (std::size_t i = 0; i < claims.size(); ++i) {
                ++dependences[i].variations;
                if (now[i].holds != claims[i].holds)
                    dependences[i].flips.push_back(std::string(cost.name) + (factor < 1 ? " halved" : " doubled"));
            }
        }
    return dependences;
}

} // namespace teff::machine::scc
