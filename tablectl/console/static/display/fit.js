/** Cards and dice as large as their place on the screen allows; text keeps its size, so that it stays readable. */
import { html, useLayoutEffect, useRef } from "/static/vendor/htm-preact.js";

const STEPS = 6;

/** How many times as large all has to become for places to move into other columns. */
const WORTH_A_MOVE = 1.3;

/**
 * A grid with as many columns as let its content have the greatest `--size`, a length in pixels, with which all fits.
 *
 * @param {{least: number, most: number, columns: number[], name: string}} props bounds of the size, in lines of main
 *   text; the numbers of columns to try; the grid's class.
 */
export function Fit({ least, most, columns, name, children }) {
  const box = useRef(null);
  const fitted = useRef({ shape: "", size: 0, count: 0 });
  useLayoutEffect(() => {
    const fit = () => {
      const shape = shapeOf(box.current);
      if (shape === fitted.current.shape) return;
      fitted.current = { shape, ...enlarge(box.current, { least, most, columns }, fitted.current) };
    };
    fit();
    const watching = new ResizeObserver(fit);
    watching.observe(box.current);
    return () => watching.disconnect();
  });
  return html`<div class="fit" ref=${box}><div class="fit-content ${name}">${children}</div></div>`;
}

/** All on which the size depends; to lay out anew what needs the same room would only cost time, as a pile's next card. */
function shapeOf(box) {
  const content = box.firstElementChild;
  const drawn = content.querySelectorAll("svg:not(.pile *)").length;
  return [box.clientWidth, box.clientHeight, content.childElementCount, drawn, content.textContent].join("|");
}

/** The columns worth trying for so many tiles. */
export const columnsFor = (tiles) => Array.from({ length: Math.min(tiles, 6) }, (_, nth) => nth + 1);

/** Sets the size and the columns and returns them. What fitted last is tried first, because each trial is a layout. */
function enlarge(box, { least, most, columns }, last) {
  const content = box.firstElementChild;
  const line = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const fits = (size) => {
    content.style.setProperty("--size", `${size}px`);
    return content.offsetHeight <= box.clientHeight && content.scrollWidth <= box.clientWidth;
  };
  content.style.zoom = 1;
  let best = { size: 0, count: columns[0] };
  for (const count of [...columns].sort((one, other) => (other === last.count) - (one === last.count))) {
    const smallest = Math.max(best.size * (best.count === last.count ? WORTH_A_MOVE : 1) + 1, least * line);
    if (smallest > most * line) break;
    content.style.setProperty("--columns", count);
    if (fits(smallest)) best = { size: largest(fits, smallest, most * line, last.size), count };
  }
  if (best.size === 0) return shrink(box, content, columns, fits, least * line);
  content.style.setProperty("--columns", best.count);
  fits(best.size);
  return best;
}

/** Draws more than the screen holds at its usual sizes smaller, text and all, rather than cutting it off. */
function shrink(box, content, columns, fits, size) {
  fits(size);
  const zoom = (count) => {
    content.style.setProperty("--columns", count);
    return Math.min(box.clientHeight / content.offsetHeight, box.clientWidth / content.scrollWidth);
  };
  const best = columns.reduce((one, other) => (zoom(other) > zoom(one) ? other : one));
  content.style.zoom = zoom(best);
  return { size: 0, count: best };
}

/** The largest size that fits, where the smallest one does; `likely` is a good guess. */
function largest(fits, from, to, likely) {
  let [small, large] = [from, to];
  if (likely > from && likely < to) {
    if (!fits(likely)) large = likely;
    else if (!fits(likely + 1)) return likely;
    else small = likely + 1;
  }
  if (large === to && fits(to)) return to;
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (small + large) / 2;
    if (fits(middle)) small = middle;
    else large = middle;
  }
  return small;
}
