// SPDX-License-Identifier: Apache-2.0
// A region with two steps that end at the same barrier.
import type { storeOf } from './page';

type Change = NonNullable<Parameters<typeof storeOf>[0]>;

/** The barrier is site 5. */
export const withSteps: Change = (json) => {
  const row = { count: 1, classes: [40, 10, 0], own_ns: 0, wall_ns: 100 };
  Object.assign(json.sites[5]!, { kind: 'sync', count: 8, work_ns: 0 });
  json.whole.outline.row = [
    { ...row, depth: 0, kind: 'region', site: 3, work_ns: 70 },
    { ...row, depth: 1, kind: 'phase', site: 5, work_ns: 40 },
    { ...row, depth: 1, kind: 'phase', site: 5, work_ns: 30 },
  ];
};
