// SPDX-License-Identifier: Apache-2.0
// Starts the page: finds the view model, in the page itself or beside the page, and shows the model
// or says what is wrong.
import { element } from './base/dom';
import { fail, ok, type Result } from './base/result';
import type { Model } from './model/model';
import { decodeText, type Pair, SIDES } from './model/pair';
import { buildTree } from './model/tree';
import { storeOf } from './state/pair';
import { Store } from './state/store';
import { type App, showApp } from './views/app';
import { type PairApp, showPair } from './views/pair-page';
import './views/style.css';

declare global {
  interface Window {
    /** For tests and for the console. */
    teff?: App;
    teffPair?: PairApp;
  }
}

async function findData(): Promise<Result<string>> {
  const embedded = document.getElementById('teff-data')?.textContent?.trim();
  if (embedded) return ok(embedded);
  try {
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

/** Two recordings side by side, or the one of them that the page's address names ("?run=after"). */
async function show(root: HTMLElement, model: Model | Pair): Promise<void> {
  if (!('sides' in model)) return showOne(root, new Store(model, buildTree(model)));
  const run = new URLSearchParams(window.location.search).get('run');
  const side = SIDES.find((name) => name === run);
  if (!side) {
    window.teffPair = showPair(root, model);
    return;
  }
  await showOne(root, storeOf(model, side));
  document.querySelector('header .title')!.append(wayBack(side));
}

async function showOne(root: HTMLElement, store: Store): Promise<void> {
  const app = showApp(root, store);
  await app.ready;
  window.teff = app;
}

const wayBack = (side: string): HTMLElement =>
  element('a', { href: '?', title: 'Both recordings side by side' }, `${side}; show both`);

async function start(root: HTMLElement): Promise<void> {
  root.replaceChildren(element('p', { class: 'loading', role: 'status' }, 'Reading the recording…'));
  // Lets the browser paint the line above before the work begins.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const data = await findData();
  const model = data.ok ? decodeText(data.value) : data;
  if (model.ok) {
    await show(root, model.value);
  } else showProblem(root, model.error);
}

void start(document.getElementById('app')!);
