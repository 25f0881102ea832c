/** The wheel as it hangs: its sections in their colours around the rim, and the indicator above. */
import { html } from "/static/vendor/htm-preact.js";

const TURN = 2 * Math.PI;
const at = (radius, angle) => `${(100 + radius * Math.sin(angle)).toFixed(2)} ${(100 - radius * Math.cos(angle)).toFixed(2)}`;

/**
 * The whole wheel, turned so that the section at the indicator is on top.
 *
 * @param {{sections: {section, symbol}[], at: ?number, turning: boolean, label: string}} props the section at the
 *   indicator, as far as one is known; whether the wheel turns.
 */
export function Wheel({ sections, at: section, turning, label }) {
  const step = TURN / sections.length;
  const nth = sections.findIndex((one) => one.section === section);
  const turned = nth < 0 ? 0 : (-360 * nth) / sections.length;
  // The disc is a picture of its own: while it turns the browser moves it whole, and draws nothing anew.
  return html`<div class="wheel ${turning ? "wheel-turning" : ""}" role="img" aria-label=${section ? `${label}: ${section}` : label}>
    <svg class="wheel-disc" viewBox="0 0 200 200" aria-hidden="true">
      <g transform=${`rotate(${turned} 100 100)`}>
        ${sections.map(({ symbol, section: number }, index) => {
          const [from, to] = [(index - 0.5) * step, (index + 0.5) * step];
          return html`<path key=${number} class="rim rim-${symbol} ${number === section ? "rim-at" : ""}"
            d=${`M${at(98, from)}A98 98 0 0 1 ${at(98, to)}L${at(60, to)}A60 60 0 0 0 ${at(60, from)}Z`} />
            <text class="rim-text" x="100" y="20" text-anchor="middle" transform=${`rotate(${(360 * index) / sections.length} 100 100)`}>${symbol}</text>`;
        })}
      </g>
    </svg>
    <svg class="wheel-front" viewBox="0 0 200 212" aria-hidden="true">
      <circle class="wheel-hub" cx="100" cy="112" r="58" />
      <path class="wheel-pointer" d="M90 0H110L100 26Z" />
    </svg>
  </div>`;
}
