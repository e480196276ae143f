// SPDX-License-Identifier: Apache-2.0
// A site: a construct of the program's source, with sums over the grains that come from it.
export interface Site {
  file: string;
  line: number;
  function: string;
  kind: string;
  count: number;
  work_ns: number;
  mean_ns: number;
  low_benefit: number;
}
