// SPDX-License-Identifier: Apache-2.0
// The severity of a low parallel benefit. A benefit below 1 means that creating the grain and
// waiting for it cost more than running it in place would have. Each halving of the benefit is one
// step; four steps are the worst.
import type { GrainRow } from './ids';
import { Flag, type Model } from './model';

const WORST_HALVINGS = 4;

/** Returns 0 for a grain that pays off, and up to 1 for the worst grain. */
export function severityOf(model: Model, grain: GrainRow): number {
  if (!(model.grain.flags[grain]! & Flag.LowBenefit)) return 0;
  return severityOfBenefit(model.grain.benefit[grain]!, 1);
}

/** Returns the severity of a low benefit; `none` where the benefit is NaN. */
export function severityOfBenefit(benefit: number, none = 0): number {
  if (Number.isNaN(benefit)) return none;
  if (!(benefit > 0)) return 1;
  return Math.min(1, Math.max(0.15, -Math.log2(benefit) / WORST_HALVINGS));
}
