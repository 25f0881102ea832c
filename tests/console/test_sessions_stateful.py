"""Sessions beside a small model of them: who is signed on with which token, and until when."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from tablectl.console.auth.people import Person, Role
from tablectl.console.auth.sessions import SCREENS_MAX, Sessions

IDLE_S = 100.0
PEOPLE = tuple(Person(name, Role.DEALER, "", certificate=name) for name in ("ana", "rui"))


class SessionsMachine(RuleBasedStateMachine):
    """People who sign on, make requests, sign off, and go away."""

    tokens: Bundle[str] = Bundle("tokens")

    def __init__(self) -> None:
        super().__init__()
        self.sessions = Sessions(IDLE_S)
        self.now_s = 0.0
        self.given: dict[str, Person] = {}
        self.ends_s: dict[str, float] = {}

    @rule(target=tokens, person=st.sampled_from(PEOPLE))
    def sign_on(self, person: Person) -> str:
        token = self.sessions.begin(person, self.now_s)
        assert token not in self.given
        own = [each for each in self.valid() if self.given[each] is person]
        if len(own) == SCREENS_MAX:
            del self.ends_s[min(own, key=lambda each: self.ends_s[each])]
        self.given[token], self.ends_s[token] = person, self.now_s + IDLE_S
        return token

    @rule(token=tokens)
    def ask(self, token: str) -> None:
        person = self.sessions.use(token, self.now_s)
        assert person is (self.given[token] if token in self.valid() else None)
        if person is not None:
            self.ends_s[token] = self.now_s + IDLE_S

    @rule(token=tokens)
    def sign_off(self, token: str) -> None:
        self.sessions.end(token)
        self.ends_s.pop(token, None)

    @rule(seconds=st.sampled_from((0.5, 30.0, 99.5, IDLE_S)))
    def wait(self, seconds: float) -> None:
        self.now_s += seconds

    @invariant()
    def exactly_these_last(self) -> None:
        valid = self.valid()
        assert [token for token in self.given if self.sessions.lasts(token, self.now_s)] == [
            token for token in self.given if token in valid
        ]
        assert not self.sessions.lasts("guessed", self.now_s)

    def valid(self) -> list[str]:
        return [token for token, ends_s in self.ends_s.items() if ends_s > self.now_s]


TestSessions = SessionsMachine.TestCase
TestSessions.settings = settings(max_examples=4 * settings().max_examples)


def test_session_that_was_idle_longest_makes_room() -> None:
    sessions = Sessions(IDLE_S)
    first, second, *_ = [sessions.begin(PEOPLE[0], nth) for nth in range(SCREENS_MAX)]
    sessions.use(first, SCREENS_MAX)
    sessions.begin(PEOPLE[0], SCREENS_MAX)
    assert (sessions.lasts(first, SCREENS_MAX), sessions.lasts(second, SCREENS_MAX)) == (True, False)


@pytest.mark.parametrize("person", PEOPLE)
def test_a_session_of_another_person_makes_no_room(person: Person) -> None:
    sessions = Sessions(IDLE_S)
    tokens = [sessions.begin(each, 0.0) for each in PEOPLE for _ in range(SCREENS_MAX - 1)]
    assert sessions.use(sessions.begin(person, 0.0), 0.0) is person
    assert all(sessions.lasts(token, 0.0) for token in tokens)
