// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, modelOf, storeOf, theme, usePage } from '../../test/page';
import { stalled } from '../../test/program';
import { viewModel } from '../../test/sample';
import { kindLegend, Legend } from './legend';

usePage();

function entriesOf(store: ReturnType<typeof storeOf>, hasCuts = false): string[] {
  const legend = new Legend(store, hasCuts);
  legend.show(theme());
  return all(legend.root, 'ul > li').map(({ textContent }) => textContent!);
}

const SHAPES = ['Woken by', 'Fork', 'Join', 'Critical path'];

it('names the kinds and shapes that the recording has', () => {
  const kinds = ['Task', 'Loop chunk', 'Implicit or initial task', 'Low benefit, mild to severe'];
  expect(entriesOf(storeOf())).toEqual([...kinds, ...SHAPES]);
  expect(entriesOf(storeOf(), true)).toContain('Longer than drawn');
});

it('names sites, workers and cores where they have the colours', () => {
  const store = storeOf();
  store.colour('site');
  expect(entriesOf(store)).toEqual(['main.c:31', 'main.c:33', 'sort.c:12', 'sort.c:14', 'scale.c:58', ...SHAPES]);
  store.colour('worker');
  expect(entriesOf(store).slice(0, 4)).toEqual(['Worker 0', 'Worker 1', 'Worker 2', 'Worker 3']);
  store.colour('core');
  expect(entriesOf(store)).toContain('Core 6');
});

it('says that colours are shared where there are more workers than colours', () => {
  const store = storeOf((json) => {
    json.run.workers = 20;
  });
  store.colour('worker');
  expect(entriesOf(store)[8]).toBe('and so on: every 8th worker has the same colour');
});

it('says where a scale ends', () => {
  const store = storeOf(undefined, viewModel(stalled(5)));
  store.colour('stall-share');
  expect(entriesOf(store)[0]).toBe('Waits for memory: 0 to 100 % of its work');
  store.colour('work');
  expect(entriesOf(store)[0]).toMatch(/^Work: .* and less to /);
  store.colour('benefit');
  expect(entriesOf(store)[0]).toMatch(/^Parallel benefit/);
});

it('explains the problem that is shown, whatever grains are coloured by', () => {
  const store = storeOf();
  store.colour('worker');
  store.problem.set('wait');
  expect(entriesOf(store).slice(0, 2)).toEqual([
    'Long waits, mild to worst',
    'Its worker lost time to its waits; worst: the longest of any grain',
  ]);
});

it('has the kinds of several recordings together', () => {
  const legend = kindLegend([modelOf(), modelOf(undefined, viewModel(stalled(5)))]);
  legend.show(theme());
  expect(all(legend.root, 'li').map(({ textContent }) => textContent)).toContain('Loop chunk');
});
