// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { pairOf } from '../../test/pair';
import { decodeText } from './page-data';
import type { Pair } from './pair';

function decoded(json: unknown): Pair {
  const pair = decodeText(JSON.stringify(json));
  if (!pair.ok) throw new Error(pair.error);
  return pair.value as Pair;
}

/** What the page says of a pair that was changed. */
function wrong(change: (pair: ReturnType<typeof pairOf>) => void): string {
  const pair = pairOf([40, 20]);
  change(pair);
  const result = decodeText(JSON.stringify(pair));
  return result.ok ? '' : result.error;
}

describe('two recordings', () => {
  it('are two models and the figures of their comparison', () => {
    const json = pairOf([40, 20]);
    const pair = decoded(json);
    expect(pair.before.run.name).toBe('before.teff/threads-4-2');
    expect(pair.after.run.workers).toBe(2);
    expect(pair.wall).toEqual(json.diff.wall);
    expect(pair.totals).toEqual(json.diff.totals);
    expect(pair.sites[0]).toMatchObject({
      kind: 'task',
      work: json.diff.sites[0]!.work,
      rows: { before: 2, after: 3 },
    });
    expect(pair.sites[2]).toMatchObject({ after: undefined, rows: { before: 5, after: undefined } });
    expect(pair.sites[2]!.work.p).toBe(0.25);
    expect(pair.sites[2]!.wait.ratio).toBeNaN();
  });

  it('have wall times by threads where there are several', () => {
    const json = pairOf([40, 20]);
    const on = (threads: number) => ({ threads, ...json.diff.wall });
    const { diff } = json as { diff: { wall_by_threads: unknown[] } };
    diff.wall_by_threads = [on(1)];
    expect(decoded(json).totals.map(({ name }) => name)).toEqual(['work', 'nothing_ready']);
    diff.wall_by_threads = [on(1), on(2)];
    expect(
      decoded(json)
        .totals.map(({ name }) => name)
        .slice(0, 2),
    ).toEqual(['wall time on 1 thread', 'wall time on 2 threads']);
  });

  it('are refused with the reason where something is wrong', () => {
    expect(wrong(() => {})).toBe('');
    expect(wrong((pair) => Object.assign(pair, { pair: 2 }))).toContain('version 2');
    expect(wrong((pair) => Object.assign(pair.after, { version: 1 }))).toContain('version 1');
    expect(wrong((pair) => pair.rows.pop())).toBe('rows: 3 rows, expected 4.');
    expect(wrong((pair) => Object.assign(pair.rows[1]!, { after: 99 }))).toContain('rows[1].after: refers to 99');
    expect(wrong((pair) => Object.assign(pair.rows[1]!, { after: -0.5 }))).toContain('rows[1].after');
    expect(wrong((pair) => Object.assign(pair.diff, { wall: null }))).toContain('wall');
    expect(wrong((pair) => Object.assign(pair.diff.sites[0]!, { work: 5 }))).toContain('sites[0].work');
    expect(wrong((pair) => Object.assign(pair.diff, { notes: [1] }))).toContain('notes');
  });
});
