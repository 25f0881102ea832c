/**
 * Small plots: what was observed beside what was expected, and how something went over time.
 *
 * Every figure is also in a tooltip and, through the plot's label, in words: nothing rests on colour alone.
 */
import { html } from "/static/vendor/htm-preact.js";

const WIDTH = 720;
const ROW = 34;
const LABELS = 200;
const FIGURES = 84;
const EDGE = 30;

/**
 * One bar per row with its expected count and the range that chance alone would usually keep to.
 *
 * @param {{rows: {label: string, observed: number, expected?: number, low?: number, high?: number}[], label: string,
 *   title?: function(object): string, show?: function(number): string}} props a bar outside its range is drawn
 *   hatched by an outline of its own, as well as in another colour.
 */
export function Bars({ rows, label, title = plainTitle, show = String }) {
  const height = rows.length * ROW + EDGE;
  const most = Math.max(1, ...rows.flatMap((row) => [row.observed, row.expected ?? 0, row.high ?? 0]));
  const ticks = ticksTo(most);
  const scale = (value) => LABELS + (value / ticks[ticks.length - 1]) * (WIDTH - LABELS - FIGURES);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${label}>
    ${ticks.map((tick) => html`<g>
      <path class="chart-grid" d="M${scale(tick)} 0V${height - EDGE + 4}" />
      <text class="chart-faint" x=${scale(tick)} y=${height - 8} text-anchor="middle">${show(tick)}</text>
    </g>`)}
    ${rows.map((row, nth) => html`<${Bar} row=${row} top=${nth * ROW} scale=${scale} title=${title} show=${show} />`)}
    <path class="chart-axis" d="M${LABELS} 0V${height - EDGE}" />
  </svg>`;
}

function Bar({ row, top, scale, title, show }) {
  const middle = top + ROW / 2;
  const ranged = row.low !== undefined && row.high !== undefined;
  const outside = ranged && (row.observed < row.low || row.observed > row.high);
  return html`<g>
    <title>${title(row)}</title>
    <rect x="0" y=${top} width=${WIDTH} height=${ROW} fill="transparent" />
    <text x=${LABELS - 10} y=${middle + 5} text-anchor="end">${row.label}</text>
    <rect class=${outside ? "chart-outside" : "chart-bar"} x=${LABELS} y=${middle - 9} width=${scale(row.observed) - LABELS} height="18" />
    ${ranged && html`<path class="chart-range" d=${whisker(scale(row.low), scale(row.high), middle)} />`}
    ${row.expected !== undefined && html`<circle class="chart-expected" cx=${scale(row.expected)} cy=${middle} r="4.5" />`}
    <text x=${WIDTH - 6} y=${middle + 5} text-anchor="end">${outside ? "▲ " : ""}${show(row.observed)}</text>
  </g>`;
}

const whisker = (low, high, y) => `M${low} ${y - 7}V${y + 7}M${low} ${y}H${high}M${high} ${y - 7}V${y + 7}`;

const plainTitle = (row) =>
  [row.label, row.observed, row.expected ?? "", row.low === undefined ? "" : `${row.low}–${row.high}`].join(" · ");

/**
 * A line over time, with a band between `low` and `high` where points have them, and a level to compare it with.
 *
 * @param {{points: {x: number, y?: number, low?: number, high?: number, title: string}[], label: string,
 *   level: {y: number, name: string}, least?: number, most?: number, height?: number}} props points in order of `x`; what
 *   lies below `least` or above `most` is drawn at the edge.
 */
export function Line({ points, label, level, least = 0, most = Infinity, height = 170 }) {
  const top = Math.max(1, level.y, ...points.flatMap((point) => [point.y ?? 0, point.high ?? 0]));
  const ticks = [...(least < 0 ? [least] : []), ...ticksTo(Math.min(most, top))];
  const highest = ticks[ticks.length - 1];
  const [from, to] = [points[0].x, points[points.length - 1].x];
  const x = (value) => 56 + (to === from ? 0.5 : (value - from) / (to - from)) * (WIDTH - 76);
  const y = (value) => 12 + (1 - (Math.min(highest, Math.max(least, value)) - least) / (highest - least)) * (height - 12 - EDGE);
  const drawn = points.filter((point) => point.y !== undefined);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${label}>
    ${ticks.map((tick) => html`<g>
      <path class="chart-grid" d="M56 ${y(tick)}H${WIDTH - 20}" />
      <text class="chart-faint" x="48" y=${y(tick) + 4} text-anchor="end">${tick}</text>
    </g>`)}
    <path class="chart-area" d=${band(points, x, y)} />
    <path class="chart-level" d="M56 ${y(level.y)}H${WIDTH - 20}" />
    <text x="64" y=${y(level.y) + (y(level.y) > 34 ? -6 : 18)}>${level.name}</text>
    <path class="chart-line" d=${trace(drawn.map((point) => [x(point.x), y(point.y)]))} />
    ${drawn.map((point) => html`<circle class="chart-dot" cx=${x(point.x)} cy=${y(point.y)} r="3.5" />`)}
    ${points.map((point) => html`<rect x=${x(point.x) - 5} y="12" width="10" height=${height - 12 - EDGE} fill="transparent"><title>${point.title}</title></rect>`)}
    ${spread(points, 6).map((point) => html`
      <text class="chart-faint" x=${x(point.x)} y=${height - 8} text-anchor=${to > from && point.x === to ? "end" : "middle"}>${point.x}</text>`)}
    <path class="chart-axis" d="M56 12V${height - EDGE}H${WIDTH - 20}" />
  </svg>`;
}

const trace = (ends) => ends.map(([x, y], nth) => `${nth ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function band(points, x, y) {
  const ranged = points.filter((point) => point.low !== undefined && point.high !== undefined);
  if (ranged.length < 2) return "";
  const up = ranged.map((point) => [x(point.x), y(point.high)]);
  const down = ranged.map((point) => [x(point.x), y(point.low)]).reverse();
  return `${trace([...up, ...down])}Z`;
}

/** At most `most` of the points, evenly taken, with the first and the last. */
function spread(points, most) {
  if (points.length <= most) return points;
  return Array.from({ length: most }, (_, nth) => points[Math.round((nth * (points.length - 1)) / (most - 1))]);
}

/** Round numbers from 0 to at least `most`. */
export function ticksTo(most) {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, nth) => Number((nth * step).toPrecision(12)));
}
