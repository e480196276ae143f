// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, modelOf, one, storeOf, usePage } from '../../test/page';
import { randomNumbers } from '../../test/program';
import { formatTime } from '../base/format';
import { ns } from '../base/time';
import { answersView, budget } from './answers-view';

usePage();

it('lists what to change, with its gain, its rule, its line and its evidence', () => {
  const store = storeOf((json) => {
    json.answers.findings[0]!.gain_ns = 25_000;
    json.answers.findings[0]!.gain_share = 0.25;
    json.answers.more = 3;
  });
  const root = answersView(store);
  const finding = one(root, '.findings > li');
  expect(one(finding, 'strong').textContent).toBe('25.0 us (25.0 %)');
  expect(one(finding, '.head small').textContent).toBe('tiny-tasks');
  expect(one(finding, '.link').textContent).toBe('main.c:33');
  expect(one(finding, 'summary').textContent).toBe('Tasks of 200 ns, which cost as much.');
  expect(all(finding, '.evidence li').map((line) => line.textContent)).toEqual([
    '400 tasks, 200 ns of work on average',
  ]);
  expect(all(root, '.findings > li').at(-1)!.textContent).toBe('3 more: see teff report --json.');
});

it('folds a long note after its first statement, and has all of it', () => {
  const first = 'Workers had no processor for 7.88 s, 42 % of their time:';
  const rest =
    ' the system ran several of them on one processor for 334 ms, and other programs had them. Measure again.';
  const root = answersView(
    storeOf((json) => {
      json.answers.quality = [first + rest];
    }),
  );
  const [long] = all(root, '.notes li');
  expect(one(long!, 'summary').textContent).toBe(first);
  expect(long!.textContent).toBe(first + rest);
  expect(one<HTMLDetailsElement>(long!, 'details').open).toBe(false);
});

it('has findings that are held back, which open as the others and say why', () => {
  const root = answersView(
    storeOf((json) => {
      const [first] = json.answers.findings;
      const reason = 'held back: 20 us is less than the 50 us that other processes took';
      json.answers.findings = [{ ...first!, rule: 'descheduled' }];
      json.answers.held_back = [{ ...first!, evidence: [reason, ...first!.evidence] }];
    }),
  );
  const [, held] = all(root, '.findings > li');
  expect(one(held!, '.mark').textContent).toBe('held back');
  expect(one<HTMLDetailsElement>(held!, 'details').open).toBe(false);
  expect(all(held!, '.evidence li').map((line) => line.textContent!.slice(0, 9))).toEqual(['held back', '400 tasks']);
  one(held!, 'summary').click();
  expect(one<HTMLDetailsElement>(held!, 'details').open).toBe(true);
});

it('highlights the site of a finding, and leads to its source', () => {
  const store = storeOf();
  const root = answersView(store);
  one(root, '.findings .link').click();
  expect(store.site.value).toBe(1);
  store.clear();
  buttonOf(root, 'source').click();
  expect([store.site.value, store.view.value]).toEqual([1, 'source']);
});

it('offers no link where no site has the line', () => {
  const root = answersView(
    storeOf((json) => {
      json.answers.findings[0]!.line = 1;
    }),
  );
  expect(one<HTMLButtonElement>(root, '.findings .link').disabled).toBe(true);
});

it('says that there is nothing to change, and how far to trust the figures', () => {
  const store = storeOf((json) => {
    json.answers.findings = [];
    json.run.notes = ['Two records were lost.'];
  });
  const root = answersView(store);
  expect(root.textContent).toContain('Nothing found that would gain 500 us');
  expect(all(root, '.notes li').map((note) => note.textContent)).toEqual([
    'Recording took 5 us.',
    'Two records were lost.',
  ]);
});

it('draws the budget as a bar with one part for each class that can be seen', () => {
  const { answers } = modelOf((json) => {
    json.answers.whole_ns = 2_000_000;
    json.answers.classes = [
      { name: 'work', ns: 1_500_000 },
      { name: 'nothing_ready', ns: 500_000 },
      { name: 'locks', ns: 1 },
    ];
  });
  const root = budget(answers, 1);
  expect(one(root, 'h2').textContent).toBe('Time of 1 worker: 2.00 ms');
  expect(all(root, '.budget i').map(({ className, style }) => [className, style.flexGrow])).toEqual([
    ['work', '0.75'],
    ['nothing_ready', '0.25'],
  ]);
  expect(all(root, '.classes li').map(({ textContent }) => textContent)).toEqual([
    'work 75.0 %',
    'nothing ready 25.0 %',
  ]);
});

it('says first what the recording lacks, and that alone where it has no findings', () => {
  const root = answersView(
    storeOf((json) => {
      json.run.lacks = 'Damaged recording: a stream is missing.';
      json.answers.findings = [];
    }),
  );
  expect(one(root, '.lacks').textContent).toBe('Damaged recording: a stream is missing.');
  expect(root.textContent).not.toContain('Nothing found');
});

it('names no place where a finding has none', () => {
  const places = (change: object) =>
    all(
      answersView(
        storeOf((json) => {
          Object.assign(json.answers.findings[0]!, change);
        }),
      ),
      '.findings .head > button',
    ).map(({ textContent }) => textContent);
  expect(places({})[0]).toBe('main.c:33');
  expect(places({ file: '', line: 0, function: '' })).toEqual([]);
});

it('opens the first finding alone, with the source around its place', () => {
  const root = answersView(
    storeOf((json) => {
      const [first] = json.answers.findings;
      json.answers.findings = [{ ...first!, file: 'src/sort.c', line: 12 }, first!];
    }),
  );
  const [first, second] = all(root, '.findings > li');
  expect([first, second].map((finding) => one<HTMLDetailsElement>(finding!, 'details').open)).toEqual([true, false]);
  expect(one(first!, '.snippet .chosen code').textContent).toBe('#pragma omp task // <b>no markup</b>');
  expect(all(first!, '.snippet code').length).toBe(5);
  expect(one(second!, '.snippet')).toBeNull();
});

it('has what the machine did to the run above the numbered findings, the first of which is open', () => {
  const store = storeOf(({ answers }) => {
    const [first] = answers.findings;
    answers.findings = [{ ...first!, rule: 'descheduled', title: 'threads had work and did not run' }, first!];
  });
  const root = answersView(store);
  const [machine, program] = all(root, '.findings > li');
  expect(machine!.className).toBe('of-machine');
  expect(machine!.textContent).toContain('Threads had work and did not run.');
  expect(all(machine!, '.head, strong').length).toBe(0);
  expect([machine, program].map((item) => one<HTMLDetailsElement>(item!, 'details').open)).toEqual([false, true]);
});

it('has the budget of the selected time range, which the lanes have there', () => {
  const store = storeOf();
  const root = answersView(store);
  const heading = () => one(root, '.in-budget h2').textContent!;
  const figures = () => all(root, '.in-budget .classes b').map((figure) => Number.parseFloat(figure.textContent!));
  const before = heading();
  const { run, fragment } = store.model;
  const random = randomNumbers(3);
  for (let times = 0; times < 20; times++) {
    const [a, b] = [random() * run.wall_ns, random() * run.wall_ns];
    const [start, end] = [ns(Math.min(a, b)), ns(Math.max(a, b))];
    store.focus({ start, end });
    expect(heading()).toBe(`Time of 4 workers in the selected range: ${formatTime(ns(4 * (end - start)))}`);
    // The truth, fragment by fragment; the lanes have 64 intervals.
    let worked = 0;
    for (const [row, begin] of fragment.start.entries())
      worked += Math.max(0, Math.min(end, fragment.end[row]!) - Math.max(start, begin));
    const off = (8 * run.wall_ns) / 64 / (4 * (end - start));
    expect(Math.abs(figures()[0]! / 100 - worked / (4 * (end - start)))).toBeLessThan(off + 0.01);
    expect(figures().reduce((sum, figure) => sum + figure, 0)).toBeCloseTo(100, 0);
  }
  store.focus(undefined);
  expect(heading()).toBe(before);
});

it('selects the stretch of a serial part, and shows no source of the region behind it', () => {
  const store = storeOf((json) => {
    Object.assign(json.answers.findings[0]!, { rule: 'serial-part', begin_ns: 10_000, end_ns: 30_000 });
  });
  const finding = one(answersView(store), '.findings > li');
  const link = one(finding, '.head .link');
  expect(link.textContent).toBe('10.0 us to 30.0 us');
  expect(all(finding, '.snippet')).toEqual([]);
  link.click();
  expect(store.range.value).toEqual({ start: 10_000, end: 30_000 });
  expect(store.site.value).toBeUndefined();
});

it('says what percentages are of, where that is not the wall time', () => {
  const textOf = (undisturbed: number) => {
    const store = storeOf((json) => {
      json.run.wall_ns = 100_000;
      json.answers.undisturbed_ns = undisturbed;
    });
    return all(answersView(store), '.of-what').map(({ textContent }) => textContent);
  };
  expect(textOf(100_000)).toEqual([]);
  const words = 'the wall time of 100 us without the recorder and other processes.';
  expect(textOf(90_000)).toEqual([`Percentages of 90.0 us: ${words}`]);
});
