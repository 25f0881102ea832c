/** Cards and dice as large as their place on the screen allows; text keeps its size, so that it stays readable. */
import { html, useLayoutEffect, useRef } from "/static/vendor/htm-preact.js";

const STEPS = 6;

/**
 * A grid with as many columns as let its content have the greatest `--size`, a length in pixels, with which all fits.
 *
 * @param {{least: number, most: number, columns: number[], name: string}} props bounds of the size, in lines of main
 *   text; the numbers of columns to try; the grid's class.
 */
export function Fit({ least, most, columns, name, children }) {
  const box = useRef(null);
  const fitted = useRef("");
  useLayoutEffect(() => {
    const fit = () => {
      const shape = shapeOf(box.current);
      if (shape === fitted.current) return;
      enlarge(box.current, { least, most, columns });
      fitted.current = shape;
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

function enlarge(box, { least, most, columns }) {
  const content = box.firstElementChild;
  const line = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const fits = (size) => {
    content.style.setProperty("--size", `${size}px`);
    return content.offsetHeight <= box.clientHeight && content.scrollWidth <= box.clientWidth;
  };
  content.style.zoom = 1;
  let best = { size: 0, count: columns[0] };
  for (const count of columns) {
    content.style.setProperty("--columns", count);
    if (!fits(Math.max(best.size + 1, least * line))) continue;
    best = { size: largest(fits, best.size + 1, most * line), count };
  }
  if (best.size === 0) return shrink(box, content, columns, fits, least * line);
  content.style.setProperty("--columns", best.count);
  fits(best.size);
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
}

/** The largest size that fits, where the smallest one does. */
function largest(fits, from, to) {
  if (fits(to)) return to;
  let [small, large] = [from, to];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (small + large) / 2;
    if (fits(middle)) small = middle;
    else large = middle;
  }
  return small;
}
