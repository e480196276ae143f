// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { all, buttonOf, choose, one, storeOf, usePage, write } from '../../test/page';
import { ok } from '../base/result';
import { siteId } from '../model/ids';
import { Server } from '../state/server';
import { FindView } from './find-view';

usePage();

function viewOf() {
  const store = storeOf();
  const asked: string[] = [];
  const grains = [{ number: 7, site: 2, worker: 1, start: 0, work: 1500, wait: 200, benefit: 0.5 }];
  const server = new Server({ sites: store.model.sites.length, counters: 0 }, '', async (address) => {
    asked.push(address);
    return Response.json({ total: 41, before: 0, grains });
  });
  store.folds.reach = vi.fn(async () => undefined);
  const view = new FindView(store, server);
  const open = () => {
    view.root.open = true;
    view.root.dispatchEvent(new Event('toggle'));
  };
  return { store, server, view, asked, open, reached: vi.mocked(store.folds.reach) };
}

const rows = (view: FindView) => all(view.root, 'ol li').map(({ textContent }) => textContent);

it('lists the grains with most work when it is opened', async () => {
  const { view, asked, open } = viewOf();
  expect(asked).toEqual([]);
  open();
  await vi.waitFor(() => expect(rows(view)).toEqual(['#7 1.50 us sort.c:12']));
  expect(asked.at(-1)).toBe('grains.json?by=work&most=8');
  expect(one(view.root, '[role=status]').textContent).toBe('41 grains of all sites');
});

it('lists them by another figure, and of the highlighted site', async () => {
  const { store, view, asked, open } = viewOf();
  open();
  choose(one<HTMLSelectElement>(view.root, 'select'), 'benefit');
  await vi.waitFor(() => expect(rows(view)).toEqual(['#7 0.50 sort.c:12']));
  store.highlight(siteId(2));
  await vi.waitFor(() => expect(one(view.root, '[role=status]').textContent).toBe('41 grains of sort.c:12'));
  expect(asked.at(-1)).toBe('grains.json?by=benefit&site=2&most=8');
});

it('goes to a grain of the list', async () => {
  const { view, open, reached } = viewOf();
  open();
  await vi.waitFor(() => expect(rows(view).length).toBe(1));
  buttonOf(view.root, '#7').click();
  expect(reached).toHaveBeenCalledWith(7);
});

it('goes to the grain of a number, and says which numbers there are', () => {
  const { store, view, reached } = viewOf();
  const field = one<HTMLInputElement>(view.root, 'input');
  write(field, '# 12');
  buttonOf(view.root, 'Go').click();
  expect(reached).toHaveBeenCalledWith(12);
  write(field, '999999');
  buttonOf(view.root, 'Go').click();
  expect(reached).toHaveBeenCalledTimes(1);
  expect(one(view.root, '[role=status]').textContent).toBe(`Numbers go from 0 to ${store.model.run.grains - 1}.`);
});

it('says why there is no answer', async () => {
  const { view, server, open } = viewOf();
  server.grains = async () => ({ ok: false, error: 'gone' });
  open();
  await vi.waitFor(() => expect(one(view.root, '[role=status]').textContent).toBe('gone'));
});

it('shows the answer to the last question, whichever comes last', async () => {
  const { view, server, open } = viewOf();
  const answers: ((total: number) => void)[] = [];
  server.grains = () =>
    new Promise((resolve) => answers.push((total) => resolve(ok({ total, before: 0, grains: [] }))));
  open();
  choose(one<HTMLSelectElement>(view.root, 'select'), 'wait');
  answers.at(-1)!(2);
  answers[0]!(1);
  await vi.waitFor(() => expect(one(view.root, '[role=status]').textContent).toBe('2 grains of all sites'));
});
