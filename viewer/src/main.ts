// SPDX-License-Identifier: Apache-2.0
// Starts the page: finds the view model, in the page itself or beside the page, and shows the model
// or says what is wrong.
import { element } from './base/dom';
import { fail, ok, type Result } from './base/result';
import { decodeText, isPair, isSet, type PageData } from './model/page-data';
import { type Pair, SIDES } from './model/pair';
import { decodeReading } from './model/reading';
import { folderOf, type RunSet } from './model/run-set';
import { buildTree } from './model/tree';
import { storeOf } from './state/pair';
import { serverOf } from './state/server';
import { Store } from './state/store';
import { type App, showApp } from './views/app';
import { type PairApp, showPair } from './views/pair-page';
import { readingView } from './views/reading-view';
import { showSet } from './views/set-page';
import './views/style.css';

declare global {
  interface Window {
    /** For tests and for the console. */
    teff?: App;
    teffPair?: PairApp;
  }
}

/** How often a page asks how far the reading has come, in milliseconds. */
const PAUSE = 250;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Shows the first screen of a large recording until the server has read the recording, or says why it cannot. */
async function waitUntilRead(root: HTMLElement): Promise<Result<null>> {
  const view = readingView(root);
  for (let isShown = false; ; isShown = true) {
    const response = await fetch('reading.json').catch(() => undefined);
    if (!response && isShown) return fail('teff view has ended before it had read the recording.');
    if (!response?.ok) return ok(null); // a folder with the page and its data has no such file
    const reading = decodeReading(await response.text());
    if (!reading.ok) return reading;
    if (reading.value.state === 'ready') return ok(null);
    if (reading.value.state === 'failed') return fail(reading.value.problem);
    view.show(reading.value);
    await pause(PAUSE);
  }
}

async function findData(root: HTMLElement): Promise<Result<string>> {
  const embedded = document.getElementById('teff-data')?.textContent?.trim();
  if (embedded) return ok(embedded);
  try {
    const read = await waitUntilRead(root);
    if (!read.ok) return read;
    const response = await fetch('data.json');
    if (!response.ok) return fail(`data.json: the server answers ${response.status} ${response.statusText}.`);
    return ok(await response.text());
  } catch (error) {
    return fail(`This page holds no recording, and there is no data.json beside it (${(error as Error).message}).`);
  }
}

function showProblem(root: HTMLElement, problem: string): void {
  root.replaceChildren(
    element(
      'div',
      { class: 'problem', role: 'alert' },
      element('h1', {}, 'The recording cannot be shown'),
      element('p', {}, problem),
      element(
        'p',
        { class: 'hint' },
        'Make the page again with ',
        element('code', {}, 'teff view --html'),
        ', or open it with ',
        element('code', {}, 'teff view'),
        '.',
      ),
    ),
  );
}

async function show(root: HTMLElement, data: PageData): Promise<void> {
  if (isPair(data)) await showPairOrSide(root, data);
  else if (isSet(data)) await showSetOrRun(root, data);
  else await showOne(root, new Store(data, buildTree(data)));
}

const addressed = () => new URLSearchParams(window.location.search).get('run');

/** Two recordings side by side, or the one of them that the page's address names ("?run=after"). */
async function showPairOrSide(root: HTMLElement, pair: Pair): Promise<void> {
  const run = addressed();
  const side = SIDES.find((name) => name === run);
  if (!side) {
    window.teffPair = showPair(root, pair);
    return;
  }
  await showOne(root, storeOf(pair, side));
  document.querySelector('header .title')!.append(wayBack(`${side}; show both`, 'Both recordings side by side'));
}

/**
 * How a set scales, or the run that the page's address names ("?run=threads-2-1"). A set with one
 * number of threads has nothing to scale, and shows its median run.
 */
async function showSetOrRun(root: HTMLElement, set: RunSet): Promise<void> {
  const { points } = set;
  const run = addressed();
  const named = points.findIndex((point) => point.run === run);
  const row = named < 0 && points.length === 1 && run === null ? 0 : named;
  if (row < 0) {
    showSet(root, set);
    return;
  }
  const model = set.model(row);
  if (!model.ok) return showProblem(root, model.error);
  await showOne(root, new Store(model.value, buildTree(model.value), serverOf(model.value, folderOf(row))));
  const { runs } = points[row]!;
  const words = `${runs > 1 ? `the median of ${runs} runs` : 'one run of a set'}; show the set`;
  document.querySelector('header .title')!.append(wayBack(words, 'How the program scales', '?run='));
}

async function showOne(root: HTMLElement, store: Store): Promise<void> {
  const app = showApp(root, store);
  await app.ready;
  window.teff = app;
}

const wayBack = (words: string, title: string, href = '?'): HTMLElement => element('a', { href, title }, words);

async function start(root: HTMLElement): Promise<void> {
  root.replaceChildren(element('p', { class: 'loading', role: 'status' }, 'Reading the recording…'));
  // Lets the browser paint the line above before the work begins.
  await pause(0);
  const data = await findData(root);
  const model = data.ok ? decodeText(data.value) : data;
  if (model.ok) {
    await show(root, model.value);
  } else showProblem(root, model.error);
}

void start(document.getElementById('app')!);
