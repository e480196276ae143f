// SPDX-License-Identifier: Apache-2.0
// A site: a construct of the program's source, with sums over the grains that come from it.
import type { Ns } from '../base/time';

export interface Site {
  file: string;
  line: number;
  function: string;
  kind: string;
  count: number;
  work_ns: Ns;
  mean_ns: Ns;
  low_benefit: number;
}
