"""Pay ratios: so much for so much staked."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from tablectl.core.json_form import FormError, Json, text_in
from tablectl.lazy_dataclass import dataclass

_FORM: Final = re.compile(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Ratio:
    """So much for so much staked; the stake itself comes back beside it."""

    numerator: int
    denominator: int


def highest(ratios: Iterable[Ratio]) -> Ratio:
    """The ratio that pays most."""
    return max(ratios, key=lambda ratio: Fraction(ratio.numerator, ratio.denominator))


def ratio_in(form: Mapping[str, Json], name: str) -> Ratio:
    """The field as a ratio such as `"3:2"`.

    Raises:
        FormError: not two whole numbers from 1 to 999999 around a colon.
    """
    text = text_in(form, name)
    parts = _FORM.fullmatch(text)
    if parts is None:
        raise FormError(name, f'{text!r:.40} isn\'t a ratio such as "3:2"')
    numerator, denominator = map(int, parts.groups())
    return Ratio(numerator, denominator)


def share_in(form: Mapping[str, Json], name: str) -> Ratio:
    """The field as a share of a sum such as `"4:100"`; `"0:1"` is none of it.

    Raises:
        FormError: no ratio, or more than the whole sum.
    """
    if text_in(form, name) == "0:1":
        return Ratio(0, 1)
    share = ratio_in(form, name)
    if share.numerator > share.denominator:
        raise FormError(name, f"{text_in(form, name)} is more than the whole")
    return share
