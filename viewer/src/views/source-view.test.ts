// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, choose, one, show, storeOf, usePage } from '../../test/page';
import { withSteps } from '../../test/steps';
import { formatTime } from '../base/format';
import { ns } from '../base/time';
import { siteId } from '../model/ids';
import { SourceView } from './source-view';

usePage();

function viewOf(store = storeOf()) {
  const view = new SourceView(store);
  show(view.root);
  view.open();
  const choice = one<HTMLSelectElement>(view.root, 'select');
  const file = (name: string) =>
    choose(choice, all<HTMLOptionElement>(choice, 'option').find(({ textContent }) => textContent === name)!.value);
  return { store, view, choice, file };
}

/** The name of the file that a list of files shows. */
const shown = (choice: HTMLSelectElement) => all(choice, 'option')[Number(choice.value)]!.textContent;

it('shows the text with the costs of its lines', () => {
  const { store, view, file } = viewOf();
  file('sort.c');
  const lines = all(view.root, '.block .line');
  expect(lines.length).toBe(40);
  expect(one(lines[11]!, 'code').textContent).toBe('#pragma omp task // <b>no markup</b>');
  const { work_ns, count } = store.model.sites[2]!;
  expect(all(lines[11]!, '.figure').map(({ textContent }) => textContent)).toEqual([
    formatTime(work_ns),
    String(count),
    '',
    '',
  ]);
  expect(all(lines[0]!, '.figure').map(({ textContent }) => textContent)).toEqual(['', '', '', '']);
});

it('shows the lines that cost something where the text is not there, and says why', () => {
  const { view, file } = viewOf();
  file('main.c');
  expect(one(view.root, '.note').textContent).toBe('Not shown.');
  expect(all(view.root, '.block .line').map((line) => one(line, 'code').textContent)).toEqual([
    'main',
    'main._omp_fn.0',
  ]);
});

it('highlights the site of a line, and lets it go again', () => {
  const { store, view, file } = viewOf();
  file('sort.c');
  buttonOf(view.root, '12').click();
  expect(store.site.value).toBe(2);
  expect(one(view.root, '.chosen .number').textContent).toBe('12');
  buttonOf(view.root, '12').click();
  expect(store.site.value).toBeUndefined();
  expect(one(view.root, '.chosen')).toBeNull();
});

it('follows the selected site to its file', () => {
  const { store, view, choice } = viewOf();
  store.highlight(siteId(3));
  expect(shown(choice)).toBe('sort.c');
  expect(one(view.root, '.chosen .number').textContent).toBe('14');
  store.highlight(siteId(0));
  expect(shown(choice)).toBe('main.c');
});

it('says that there is no debug information', () => {
  const view = new SourceView(
    storeOf((json) => {
      for (const site of json.sites) site.file = '';
    }),
  );
  expect(view.root.textContent).toContain('compile it with -g');
});

it('has the figures of the selected time range', () => {
  const { store, view, file } = viewOf();
  file('sort.c');
  const figures = () => all(all(view.root, '.block .line')[11]!, '.figure').map(({ textContent }) => textContent);
  const whole = figures();
  store.focus({ start: ns(0), end: ns(store.model.run.wall_ns / 3) });
  const { ran, count } = store.inRange()!;
  expect(figures().slice(0, 2)).toEqual([formatTime(ns(ran[2]!)), String(count[2])]);
  expect(figures()).not.toEqual(whole);
  expect(all(view.root, '.head .whole-run').length).toBe(2);
  store.focus(undefined);
  expect(figures()).toEqual(whole);
});

it('says at the line of a barrier how much ran until it', () => {
  const store = storeOf((json) => {
    withSteps(json);
    Object.assign(json.sites[5]!, { file: json.sites[2]!.file, line: 20 });
  });
  const view = new SourceView(store);
  view.open();
  store.highlight(siteId(2));
  const said = all(view.root, '.until').map(({ textContent }) => textContent!.trim());
  expect(said).toEqual(['until here 70.0 ns']);
});
