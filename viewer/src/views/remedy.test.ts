// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { all, one, usePage } from '../../test/page';
import { remedy } from './remedy';

usePage();

const codes = (text: string) => all(remedy(text), 'code').map(({ textContent }) => textContent);

it('keeps commands and settings in one piece', () => {
  expect(codes('Use `teff record --every` with OMP_PROC_BIND=true, which helps.')).toEqual([
    'teff record --every',
    'OMP_PROC_BIND=true',
  ]);
  expect(codes('Run it with OMP_NUM_THREADS=2.')).toEqual(['OMP_NUM_THREADS=2']);
  expect(codes('Bind it (taskset, OMP_PLACES).')).toEqual([]);
});

it('copies all settings at once', () => {
  const writeText = vi.fn(() => Promise.resolve());
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const node = remedy('Set MALLOC_MMAP_THRESHOLD_=33554432, MALLOC_TRIM_THRESHOLD_=1073741824.');
  one(node, '.copy').click();
  expect(writeText).toHaveBeenCalledWith('MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=1073741824');
  expect(one(remedy('Nothing to set.'), '.copy')).toBeNull();
  vi.unstubAllGlobals();
});
