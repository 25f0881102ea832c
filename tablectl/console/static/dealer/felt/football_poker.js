/** Football Poker: ten places in a half-moon, the draw and the common place in the middle. */
import { html } from "/static/vendor/htm-preact.js";
import { AtPlace, drawAt, stakeAt } from "/static/dealer/at_place.js";
import { betsOn, betting } from "/static/dealer/betting.js";
import { CardFacts } from "/static/dealer/felt/cards.js";
import { Hand, Place, Spot, Stake, horseshoe } from "/static/dealer/felt/parts.js";
import { shownResult } from "/static/dealer/tableau.js";

export function FootballPokerFelt({ desk }) {
  const { layout, state } = desk;
  const { columns, rows, areas } = horseshoe(layout.places);
  const inner = `${columns > 2 ? 2 : 1} / ${columns}`;
  return html`<div class="places horseshoe football" style=${{ "--columns": columns, "--rows": Math.max(3, rows) }}>
    ${layout.places.map((place) => html`<${Seat} key=${place} desk=${desk} place=${place} area=${areas.get(place)} />`)}
    <div class="middle" style=${{ gridArea: `2 / ${inner.split(" / ")[0]} / 3 / ${inner.split(" / ")[1]}` }}>
      <${Draw} desk=${desk} draw=${state.round.draw ?? drawOf(shownResult(state))} />
      <${CardFacts} desk=${desk} />
    </div>
    <${Seat} desk=${desk} place="common" extra="place-house" area=${`3 / 2 / 4 / ${columns}`} />
  </div>`;
}

/** The draw of a round that is over. */
const drawOf = (result) => (result?.settlement ? { ...result.settlement.draw, shown: true } : null);

/** Spaces while bets are taken; then the cards, and the stakes beneath them. */
function Seat({ desk, place, area, extra }) {
  const { layout, words } = desk;
  const total = (hand) => (hand.total === null || hand.total === undefined ? "" : words.say("page.dealer.hand.total", { total: hand.total }));
  const laid = layout.bets.filter(({ name }) => betsOn(desk, place, name).length);
  const lines = betting(desk) ? [] : stakeAt(desk, place);
  // A list may not stand in a button.
  const [list, item] = lines.length ? ["span", "span"] : ["ul", "li"];
  return html`<${Place} desk=${desk} place=${place} area=${area} extra=${extra}>
    ${betting(desk)
      ? html`<div class="spots five">${layout.bets.map(({ name }, nth) => html`<${Spot} key=${name} desk=${desk} place=${place} bet=${name} nth=${nth}
          label=${words.say(`page.dealer.spot.${name}`)} />`)}</div>`
      : html`<${Hand} desk=${desk} place=${place} name=${total} />
          <${AtPlace} desk=${desk} lines=${lines} name=${words.list([words.place(place), ...laid.map(({ name }) => words.say(`page.dealer.spot.${name}`))])}>
            <${list} class="stakes">${laid.map(({ name }) => html`<${item} key=${name} data-spot=${`${place}/${name}`}>${words.say(`page.dealer.spot.${name}`)}
              <${Stake} desk=${desk} bets=${betsOn(desk, place, name)} /><//>`)}<//><//>`}
  <//>`;
}

/** Rule: 41/2003 art. 6(1): the numbers of both ranges, as the display shows them. */
function Draw({ desk, draw }) {
  const { words, state } = desk;
  if (!draw) return html`<p class="draw faint">${words.say("page.dealer.draw.none")}</p>`;
  const numbers = ["upper", "lower"].map((series) => ({ name: words.say(`series.${series}`), drawn: draw[series].join(" ") }));
  return html`<div class="draw ${draw.shown ? "" : "draw-not-shown"}">
    <${AtPlace} desk=${desk} lines=${drawAt(desk)} name=${words.list(numbers.map(({ name, drawn }) => `${name} ${drawn}`))}>
      ${numbers.map(({ name, drawn }) => html`<span key=${name}><span>${name}</span> <b>${drawn}</b></span>`)}<//>
    <p><span class="lamp lamp-${draw.shown ? "good" : "warn"}">${words.say(draw.shown ? "page.dealer.draw.shown" : "page.dealer.draw.not_shown")}</span>
      ${state.round.hold ? html` <em>${words.say(`hold.football_poker.${state.round.hold}`)}</em>` : null}</p>
  </div>`;
}
