// SPDX-License-Identifier: Apache-2.0
// A page without a screen, for tests of views: elements have one size, canvases note what is drawn
// on them, and frames are drawn when a test asks for them.
import { afterEach, beforeEach, vi } from 'vitest';
import type { Paint } from '../src/draw/paint';
import { paintGrains } from '../src/draw/paint';
import { LIGHT } from '../src/draw/theme';
import { decodeModel } from '../src/model/decode';
import type { Model } from '../src/model/model';
import { buildTree, summarise } from '../src/model/tree';
import { Store } from '../src/state/store';
import { demo } from './program';
import { viewModel } from './sample';

/** The size of every element of the page, in pixels. */
export const SIZE = { width: 800, height: 400 };

/** What stands on a canvas since it was cleared last. */
export interface Drawing {
  texts: { text: string; x: number; y: number }[];
  rects: { x: number; y: number; width: number; height: number; fill: string; alpha: number }[];
  /** Outlines of rectangles. */
  outlines: number;
  lines: number;
}

const drawings = new WeakMap<HTMLCanvasElement, Drawing>();
let frames: FrameRequestCallback[] = [];
let observers: (() => void)[] = [];
const timers: ReturnType<typeof setTimeout>[] = [];
const startTimer = globalThis.setTimeout;

/** To be called at the top of a test file: makes the page anew before each test. */
export function usePage(): void {
  beforeEach(() => {
    document.body.replaceChildren();
    window.location.hash = '';
    frames = [];
    observers = [];
    vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => frames.push(callback));
    vi.stubGlobal('setTimeout', (callback: () => void, ms: number) => {
      const timer = startTimer(callback, ms);
      timers.push(timer);
      return timer;
    });
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(readonly changed: () => void) {}
        observe() {
          observers.push(this.changed);
        }
      },
    );
    window.matchMedia = ((query: string) => ({
      matches: query.includes('reduced-motion'), // moves of the view take no time
      addEventListener() {},
    })) as unknown as typeof window.matchMedia;
    Object.defineProperties(HTMLElement.prototype, {
      clientWidth: { configurable: true, get: sizeOf('width') },
      clientHeight: { configurable: true, get: sizeOf('height') },
      offsetParent: { configurable: true, get: () => document.body },
    });
    Object.assign(HTMLElement.prototype, {
      setPointerCapture() {},
      hasPointerCapture: () => true,
      scrollIntoView() {},
    });
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
      return kind === '2d' ? contextOf(this) : GL;
    } as typeof HTMLCanvasElement.prototype.getContext;
  });
  // What a view would draw later, it must not draw without a page.
  afterEach(() => {
    for (const timer of timers.splice(0)) clearTimeout(timer);
  });
}

/** An element that is not on the page has no size. */
function sizeOf(side: keyof typeof SIZE) {
  return function (this: HTMLElement): number {
    return this.isConnected ? SIZE[side] : 0;
  };
}

/** Answers as a card that does everything and draws nothing. */
const GL = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === 'isContextLost') return () => false;
      return /^[A-Z0-9_]+$/.test(String(name)) ? 0 : () => ({});
    },
  },
);

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const drawing: Drawing = { texts: [], rects: [], outlines: 0, lines: 0 };
  drawings.set(canvas, drawing);
  const state = { fillStyle: '', globalAlpha: 1 };
  const actions: Record<string, (...about: never[]) => unknown> = {
    clearRect: () => Object.assign(drawing, { texts: [], rects: [], outlines: 0, lines: 0 }),
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillText: (text: string, x: number, y: number) => drawing.texts.push({ text, x, y }),
    fillRect: (x: number, y: number, width: number, height: number) =>
      drawing.rects.push({ x, y, width, height, fill: state.fillStyle, alpha: state.globalAlpha }),
    strokeRect: () => drawing.outlines++,
    lineTo: () => drawing.lines++,
    bezierCurveTo: () => drawing.lines++,
    quadraticCurveTo: () => drawing.lines++,
  };
  return new Proxy(state, {
    get: (_, name) => (name in state ? state[name as keyof typeof state] : (actions[String(name)] ?? (() => {}))),
  }) as unknown as CanvasRenderingContext2D;
}

/** Puts a view on the page, gives it its size, and draws it. */
export function show<T extends HTMLElement>(root: T): T {
  document.body.append(root);
  resize();
  return root;
}

/** Tells all views their size, and draws what they ask for. */
export function resize(): void {
  for (const changed of observers) changed();
  drawFrames();
}

/** Draws frames until no view asks for another one. */
export function drawFrames(): void {
  for (let most = 100; frames.length > 0 && most > 0; most--) for (const frame of frames.splice(0)) frame(0);
}

/** What stands on the last canvas inside an element. */
export function drawingOf(root: ParentNode): Drawing {
  drawFrames();
  return drawings.get([...root.querySelectorAll('canvas')].at(-1)!)!;
}

export const textsOf = (root: ParentNode): string[] => drawingOf(root).texts.map(({ text }) => text);

/** Presses a key on an element; returns whether the element took it. */
export function press(target: EventTarget, key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  drawFrames();
  return event.defaultPrevented;
}

/** Sends an event of the pointer to a point of an element, with the first button. */
export function point(target: EventTarget, type: string, x: number, y: number, more: object = {}): void {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const values = { offsetX: x, offsetY: y, clientX: x, clientY: y, button: 0, buttons: 1, pointerId: 1, ...more };
  for (const [name, value] of Object.entries(values)) Object.defineProperty(event, name, { value });
  target.dispatchEvent(event);
  drawFrames();
}

export function click(target: EventTarget, x: number, y: number): void {
  for (const type of ['pointerdown', 'pointerup', 'click']) point(target, type, x, y);
}

/** Writes into a field, as a user does. */
export function write(field: HTMLInputElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event('input'));
}

/** Chooses an entry of a list. */
export function choose(list: HTMLSelectElement, value: string): void {
  list.value = value;
  list.dispatchEvent(new Event('change'));
}

export const all = <T extends Element = HTMLElement>(root: ParentNode, selector: string): T[] => [
  ...root.querySelectorAll<T>(selector),
];
export const one = <T extends Element = HTMLElement>(root: ParentNode, selector: string): T =>
  root.querySelector<T>(selector)!;
export const buttonOf = (root: ParentNode, label: string): HTMLButtonElement =>
  all<HTMLButtonElement>(root, 'button').find(({ textContent }) => textContent === label)!;

type Json = ReturnType<typeof viewModel>;

/** The view model of a small program, after a change to it. */
export function modelOf(change: (json: Json) => unknown = () => {}, json: Json = viewModel(demo(60))): Model {
  const changed = (change(json) as object | undefined) ?? json;
  const decoded = decodeModel(JSON.parse(JSON.stringify(changed)));
  if (!decoded.ok) throw new Error(decoded.error);
  return decoded.value;
}

export function storeOf(change?: (json: Json) => unknown, json?: Json): Store {
  const model = modelOf(change, json);
  return new Store(model, buildTree(model));
}

export const theme = () => LIGHT;

export const paintOf = ({ model, tree }: Store): Paint =>
  paintGrains(model, tree, summarise(model, tree), LIGHT, undefined);
