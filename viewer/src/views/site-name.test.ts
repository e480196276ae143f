// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { siteName } from './site-name';

const textOf = (site: Parameters<typeof siteName>[0], longest = 40) =>
  siteName(site, longest)
    .map((part) => (typeof part === 'string' ? part : part.textContent))
    .join('');
const without = (name: string) => ({ file: '', line: 0, function: name });

it.each([
  ['advec_mom_kernel (module advec_mom_kernel_mod) at clover_leaf+0x7122f', 'advec_mom_kernel …+0x7122f'],
  [
    'cluster._k_means_lloyd.lloyd_iter_chunked_dense at _k_means_lloyd.cpython-311-x86_64-linux-gnu.so+0x16b83',
    'lloyd_iter_chunked_dense …+0x16b83',
  ],
  ['build_field_ at clover_leaf+0x2abdc', 'build_field_ …+0x2abdc'],
  ['a_function_with_a_long_name._omp_fn.0 at prog+0x12', 'a_function_with_a_long_name._omp_fn.0 …+0x12'],
  ['(outside of parallel regions)', '(outside of parallel regions)'],
])('keeps the function and the offset of %s', (name, text) => {
  expect(textOf(without(name))).toBe(text);
});

it('shortens the function and never the offset, and has the line where there is one', () => {
  expect(textOf(without('advec_mom_kernel at clover_leaf+0x7122f'), 9)).toBe('adve…rnel …+0x7122f');
  expect(textOf({ file: 'src/sort.c', line: 12, function: 'sort' })).toBe('sort.c:12');
});
