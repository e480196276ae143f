// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, choose, one, storeOf, usePage } from '../../test/page';
import { stalled } from '../../test/program';
import { counted, viewModel } from '../../test/sample';
import { formatPercent } from '../base/format';
import { severities, worst } from '../model/problems';
import { choices } from './choices';

usePage();

const valuesOf = (list: HTMLElement) => all<HTMLOptionElement>(list, 'option').map(({ value }) => value);

it('offers the colours that the recording has figures for', () => {
  const list = (store: ReturnType<typeof storeOf>) => one(choices(store), 'select[name=colour]');
  const plain = ['kind', 'site', 'worker', 'core', 'work', 'wait', 'creation', 'benefit'];
  expect(valuesOf(list(storeOf()))).toEqual(plain);
  const stalling = storeOf(undefined, viewModel(stalled(5)));
  expect(valuesOf(list(stalling))).toEqual([...plain, 'stall-time', 'stall-share']);
});

it('offers the problems that grains have, with how many have them', () => {
  const store = storeOf();
  const list = one(choices(store), 'select[name=problem]');
  const count = worst(store.model, severities(store.model, 'path')).length;
  const path = all<HTMLOptionElement>(list, 'option').find(({ value }) => value === 'path')!;
  const share = formatPercent(count / store.model.run.grains);
  expect(path.textContent).toMatch(new RegExp(`^Critical path \\(${count}: ${share} of grains, .* % of work\\)$`));
  const disabled = all<HTMLOptionElement>(list, 'option').filter((option) => option.disabled);
  expect(disabled.map(({ textContent }) => textContent)).toContain('Work deviation (needs --baseline)');
  expect(valuesOf(list)[0]).toBe('');
  expect(valuesOf(list)).not.toContain('memory');
});

it('offers the counters that were recorded', () => {
  const store = storeOf((json) => counted(json));
  const list = one(choices(store), 'select[name=colour]');
  expect(valuesOf(list).slice(-2)).toEqual(['counter-0', 'counter-1']);
  store.colour('counter-1');
  expect(store.colourBy.value).toBe('counter-1');
  store.colour('counter-2');
  expect(store.colourBy.value).toBe('kind');
});

it('follows the store, and sets it', () => {
  const store = storeOf();
  const root = choices(store);
  const colour = one<HTMLSelectElement>(root, 'select[name=colour]');
  const problem = one<HTMLSelectElement>(root, 'select[name=problem]');
  choose(colour, 'worker');
  choose(problem, 'wait');
  expect([store.colourBy.value, store.problem.value]).toEqual(['worker', 'wait']);
  expect(problem.closest('label')!.title).toContain('lost time to its waits');
  choose(problem, '');
  expect(store.problem.value).toBeUndefined();
  store.colour('site');
  store.problem.set('path');
  expect([colour.value, problem.value]).toEqual(['site', 'path']);
});
