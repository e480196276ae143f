// SPDX-License-Identifier: Apache-2.0
// How bad a low parallel benefit is. A benefit below 1 means that creating and waiting for the
// grain cost more than running it here would have; each halving below that is one more step, and
// four are the worst.
import type { GrainRow } from './ids';
import { Flag, type Model } from './model';

const WORST_HALVINGS = 4;

/** 0 when the grain pays off, up to 1 for the worst. */
export function severityOf(model: Model, grain: GrainRow): number {
  if (!(model.grain.flags[grain]! & Flag.LowBenefit)) return 0;
  return severityOfBenefit(model.grain.benefit[grain]!, 1);
}

/** Of a low benefit; `none` where there is none. */
export function severityOfBenefit(benefit: number, none = 0): number {
  if (Number.isNaN(benefit)) return none;
  if (!(benefit > 0)) return 1;
  return Math.min(1, Math.max(0.15, -Math.log2(benefit) / WORST_HALVINGS));
}
