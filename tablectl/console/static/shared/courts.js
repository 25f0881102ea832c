/** Jack, queen and king: one figure each, drawn twice, the second on its head. */
import { html } from "/static/vendor/htm-preact.js";
import { Suit } from "/static/shared/suits.js";

/** The middle of a court card. */
export function Court({ rank, suit }) {
  const Half = { J: Jack, Q: Queen, K: King }[rank];
  const half = html`<g>
    <${Half} />
    <${Suit} suit=${suit} x=${82} y=${62} size=${28} />
  </g>`;
  return html`<g class="court court-${rank}">
    <rect class="court-ground" x="66" y="42" width="108" height="252" rx="6" />
    ${half}
    <g transform="rotate(180 120 168)">${half}</g>
    <rect class="court-edge" x="66" y="42" width="108" height="252" rx="6" />
  </g>`;
}

const Robe = () => html`<g>
  <path class="court-robe" d="M66 168L69 150Q90 132 106 128L134 128Q150 132 171 150L174 168Z" />
  <path class="court-trim" d="M106 128L120 146L134 128L142 131L122 158L118 158L98 131Z" />
  <path class="court-stripe" d="M76 168L82 146M90 168L94 140M164 168L158 146M150 168L146 140" />
</g>`;

const Face = () => html`<g>
  <path class="court-skin" d="M101 92Q101 128 120 128Q139 128 139 92Q139 74 120 74Q101 74 101 92Z" />
  <path class="court-line" d="M108 92Q112 89 116 92M124 92Q128 89 132 92M120 94L118 106L122 106M114 114Q120 118 126 114" />
</g>`;

const Jack = () => html`<g>
  <path class="court-hair" d="M97 86Q92 122 104 126L104 88ZM143 86Q148 122 136 126L136 88Z" />
  <${Robe} /><${Face} />
  <path class="court-cap" d="M94 84Q96 58 122 57Q146 58 146 84Q120 74 94 84Z" />
  <path class="court-feather" d="M138 64Q160 44 166 58Q160 72 142 74Z" />
</g>`;

const Queen = () => html`<g>
  <path class="court-hair" d="M96 82Q84 118 94 138L106 130Q98 108 104 86ZM144 82Q156 118 146 138L134 130Q142 108 136 86Z" />
  <${Robe} /><${Face} />
  <path class="court-crown" d="M98 82L95 60Q104 68 109 70Q114 60 120 56Q126 60 131 70Q136 68 145 60L142 82Q120 74 98 82Z" />
  <path class="court-jewels" d="M92 58a4 4 0 1 0 8 0a4 4 0 1 0-8 0ZM116 53a4 4 0 1 0 8 0a4 4 0 1 0-8 0ZM140 58a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z" />
</g>`;

const King = () => html`<g>
  <path class="court-hair" d="M97 86Q90 116 102 122L104 88ZM143 86Q150 116 138 122L136 88Z" />
  <${Robe} /><${Face} />
  <path class="court-hair" d="M102 102Q100 136 120 142Q140 136 138 102Q132 110 120 108Q108 110 102 102ZM114 113Q120 117 126 113Q120 122 114 113Z" />
  <path class="court-crown" d="M97 84L92 56L106 68L120 50L134 68L148 56L143 84Q120 76 97 84Z" />
  <path class="court-jewels" d="M105 76L109 71L113 76L109 80ZM116 73L120 68L124 73L120 78ZM127 76L131 71L135 76L131 80Z" />
</g>`;
