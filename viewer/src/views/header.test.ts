// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { all, modelOf, one, usePage } from '../../test/page';
import { header } from './header';

usePage();

const figuresOf = (root: HTMLElement) =>
  Object.fromEntries(all(root, '.run > div').map((div) => [one(div, 'dt').textContent, one(div, 'dd').textContent]));

it('names the run and shows its figures', () => {
  const model = modelOf((json) => {
    Object.assign(json.run, { wall_ns: 2e6, work_ns: 6e6, span_ns: 1.5e6, span_any_schedule_ns: 1.5e6 });
    Object.assign(json.run, { parallelism: 4, parallelism_any_schedule: 5, grains: 70 });
  });
  const root = header(model, () => {});
  expect(one(root, 'h1').textContent).toBe('sample.teff');
  expect(one(root, 'code').textContent).toBe('./sample 1000000');
  expect(figuresOf(root)).toMatchObject({
    'Wall time': '2.00 ms',
    Work: '6.00 ms 75.0 % of their time',
    'Workers at work': '3.00 of 4',
    'Span as scheduled': '1.50 ms',
    'Parallelism as scheduled': '4.00 any schedule 5.00',
    Workers: '4 on 4 processors',
    Grains: `70 (${model.run.shown} shown)`,
  });
});

it('shows the speed-up on as many threads as were recorded', () => {
  const model = modelOf((json) => {
    Object.assign(json.speedup[2]!, { speedup: 3, threads: 4 });
    json.run.processors = 2;
  });
  const root = header(model, () => {});
  const span = all(root, '.run > div').find((div) => div.textContent?.startsWith('Span'))!;
  expect(span.title).toContain('as scheduled on 4 threads');
  expect(figuresOf(root)['Predicted for 4 threads']).toBe('≈ 3.00 × if it had 4 processors');
  const without = header({ ...model, speedup: [] }, () => {});
  expect(Object.keys(figuresOf(without)).join()).not.toContain('Predicted');
});

it('begins with what was measured, and marks what was not', () => {
  const figures = all(
    header(modelOf(), () => {}),
    '.run > div',
  );
  const labels = figures.map((figure) => one(figure, 'dt').textContent);
  expect(labels.slice(0, 4)).toEqual(['Wall time', 'Workers', 'Work', 'Workers at work']);
  expect(figures.map(({ className }) => className === 'predicted')).toEqual([
    ...Array(figures.length - 1).fill(false),
    true,
  ]);
});

it('says of a modelled run that it was not measured', () => {
  const model = modelOf((json) => {
    json.run.modelled = 'toy';
  });
  expect(
    one(
      header(model, () => {}),
      '.modelled',
    ).textContent,
  ).toBe('modelled: toy');
  expect(
    one(
      header(modelOf(), () => {}),
      '.modelled',
    ),
  ).toBeNull();
});

it('shows the end of the path of the program', () => {
  const model = modelOf((json) => {
    json.run.command = '/home/user/project/build/bin/sort 1000';
  });
  const code = one(
    header(model, () => {}),
    'code',
  );
  expect([code.textContent, code.title]).toEqual(['…/bin/sort 1000', model.run.command]);
});

it('opens the help', () => {
  const help = vi.fn();
  one(header(modelOf(), help), 'button').click();
  expect(help).toHaveBeenCalledOnce();
});

it('names the process that is shown, and the commands that show the others', () => {
  const model = modelOf((json) => {
    json.run.process = '12';
    json.run.others = [{ process: '11', command: '/opt/a/b/c/heat 3', show: 'teff view --process 11 heat.teff' }];
  });
  const root = header(model, () => {});
  expect(one(root, '.process summary').textContent).toBe('process 12, one of 2');
  expect(all(root, '.process li').map(({ textContent }) => textContent)).toEqual([
    '11, …/c/heat 3: teff view --process 11 heat.teff',
  ]);
  expect(
    all(
      header(modelOf(), () => {}),
      '.process',
    ),
  ).toEqual([]);
});
