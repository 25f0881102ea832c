/** The four suits as shapes, which say by themselves what their colour says too. */
import { html } from "/static/vendor/htm-preact.js";

/** Outlines in a square of 100 around the origin. */
const OUTLINES = {
  s: "M0-49C10-22 46-2 46 21C46 41 18 46 5 25C6 37 10 45 19 49L-19 49C-10 45-6 37-5 25C-18 46-46 41-46 21C-46-2-10-22 0-49Z",
  h: "M0 48C-64 2-52-44-25-44C-9-44 0-32 0-23C0-32 9-44 25-44C52-44 64 2 0 48Z",
  c: "M-21-26a21 21 0 1 0 42 0a21 21 0 1 0-42 0ZM-45 8a21 21 0 1 0 42 0a21 21 0 1 0-42 0ZM3 8a21 21 0 1 0 42 0a21 21 0 1 0-42 0ZM-13-14C-5 20-8 42-19 49L19 49C8 42 5 20 13-14Z",
  d: "M0-50Q13-22 38 0Q13 22 0 50Q-13 22-38 0Q-13-22 0-50Z",
};

/**
 * A suit's shape inside a drawing.
 *
 * @param {{suit: string, x: number, y: number, size: number, turned?: boolean}} props its middle and its height.
 */
export function Suit({ suit, x, y, size, turned = false }) {
  const move = `translate(${x} ${y}) scale(${(turned ? -1 : 1) * (size / 100)})`;
  return html`<path class="suit suit-${suit}" d=${OUTLINES[suit]} transform=${move} />`;
}

/** A suit's shape by itself, as tall as the text around it. */
export function SuitSign({ suit, label }) {
  return html`<svg class="suit-sign" viewBox="-50 -52 100 104" role="img" aria-label=${label || suit}>
    <${Suit} suit=${suit} x=${0} y=${0} size=${100} />
  </svg>`;
}
