"""Where the keys of a TOML file stand."""

import json
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from tablectl.config.source import positions

AWKWARD = """\
# [comment]
top = "a # no comment"
[a.b] # header
"quoted key" = 1
x . y = [1, {inner = 2}, "}]", # comment ]
  {deeper = {deepest = 3}}]
text = '''
z = 1
'''
more = \"\"\"
"w" = \\"\"\" w = 1\"\"\"\"
when = 2004-12-31 10:00:00
table = {since = 2004-12-31 10:00:00, until = 4.5}

[ "c.d" ]
e = -1e3
[[f]]
g = 1
[[f]]
g = 2
"""
KEYS = st.lists(st.text("abcXYZ019_-", min_size=1, max_size=6), min_size=1, unique=True)
TEXTS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]))


def test_every_key_of_awkward_toml_is_found_where_it_stands() -> None:
    assert tomllib.loads(AWKWARD)["a"]["b"]["more"] == '"w" = """ w = 1"'
    assert positions(AWKWARD) == {
        ("top",): (2, 1),
        ("a",): (3, 1),
        ("a", "b"): (3, 1),
        ("a", "b", "quoted key"): (4, 1),
        ("a", "b", "x"): (5, 1),
        ("a", "b", "x", "y"): (5, 1),
        ("a", "b", "x", "y", "inner"): (5, 14),
        ("a", "b", "x", "y", "deeper"): (6, 4),
        ("a", "b", "x", "y", "deeper", "deepest"): (6, 14),
        ("a", "b", "text"): (7, 1),
        ("a", "b", "more"): (10, 1),
        ("a", "b", "when"): (12, 1),
        ("a", "b", "table"): (13, 1),
        ("a", "b", "table", "since"): (13, 10),
        ("a", "b", "table", "until"): (13, 39),
        ("c.d",): (15, 1),
        ("c.d", "e"): (16, 1),
        ("f",): (17, 1),
        ("f", "g"): (18, 1),
    }


@given(KEYS, st.data())
def test_key_is_found_whatever_the_values_before_it_hold(keys: list[str], data: st.DataObject) -> None:
    texts = data.draw(st.lists(TEXTS, min_size=len(keys), max_size=len(keys)))
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in zip(keys, texts, strict=True)]
    text = "\n".join(lines)
    assert list(tomllib.loads(text)) == keys
    assert positions(text) == {(key,): (line, 1) for line, key in enumerate(keys, 1)}
