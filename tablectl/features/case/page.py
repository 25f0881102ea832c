"""Page of an incident case: its moment, rounds, events, and files' digests.

Every round is drawn.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from tablectl.features.case.moment import Moment
from tablectl.features.rounds.explain_html import page
from tablectl.history.explain.model import Renderers
from tablectl.history.explain.phrases import label
from tablectl.words import Language


def page_of(
    moment: Moment, about: Mapping[str, Any], files: Mapping[str, bytes], rendering: Renderers, language: Language
) -> str:
    """The page. The rounds' own pages lie beside it and are drawn into it.

    Args:
        about: the manifest without its files.
        files: all others, by name.
    """
    title = label("case.title", language)
    return page(title, language, "".join(_body(title, moment, about, files, rendering, language)))


def _body(
    title: str,
    moment: Moment,
    about: Mapping[str, Any],
    files: Mapping[str, bytes],
    rendering: Renderers,
    language: Language,
) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    yield f"<p>{escape(about['origin'])} · {escape(about['key'])}</p>"
    yield f"<p>{escape(label('case.reason', language, mark=moment.mark))}: {escape(moment.at)}</p>"
    yield f"<p>{escape(about['from'])} – {escape(about['to'])}</p>"
    if moment.note:
        yield f"<p>{escape(label('case.note', language))}: <strong>{escape(moment.note)}</strong></p>"
    for name, data in files.items():
        if name.startswith("rounds/") and name.endswith(".html"):
            yield f"<hr>{_inside(data.decode())}"
    yield f"<h2>{escape(label('case.events', language))}</h2>"
    yield from _events(files["events.jsonl"], rendering, language)
    yield f"<h2>{escape(label('case.files', language))}</h2><table>"
    for name, data in sorted(files.items()):
        yield f'<tr><td>{escape(name)}</td><td class="no">{hashlib.sha256(data).hexdigest()}</td></tr>'
    yield f"</table><p>{escape(label('case.verify', language))}</p>"


def _inside(html: str) -> str:
    """Return the body of a round's page."""
    return html.partition("<main>")[2].rpartition("</main>")[0]


def _events(lines: bytes, rendering: Renderers, language: Language) -> Iterator[str]:
    for line in lines.splitlines():
        form = json.loads(line)
        number, time = str(form.get("sequence", "")).lstrip("0"), str(form.get("time", ""))
        said = rendering.voices[language].lines(form)[0]
        yield f'<div class="message"><span class="no">{escape(time)} #{number}</span> {escape(said)}</div>'
