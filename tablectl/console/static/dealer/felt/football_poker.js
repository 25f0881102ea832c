/** Football Poker: the draw above, the places and the common one below. */
import { html } from "/static/vendor/htm-preact.js";
import { cardFacts } from "/static/dealer/felt/cards.js";
import { Facts, Hand, Place, handAt } from "/static/dealer/felt/parts.js";

export function FootballPokerFelt({ desk }) {
  const { layout, state } = desk;
  return html`
    <${Draw} desk=${desk} draw=${state.round.draw} />
    <${Facts} items=${cardFacts(desk)} />
    <div class="places places-row">
      ${[...layout.places, ...layout.hands].map((place) => html`<${Place} key=${place} desk=${desk} place=${place}
        extra=${place === "common" ? "place-house" : ""} mark=${totalAt(desk, place)}>
        <${Hand} desk=${desk} hand=${handAt(desk, place)} />
      <//>`)}
    </div>`;
}

function totalAt(desk, place) {
  const total = handAt(desk, place)?.total;
  return total === null || total === undefined ? "" : desk.words.say("page.dealer.hand.total", { total });
}

/** Rule: 41/2003 art. 6(1): the numbers of both ranges, as the display shows them. */
function Draw({ desk, draw }) {
  const { words, state } = desk;
  if (!draw) return html`<p class="draw faint">${words.say("page.dealer.draw.none")}</p>`;
  return html`<div class="draw ${draw.shown ? "" : "draw-not-shown"}">
    <strong>${words.say(`series.${draw.series}`)} ${draw.combination}</strong>
    <span>${words.say("series.upper")}: <b>${draw.upper.join(" ")}</b></span>
    <span>${words.say("series.lower")}: <b>${draw.lower.join(" ")}</b></span>
    <span class="lamp lamp-${draw.shown ? "good" : "warn"}">${words.say(draw.shown ? "page.dealer.draw.shown" : "page.dealer.draw.not_shown")}</span>
    ${state.round.hold ? html`<em>${words.say(`hold.football_poker.${state.round.hold}`)}</em>` : null}
  </div>`;
}
