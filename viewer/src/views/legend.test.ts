// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { all, modelOf, one, storeOf, theme, usePage } from '../../test/page';
import { stalled } from '../../test/program';
import { viewModel } from '../../test/sample';
import { color, cssColor } from '../draw/color';
import { classColor, DARK, LIGHT } from '../draw/theme';
import { CLASSES } from '../model/answers';
import { Legend, laneLegend } from './legend';

usePage();

function legendOf(store: ReturnType<typeof storeOf>, hasCuts = false): HTMLElement {
  const legend = new Legend(store, hasCuts);
  legend.show(theme());
  return legend.root;
}

const texts = (root: HTMLElement, list: string) => all(root, `${list} > li`).map(({ textContent }) => textContent!);
const entriesOf = (store: ReturnType<typeof storeOf>, hasCuts = false) => texts(legendOf(store, hasCuts), '.of-grains');

const SHAPES = ['Fork', 'Join', 'Critical path'];

it('names the classes of the lanes as the budget does, in its colours', () => {
  const store = storeOf();
  const root = legendOf(store);
  expect(texts(root, '.of-lanes')).toEqual(['work', 'nothing ready', 'woken by', 'Critical path']);
  expect(one(root, '.of-lanes i').style.background).toBe(cssColor(classColor(theme(), 'work')));
  expect(one(root, '.of-grains').classList.contains('of-graph')).toBe(true);
  store.colour('site');
  const coloured = legendOf(store);
  expect(texts(coloured, '.of-lanes')[0]).toBe('nothing ready');
  expect(one(coloured, '.of-grains').classList.contains('of-graph')).toBe(false);
});

it('has the colours of the style sheet, in both themes', () => {
  const css = readFileSync(join(process.cwd(), 'src/views/classes.css'), 'utf8');
  const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');
  for (const [rules, { classes }] of [
    [light, LIGHT],
    [dark, DARK],
  ] as const)
    for (const [name, rgba] of Object.entries(classes)) {
      const [, hex] = rules.match(new RegExp(`--${name.replace('_', '-')}: (#[0-9a-f]{6});`))!;
      expect(color(hex!), name).toBe(rgba);
    }
  for (const name of CLASSES.filter((name) => name in LIGHT.classes && name !== 'recorder'))
    expect(css).toContain(`.classes .${name} {\n  background: var(--${name.replace('_', '-')});`);
});

it('has no class that cannot be seen', () => {
  const store = storeOf(({ answers }) => {
    answers.classes[1]!.ns = answers.whole_ns / 10_000;
  });
  expect(texts(legendOf(store), '.of-lanes')).not.toContain('nothing ready');
});

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
  expect(texts(legendOf(store), '.of-lanes')).toContain('other grains');
  store.problem.set(undefined);
  expect(texts(legendOf(store), '.of-lanes')).not.toContain('other grains');
});

it('has the classes of several recordings together', () => {
  const other = modelOf((json) => {
    json.whole.lanes.classes[1] = 'imbalance';
    json.answers.classes[1]!.name = 'imbalance';
  });
  const legend = laneLegend([other, modelOf()]);
  legend.show(theme());
  expect(texts(legend.root, 'ul')).toEqual(['work', 'nothing ready', 'imbalance', 'Critical path']);
});
