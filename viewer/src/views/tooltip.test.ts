// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { show, storeOf, usePage } from '../../test/page';
import { element } from '../base/dom';
import { formatTime } from '../base/format';
import { grainRow } from '../model/ids';
import { Tooltip } from './tooltip';

usePage();

it('names a grain and its work, beside the pointer', () => {
  const store = storeOf();
  const tooltip = new Tooltip(store);
  const over = show(element('div'));
  const row = grainRow([...store.model.grain.site].indexOf(2 as never));
  tooltip.show(row, over, 30, 40);
  expect(tooltip.root.hidden).toBe(false);
  expect(tooltip.root.textContent).toBe(`sort.c:12 sort · ${formatTime(store.model.grain.work[row]!)} work`);
  expect([tooltip.root.style.left, tooltip.root.style.top]).toEqual(['44px', '56px']);
  tooltip.show(undefined, over, 30, 40);
  expect(tooltip.root.hidden).toBe(true);
});

it('stands above an element whose lanes it would cover', () => {
  const tooltip = new Tooltip(storeOf());
  const over = show(element('div'));
  over.getBoundingClientRect = () => ({ left: 0, top: 300 }) as DOMRect;
  tooltip.say('text', over, 30);
  expect(Number.parseFloat(tooltip.root.style.top)).toBeLessThan(300);
});

it('says a text, with or without a name', () => {
  const tooltip = new Tooltip(storeOf());
  const over = element('div');
  tooltip.say('text', over, 0, 0);
  expect(tooltip.root.textContent).toBe('text');
  tooltip.say('text', over, 0, 0, 'name');
  expect(tooltip.root.innerHTML).toBe('<strong>name</strong> text');
  tooltip.hide();
  expect(tooltip.root.hidden).toBe(true);
});
