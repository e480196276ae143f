// SPDX-License-Identifier: Apache-2.0
// Marks a box that scrolls: its content fades out at each edge behind which there is more. Scroll
// bars alone are no sign, as many systems hide them until the user scrolls.

const EDGES = ['above', 'below', 'left', 'right'] as const;
type Edge = (typeof EDGES)[number];
/** A box may be scrolled by less than this without anything being hidden. */
const SLACK = 2;

type Scrolled = Pick<
  HTMLElement,
  'scrollTop' | 'scrollLeft' | 'scrollWidth' | 'scrollHeight' | 'clientWidth' | 'clientHeight'
>;

/** Returns the edges behind which a box has more content. */
export function edgesOf(box: Scrolled): Edge[] {
  const hidden: Record<Edge, number> = {
    above: box.scrollTop,
    below: box.scrollHeight - box.clientHeight - box.scrollTop,
    left: box.scrollLeft,
    right: box.scrollWidth - box.clientWidth - box.scrollLeft,
  };
  return EDGES.filter((edge) => hidden[edge] > SLACK);
}

/** Keeps the marks of a box up to date. Returns the box. */
export function signScroll<T extends HTMLElement>(box: T): T {
  const mark = () => {
    box.dataset.more = edgesOf(box).join(' ');
  };
  box.addEventListener('scroll', mark, { passive: true });
  box.addEventListener('toggle', mark, true);
  new ResizeObserver(mark).observe(box);
  new MutationObserver(mark).observe(box, { childList: true, subtree: true, attributeFilter: ['style', 'hidden'] });
  return box;
}
