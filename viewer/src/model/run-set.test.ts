// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { setOf } from '../../test/run-set';
import { decodeText, isSet } from './page-data';
import type { RunSet } from './run-set';

type Json = ReturnType<typeof setOf>;

function decoded(json: Json = setOf()): RunSet {
  const set = decodeText(JSON.stringify(json));
  if (!set.ok || !isSet(set.value)) throw new Error(set.ok ? 'no set' : set.error);
  return set.value;
}

it('has the figures of each number of threads, and their models', () => {
  const json = setOf();
  const set = decoded(json);
  expect(set).toMatchObject({ name: 'a.teff', command: './sample <1000000>', verdict: json.words.verdict });
  expect(set.points.map(({ threads, runs }) => [threads, runs])).toEqual([1, 2, 4].map((threads) => [threads, 3]));
  expect(set.points[0]!.factors).toEqual({ balance: 1, locks: 0.04, serial: Number.NaN, work: 0.5 });
  expect(set.points[2]!.answers.whole_ns).toBe(json.runs[2]!.answers.whole_ns);
  const model = set.model(1);
  expect(model.ok && model.value.run.workers).toBe(2);
});

it.each<[string, (json: Json) => void, RegExp]>([
  ['of another version', (json) => Object.assign(json, { set: 2 }), /version 2/],
  ['with a run less', (json) => json.runs.pop(), /2 models, expected 3/],
  [
    'without runs',
    (json) => Object.assign(json.scaling, { points: json.runs.splice(0, 0) }) && json.runs.splice(0),
    /at least one/,
  ],
  ['without words', (json) => Object.assign(json, { words: undefined }), /^words/],
  ['without factors', (json) => Object.assign(json.scaling.points[1]!, { factors: 1 }), /points\[1\]\.factors/],
  ['with a run that has no budget', (json) => Object.assign(json.runs[0]!, { answers: undefined }), /^answers/],
])('refuses a set %s', (_name, change, message) => {
  const json = setOf();
  change(json);
  const set = decodeText(JSON.stringify(json));
  expect(set.ok ? 'no error' : set.error).toMatch(message);
});
