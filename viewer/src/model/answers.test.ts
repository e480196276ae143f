// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { ns } from '../base/time';
import { type Answers, classLabel, decodeAnswers, type Finding, shares, siteOf, verdict } from './answers';
import type { Site } from './site';

const { answers } = viewModel(demo(40));

it('keeps what the tools found', () => {
  const decoded = decodeAnswers(answers);
  expect(decoded).toEqual({ ok: true, value: answers });
});

it.each([
  [{ ...answers, classes: [{ name: 'work' }] }, 'answers.classes[0].ns: expected a number'],
  [{ ...answers, findings: [{ ...answers.findings[0], evidence: 'much' }] }, 'answers.findings[0].evidence'],
  [undefined, 'answers: expected an object'],
])('refuses %o', (value, message) => {
  const decoded = decodeAnswers(value);
  expect(decoded.ok ? '' : decoded.error).toContain(message);
});

it('calls the classes by words', () => {
  expect(['work', 'nothing_ready', 'outside_team'].map(classLabel)).toEqual([
    'work',
    'nothing ready',
    'without a team',
  ]);
});

it('leaves out of the bar what cannot be seen', () => {
  const classes = [
    { name: 'work', ns: ns(600) },
    { name: 'locks', ns: ns(0) },
    { name: 'rest', ns: ns(400) },
  ];
  const seen = shares({ ...(answers as unknown as Answers), whole_ns: ns(1000), classes });
  expect(seen.map(({ name, share }) => [name, share])).toEqual([
    ['work', 0.6],
    ['rest', 0.4],
  ]);
  expect(shares({ ...(answers as unknown as Answers), whole_ns: ns(0), classes })).toEqual([]);
});

it('finds the site of a line, with most work where there are several', () => {
  const site = (file: string, line: number, work_ns: number, name = 'f') =>
    ({ file, line, work_ns, function: name }) as Site;
  const at = (file: string, line: number, name = 'f') => ({ file, line, function: name }) as Finding;
  const sites = [site('a.c', 3, 1), site('a.c', 4, 1), site('a.c', 4, 9), site('', 0, 5, 'g')];
  expect(siteOf(at('a.c', 4), sites)).toBe(2);
  expect(siteOf(at('', 0, 'g'), sites)).toBe(3);
  expect(siteOf(at('', 0, 'h'), sites)).toBeUndefined();
  expect(siteOf(at('b.c', 4), sites)).toBeUndefined();
});

it('says in one line how far the figures can be trusted', () => {
  const of = (recorder: number, descheduled: number, lacks = '') => {
    const time = (name: string, share: number) => ({ name, ns: ns(share * 1000) });
    const classes = [time('work', 1), time('descheduled', descheduled), time('recorder', recorder)];
    return verdict(
      {
        findings: [],
        held_back: [],
        none: '',
        undisturbed_ns: ns(0),
        more: 0,
        whole_ns: ns(1000),
        classes,
        quality: [],
      },
      lacks,
    );
  };
  expect(of(0, 0)).toBe('Reliable');
  expect(of(0.02, 0.01)).toBe(
    'Reliable: recording took 2.00 %, threads had no processor for 1.00 % of the workers’ time',
  );
  expect(of(0, 0.1)).toBe('Fairly reliable: threads had no processor for 10.0 % of the workers’ time');
  expect(of(0.1, 0.4)).toMatch(/^Hardly reliable: threads had no processor for 40.0 %, recording/);
  expect(of(0, 0, 'records')).toBe('Not reliable: the recording is not whole');
});
