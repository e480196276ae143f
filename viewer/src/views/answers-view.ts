// SPDX-License-Identifier: Apache-2.0
// The first part of the page: what to change, where the workers' time went, and how reliable this
// is.
import { button, element } from '../base/dom';
import { formatPercent, formatTime } from '../base/format';
import { ns } from '../base/time';
import {
  type Answers,
  classLabel,
  classMeaning,
  type Finding,
  shares,
  siteOf,
  type TimeClass,
  verdict,
} from '../model/answers';
import { type FileCosts, filesOf } from '../model/lines';
import { siteLabel } from '../model/sites';
import { spentIn } from '../model/spent';
import type { Store } from '../state/store';
import { partsView } from './parts-view';
import { remedy } from './remedy';
import { signScroll } from './scroll-sign';
import { snippet } from './snippet';
import { sourceLink } from './source-link';
import { speedupView } from './speedup-view';
import { wholeRun } from './whole-run';

export function answersView(store: Store): HTMLElement {
  const { answers, run, speedup } = store.model;
  const root = element(
    'details',
    { class: 'answers', open: true },
    element(
      'summary',
      {},
      'What to change, and where the time went',
      element('span', { class: 'verdict', title: 'How far to trust these numbers' }, verdict(answers, run.lacks)),
      wholeRun('advice, speed-up: whole run'),
    ),
    ...lacks(run.lacks),
    element('div', { class: 'columns' }, ofProgram(store), budgetView(store), ...speedupView(speedup, run)),
  );
  return signScroll(root);
}

/**
 * Returns the findings, the parts of the program, and the notes on the figures: the findings beside
 * the others if they need the room.
 */
function ofProgram(store: Store): HTMLElement {
  const { answers, run } = store.model;
  const list = findings(store, answers, run.lacks);
  const hasOwn = answers.findings.some(({ rule }) => rule !== OF_THE_MACHINE);
  const parts = partsView(store, hasOwn);
  const notes = quality([...answers.quality, ...run.notes]);
  if (answers.findings.length === 0) return element('div', { class: 'of-program' }, ...parts, list, ...notes);
  return element(
    'div',
    { class: `of-program${hasOwn && parts.length > 0 ? ' beside' : ''}` },
    list,
    ...parts,
    ...notes,
  );
}

/** The finding that threads with work had no processor. It is no defect of the program, and stands above the others. */
const OF_THE_MACHINE = 'descheduled';

function lacks(text: string): HTMLElement[] {
  return text === '' ? [] : [element('p', { class: 'lacks', role: 'alert' }, text)];
}

function findings(store: Store, { findings, held_back, none, more }: Answers, lacks: string): HTMLElement {
  if (findings.length === 0) return element('p', { class: 'hint nothing' }, lacks === '' ? none : '');
  const list = element('ol', {
    class: 'findings',
    'aria-label': 'What to change, by the wall time that it would gain',
  });
  const files = filesOf(store.model);
  const ofMachine = findings.filter(({ rule }) => rule === OF_THE_MACHINE);
  const ofProgram = findings.filter(({ rule }) => rule !== OF_THE_MACHINE);
  list.append(...ofMachine.map((finding) => warning(finding, ofProgram.length === 0)));
  list.append(...ofProgram.map((finding, at) => row(store, finding, files, at === 0)));
  list.append(...held_back.map((finding) => row(store, finding, files, false, true)));
  list.append(...ofWhat(store, [...ofProgram, ...held_back]));
  if (more > 0) list.append(element('li', { class: 'hint' }, `${more} more: see teff report --json.`));
  return list;
}

/** Says what the percentages of gains are of, if that is not the wall time. */
function ofWhat({ model }: Store, ofProgram: Finding[]): HTMLElement[] {
  const { undisturbed_ns } = model.answers;
  if (ofProgram.length === 0 || undisturbed_ns > model.run.wall_ns * 0.995) return [];
  const [part, whole] = [formatTime(undisturbed_ns), formatTime(model.run.wall_ns)];
  const text = `Percentages of ${part}: the wall time of ${whole} without the recorder and other processes.`;
  return [element('li', { class: 'hint of-what' }, text)];
}

/** Returns what the machine did to the run: it has no gain, since no change of the program brings one. */
function warning({ title, remedy: advice, evidence }: Finding, open: boolean): HTMLElement {
  return element('li', { class: 'of-machine' }, details(title, advice, evidence, open));
}

function details(title: string, advice: string, evidence: string[], open: boolean, ...more: (Node | string)[]) {
  return element(
    'details',
    { open },
    element('summary', {}, `${title[0]?.toUpperCase() ?? ''}${title.slice(1)}.`),
    remedy(advice),
    element('ul', { class: 'evidence' }, ...evidence.map((line) => element('li', {}, line))),
    ...more,
  );
}

/**
 * `open`: whether the finding shows its advice, its evidence and its source without a click.
 * `isHeldBack`: its evidence begins with the reason.
 */
function row(
  store: Store,
  finding: Finding,
  files: readonly FileCosts[],
  open: boolean,
  isHeldBack = false,
): HTMLElement {
  const { sites } = store.model;
  const site = siteOf(finding, sites);
  const place = element(
    'button',
    { type: 'button', class: 'link', title: finding.file || finding.function },
    siteLabel(finding),
  );
  place.disabled = site === undefined || store.bySite.of(site).length === 0;
  place.addEventListener('click', () => store.highlight(site));
  const when = stretch(store, finding);
  const file = files.find((one) => one.file === finding.file);
  const gain = `${formatTime(finding.gain_ns)} (${formatPercent(finding.gain_share)})`;
  const mark = element('span', { class: 'mark', title: finding.evidence[0] ?? '' }, 'held back');
  return element(
    'li',
    { class: isHeldBack && 'held-back' },
    element(
      'div',
      { class: 'head' },
      ...(isHeldBack ? [mark] : []),
      element('strong', { title: `Wall time to gain, estimated: ${finding.estimate}` }, gain),
      ...(when ? [when] : finding.file || finding.function ? [place] : []),
      ...(when || site === undefined ? [] : [sourceLink(store, site) ?? '']),
      element('small', {}, finding.rule),
    ),
    details(finding.title, finding.remedy, finding.evidence, open, (!when && snippet(file, finding.line)) || ''),
  );
}

/**
 * Returns what selects the stretch of time that a finding is about. The place of such a finding is
 * that of a region beside the stretch, which has none of the time.
 */
function stretch(store: Store, { begin_ns, end_ns }: Finding): HTMLElement | undefined {
  if (!(end_ns > begin_ns)) return undefined;
  const label = `${formatTime(begin_ns)} to ${formatTime(end_ns)}`;
  const show = button(label, 'Select this stretch of time in all views', () =>
    store.focus({ start: begin_ns, end: end_ns }),
  );
  show.className = 'link';
  return show;
}

/** The budget of the selected time range; of the whole run if no range is selected. */
function budgetView(store: Store): HTMLElement {
  const { answers, run, whole } = store.model;
  const root = element('section', { class: 'in-budget' });
  const show = () => {
    const range = store.range.value;
    const whole_ns = ns(range ? run.workers * (range.end - range.start) : answers.whole_ns);
    const known = range ? spentIn(whole.lanes, range) : answers.classes;
    const rest = range ? [{ name: 'rest', ns: ns(Math.max(0, whole_ns - sumOf(known))) }] : [];
    const shown = budget({ classes: [...known, ...rest], whole_ns }, run.workers, range && ' in the selected range');
    root.replaceChildren(...shown.children);
  };
  store.range.listen(show);
  show();
  return root;
}

const sumOf = (classes: readonly TimeClass[]): number => classes.reduce((sum, { ns }) => sum + ns, 0);

/** A bar of the classes of the workers' time, and what they are. */
export function budget(answers: Pick<Answers, 'classes' | 'whole_ns'>, workers: number, where = ''): HTMLElement {
  const bar = element('div', { class: 'budget', 'aria-hidden': 'true' });
  const legend = element('ul', { class: 'classes', 'aria-label': 'Time of the workers' });
  for (const { name, ns, share } of shares(answers)) {
    const label = classLabel(name);
    const title = `${label}: ${formatTime(ns)}, ${formatPercent(share)}; ${classMeaning(name)}`;
    const part = element('i', { class: name, title });
    part.style.flexGrow = String(share);
    bar.append(part);
    const figure = element('b', {}, formatPercent(share));
    legend.append(element('li', { title }, element('i', { class: name }), `${label} `, figure));
  }
  const heading = `Time of ${workers} ${workers === 1 ? 'worker' : 'workers'}${where}: ${formatTime(answers.whole_ns)}`;
  return element('section', { class: 'in-budget' }, element('h2', {}, heading), bar, legend);
}

/** A longer note is folded after its first statement. */
const LONG = 110;
/** A shorter statement says too little alone. */
const LEAST = 40;

/** Returns a note: all of it, or its first statement with a sign that opens the rest. */
function note(text: string): HTMLElement | string {
  const end = text.slice(LEAST).search(/(?<=[.:]) /) + LEAST;
  if (text.length <= LONG || end < LEAST) return text;
  return element('details', {}, element('summary', {}, text.slice(0, end)), text.slice(end));
}

function quality(notes: string[]): HTMLElement[] {
  if (notes.length === 0) return [];
  const list = element('ul', { class: 'notes', role: 'status' }, ...notes.map((text) => element('li', {}, note(text))));
  return [element('section', { class: 'in-quality' }, element('h2', {}, 'How far to trust these numbers'), list)];
}
