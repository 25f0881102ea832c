/** The greater part of the screen: the layout as it lies before the dealer. */
import { html } from "/static/vendor/htm-preact.js";
import { ChineseDiceFelt } from "/static/dealer/felt/chinese_dice.js";
import { FootballPokerFelt } from "/static/dealer/felt/football_poker.js";
import { PlainFelt } from "/static/dealer/felt/plain.js";
import { QPokerFelt } from "/static/dealer/felt/q_poker.js";
import { ThirteenCardsFelt } from "/static/dealer/felt/thirteen_cards.js";
import { WheelFelt } from "/static/dealer/felt/wheel_of_fortune.js";

const FELTS = {
  q_poker: QPokerFelt,
  football_poker: FootballPokerFelt,
  wheel_of_fortune: WheelFelt,
  chinese_dice: ChineseDiceFelt,
  thirteen_cards: ThirteenCardsFelt,
};

export function Felt({ desk }) {
  const game = desk.layout.game;
  const felt = FELTS[game] ?? PlainFelt;
  return html`<section class="felt felt-${game}" aria-label=${desk.words.say("page.dealer.felt")}><${felt} desk=${desk} /></section>`;
}
