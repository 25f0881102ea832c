"""The catalogues are complete: every text that the core can ask for is there in every language."""

import ast
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from string import Formatter

import pytest

from tablectl import words
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import Consequence
from tablectl.core.events.text import saying
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import CATALOGUE, Authority, Severity
from tablectl.core.games.chinese_dice.hands import Combination as ChineseDiceCombination
from tablectl.core.games.chinese_dice.settlement import Role as ChineseDiceRole
from tablectl.core.games.chinese_dice.state import BetName as DiceBet
from tablectl.core.games.chinese_dice.state import Kind as DiceKind
from tablectl.core.games.chinese_dice.state import Phase as DicePhase
from tablectl.core.games.football_poker.rules import BetName as FootballBet
from tablectl.core.games.football_poker.state import Phase as FootballPhase
from tablectl.core.games.q_poker.hands import Combination
from tablectl.core.games.q_poker.settlement import BetName, Decision
from tablectl.core.games.q_poker.state import Phase
from tablectl.core.games.thirteen_cards.hands import Combination as ThirteenCardsCombination
from tablectl.core.games.thirteen_cards.hands import Natural
from tablectl.core.games.thirteen_cards.irregularities import KINDS as THIRTEEN_KINDS
from tablectl.core.games.thirteen_cards.state import Phase as ThirteenPhase
from tablectl.core.games.wheel_of_fortune.irregularities import Kind as WheelKind
from tablectl.core.games.wheel_of_fortune.sections import BetName as SymbolBet
from tablectl.core.games.wheel_of_fortune.settlement import RespinReason
from tablectl.core.games.wheel_of_fortune.state import Phase as WheelPhase
from tablectl.core.money import Outcome
from tablectl.core.outcomes import Flaw
from tablectl.history.language import Speech
from tablectl.rule_tables import GAMES
from tablectl.words import LANGUAGES, Language
from tests.tools.spoken import plurals

CORE = Path(__file__).parents[2] / "tablectl" / "core"
TELLS_IRREGULARITY = {"void", "irregular", "left_undone"}
ARTICLE = re.compile(r"table|\d+(\.\d+)?(\([a-z\d]+\))?")

# What each key made at run time can become; a new one fails the scan until it stands here.
MADE = {
    "refuse.{game}.{code}": [],  # the scan finds the codes where `refuse`, `refusal` and `_no` are called
    # The scan finds the other codes where `irregular` and `void` are called.
    "irregular.{step.game}.{code}": [
        *(f"irregular.thirteen_cards.{kind}" for kind in THIRTEEN_KINDS),
        *(f"irregular.chinese_dice.{kind.value}" for kind in DiceKind),
        *(
            f"irregular.wheel_of_fortune.{code}"
            for code in (*RespinReason, *Flaw, *WheelKind, "sensor_lost", "turns_unknown")
        ),
    ],
    **{
        f"prompt.chinese_dice.{{step}}{how}": [
            f"prompt.chinese_dice.{step}{how}" for step in ("betting", "banker_throwing", "throwing")
        ]
        for how in ("", "_by_hand", "_reader_away")
    },
    "fault.{entry(code).key}.text": [f"fault.{entry.key}.text" for entry in CATALOGUE.values()],
    "prompt.q_poker.{key}": ["prompt.q_poker.card", "prompt.q_poker.packet"],
    "prompt.q_poker.{state.phase.value}_deal": ["prompt.q_poker.betting_deal", "prompt.q_poker.closed_deal"],
    "prompt.q_poker.{state.phase.value}": ["prompt.q_poker.betting", "prompt.q_poker.closed"],
    "prompt.q_poker.{state.phase.value}_shuffling": [
        "prompt.q_poker.betting_shuffling",
        "prompt.q_poker.closed_shuffling",
    ],
}

# The names of all that a page shows beside the sayings.
NAMED: list[tuple[str, type[StrEnum]]] = [
    ("bet.q_poker", BetName),
    ("decision.q_poker", Decision),
    ("hand.q_poker", Combination),
    ("pack.q_poker", PackState),
    ("phase.q_poker", Phase),
    ("bet.wheel_of_fortune", SymbolBet),
    ("bet.chinese_dice", DiceBet),
    ("bet.football_poker", FootballBet),
    ("phase.chinese_dice", DicePhase),
    ("phase.football_poker", FootballPhase),
    ("phase.thirteen_cards", ThirteenPhase),
    ("hand.thirteen_cards", Natural),
    ("phase.wheel_of_fortune", WheelPhase),
    ("combination.chinese_dice", ChineseDiceCombination),
    ("layer.chinese_dice", ChineseDiceRole),
    ("hand.thirteen_cards", ThirteenCardsCombination),
    ("natural.thirteen_cards", Natural),
    ("authority", Authority),
    ("consequence", Consequence),
    ("dealing", Dealing),
    ("device", Dealing),
    ("outcome", Outcome),
    ("severity", Severity),
]

# Common characters that only simplified writing has.
SIMPLIFIED = frozenset(
    "与专业东丝两严丧个丰临为举么义乌乐乔习乡书买乱争亏亚产亩亲仅从仓仪们价众优会伞伟传伤伦伪体余侠"
    "侣侥侦侧侨俭债倾偿储儿关兴养兽内冈写军农冯冲决况冻净凉减凑凤凭凯击划刘则刚创删别刹剂剑剧劝办务动"
    "励劲劳势勋匀区医华协单卖卢卫却厂厅历厉压厌厕厦厨县参双发变叙叶号叹听启吴呐呕员咏响哑唤啸喷团园围"
    "国图圆圣场坏块坚坛坝坟坠垄垒垦垫堕塆墙壮声壳处备够头夹夺奋奖妆妇妈姗娄娱婴学宁宝实审宪宫宽宾对寻"
    "导将尔尘尝层属岁岂岗岛峡币帅师帐帘带帮庄库应庙废开异弃张弥弯弹强归录彻征忆忧怀态怜总恋恳恶恼悬惊"
    "惧惨惩惯愤愿懒戏战户扑执扩扫扬扰抚抛抢护报担拟拢拣拥拦择挂挚挠挡挣挤挥损捡换据掳掷掺揽搀搁搂搅携"
    "摄摆摇摊撑敌数斋断无旧时旷显晋晒晓暂术机杀杂权杆条杨极构枢枪柜标栈栋栏树样档桥检楼欢欧残毁毕毙气"
    "汇汉沟没沪泪泻泼泽洁浅测济浓涛涝润涨渐渔温湾湿溃滚满滤滥灭灯灵灾炉点炼烂热焕爱爷牵状独狭狮猎猪猫"
    "玛环现疗盐监盖盘着矿码砖础确离种积称稳穷窃竞笔笼筑筛签简类粮紧纠红约级纪纯纱纲纳纵纷纸纹线练组细"
    "织终经绑结绕绘给络绝统继绩绪续维绵综绿缓缔编缘缩缴网罗罚罢职联肃肠肤肾肿胀胜胶脉脏脑脚脱脸腊腾舰"
    "舱艰艺节芦苏苹茧荐荣药莱获营萧萨蓝虏虑虽虾蚀蚁蛮补衬袭装见观规视览觉触誉计订认讨让训议讯记讲许论"
    "设访证评识诈诉词译试诗话询该详语误说请诸读课谁调谈谊谋谎谓谜谢谱贝负贡财责贤败货质贩贪贫购贯贴贵"
    "贷贸费贺赁资赋赌赏赔赖赚赛赞赠赢赵趋跃踪车轨转轮软轰轻载较辅辆辈辉辑输辞边达迁过迈运还这进远违连"
    "迟选递逻遗邮邻郑酱释针钉钟钢钥钩钱铁铃铅银链销锁锅错锡锣键镇镜长门闭问闲间闷闹闻阅阔队阳阴阵阶际"
    "陆陈险随隐难雾韩页顶项顺须顾顿预领频题颜额风飞饭饮饰饱饼馆马驱驶驻驾验骗鱼鲁鲜鸟鸡鸣麦齐齿龙龟"
)


def literal(node: ast.expr) -> str | None:
    """The text of a string literal, an f-string as it is written; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"  # type: ignore[attr-defined]
            for part in node.values
        ]
        return "".join(parts)
    return None


def name_of(call: ast.Call) -> str:
    """The name of the function called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def names_of(keywords: list[ast.keyword]) -> frozenset[str]:
    """The names of the values that a call gives."""
    return frozenset(word.arg for word in keywords if word.arg)


def asked_by(node: ast.AST, game: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The keys that a piece of code asks for, with the names of the values it gives."""
    match node:
        case ast.Call(args=[first, *_], keywords=keywords) if name_of(node) == "saying":
            key = literal(first)
            assert key is not None, f"a key that no scan can follow: {ast.unparse(node)}"
            yield from ((made, names_of(keywords)) for made in (MADE[key] if "{" in key else [key]))
        case ast.Call(args=args, keywords=keywords) if name_of(node) in {"refuse", "refusal", "_no"}:
            if (code := literal(args[-1])) is not None:
                yield f"refuse.{game}.{code}", names_of(keywords)
        case ast.Call(args=[_, _, _, named, *_], keywords=keywords) if name_of(node) in TELLS_IRREGULARITY:
            if (code := literal(named)) is not None:
                yield f"irregular.{game}.{code}", names_of(keywords) | {"place"}
        case ast.Tuple(elts=[first, second]) if ARTICLE.fullmatch(literal(first) or "") and literal(second):
            yield f"refuse.{game}.{literal(second)}", frozenset()
        case ast.Tuple(elts=[first, *_]) if (literal(first) or "").endswith("_limit"):
            yield f"refuse.any.{literal(first)}", frozenset({"most", "bettor", "place"})
        case _:
            return


def asked() -> dict[str, frozenset[str]]:
    """Every key that core and readers of amendments ask for, with the names that all callers give."""
    found: dict[str, frozenset[str]] = {}
    for file in sorted([*CORE.rglob("*.py"), *(CORE.parent / "daemon" / "requests").glob("*.py")]):
        game = file.parent.name if file.parent.parent.name == "games" else "any"  # what games share has no game
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for key, given in asked_by(node, game):
                found[key] = found.get(key, given) & given
    return found


def text_of(key: str, language: Language) -> str | None:
    """A game's own text, or the one that it shares."""
    texts = words.catalogue(language)
    return texts.get(key, texts.get(words.shared(key)))


def holes(template: str) -> frozenset[str]:
    """The placeholders in a text."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name is not None)


ASKED = asked()


def test_scan_finds_the_keys_it_is_known_to_need() -> None:
    assert {
        "refuse.stale_screen",
        "refuse.no_such_fault",
        "refuse.q_poker.decisions_first",
        "refuse.q_poker.hands_first",
        "refuse.any.stake_outside_limits",
        "irregular.q_poker.pack_not_shuffled",
        "irregular.q_poker.mended",
        "prompt.q_poker.open_dealer",
        "fault.link_lost.text",
    } <= ASKED.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_saying_of_the_core_has_its_text(language: Language) -> None:
    assert sorted(key for key in ASKED if text_of(key, language) is None) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_asks_for_value_that_core_does_not_give(language: Language) -> None:
    texts = {key: text_of(key, language) or "" for key in ASKED}
    assert {key: extra for key, given in ASKED.items() if (extra := holes(texts[key]) - given)} == {}


def test_every_refusal_irregularity_and_prompt_is_used() -> None:
    kinds = ("refuse.", "irregular.", "prompt.")
    wanted = {key if key in words.catalogue("en") else words.shared(key) for key in ASKED}
    wanted |= {f"irregular.{game}.no_bets" for game in GAMES}  # A round that is ended without bets is void for it.
    assert sorted(key for key in words.catalogue("en") if key.startswith(kinds) and key not in wanted) == []


def test_every_phrase_of_feed_and_demo_is_used() -> None:
    files = (file for room in ("history", "features") for file in (CORE.parent / room).rglob("*.py"))
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    # Their last name is a value's.
    made = ("tail.by.", "tail.column.", "tail.material.", "tail.status.", "demo.reason.", "demo.staged.")
    kept = [key for key in words.catalogue("en") if key.startswith(("tail.", "demo.")) and not key.startswith(made)]
    assert kept
    assert [key for key in kept if key not in code and f'"{key.partition(".")[2]}"' not in code] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_tells_dealer_and_technician_what_to_do(language: Language) -> None:
    needed = {f"fault.{entry.key}.{part}" for entry in CATALOGUE.values() for part in ("text", "dealer", "technician")}
    assert {key for key in words.catalogue(language) if key.startswith("fault.")} == needed


@pytest.mark.parametrize(("prefix", "names"), NAMED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_member_of_a_vocabulary_has_its_name(language: Language, prefix: str, names: type[StrEnum]) -> None:
    texts = words.catalogue(language)
    assert {key for key in texts if key.startswith(f"{prefix}.")} >= {f"{prefix}.{name}" for name in names}


@pytest.mark.parametrize("language", ["pt", "zh-Hant"])
def test_all_catalogues_have_the_same_keys_in_the_same_order(language: Language) -> None:
    assert list(words.catalogue(language)) == list(words.catalogue("en"))


@pytest.mark.parametrize("language", ["pt", "zh-Hant"])
def test_all_catalogues_have_the_same_placeholders(language: Language) -> None:
    english = words.catalogue("en")
    assert {key for key, text in words.catalogue(language).items() if holes(text) != holes(english[key])} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_untrimmed_or_more_than_a_line(language: Language) -> None:
    texts = words.catalogue(language)
    assert {key for key, text in texts.items() if not text or text != text.strip() or "\n" in text} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_faults_are_clauses_and_everything_else_said_is_a_sentence(language: Language) -> None:
    said = ("refuse.", "irregular.", "prompt.", "fault.")
    ended = {key: text[-1] in ".。" for key, text in words.catalogue(language).items() if key.startswith(said)}
    clauses = {key for key in ended if key.startswith("fault.") and key.endswith(".text")}
    assert {key for key in ended if not ended[key]} == clauses


def test_chinese_is_written_in_traditional_characters() -> None:
    wrong = {key: sorted(SIMPLIFIED & set(text)) for key, text in words.catalogue("zh-Hant").items()}
    assert {key: found for key, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("key", "portuguese", "chinese"),
    [
        ("hand.q_poker.straight_flush", "Sequência de Naipe", "同花順"),
        ("hand.q_poker.three_of_a_kind", "Três cartas iguais", "三條"),
        ("hand.q_poker.straight", "Sequência", "順"),
        ("hand.q_poker.flush", "Naipe ou Cor", "同花"),
        ("hand.q_poker.pair", "Par", "一對"),
        ("hand.q_poker.high_card", "Três cartas diferentes", "三張散牌"),
        ("bet.q_poker.pair_or_better", "Par e combinações vitoriosas", "多寶"),
        ("role.dealer", "«croupier»", "莊荷"),
        ("device.shoe", "«sabot»", "派牌盒"),
        ("device.shuffler", "baralhador", "洗牌機"),
    ],
)
def test_terms_are_those_of_the_law(key: str, portuguese: str, chinese: str) -> None:
    rendered = words.say(saying(key))
    assert (rendered["pt"], rendered["zh-Hant"]) == (portuguese, chinese)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_renders_without_brace_or_doubled_word(language: Language) -> None:
    wrong: list[str] = []
    for key, form in words.catalogue(language).items():
        fields = {name for _, name, _, _ in Formatter().parse(form) if name}
        for number in ("1", "2"):
            shown = words.text(key, language, **dict.fromkeys(fields, number))
            bare = words.text(key, language, **{name: f"<{name}>" for name in fields})
            doubled = re.search(r"\b([^\W\d_]{2,}) \1\b", bare.replace("sudo -u tablectl tablectl", ""))
            if "{" in shown or "}" in shown or doubled:
                wrong.append(f"{key}: {shown}")
    assert not wrong


@pytest.mark.parametrize("language", ["en", "pt"])
def test_one_of_a_kind_is_never_a_plural(language: Language) -> None:
    # Told again after lines that code has put together, or never with one: limits and settings.
    put_together = ("config.", "heard.", "cli.proof.", "cli.click.", "cli.error.", "cli.usage.", "cli.record.")
    limits = ("refuse.too_many_changes", "refuse.any.no_such_place", "refuse.football_poker.cards_unknown")
    apart = (*put_together, *limits, "page.surveillance.times", "explain.times", "fairness.stream.sums")
    several = plurals(language)
    wrong: list[str] = []
    for key, form in words.catalogue(language).items():
        fields = {name for _, name, _, _ in Formatter().parse(form) if name}
        shown = words.text(key, language, **dict.fromkeys(fields, "1"))
        if not key.startswith(apart) and several.search(shown):
            wrong.append(f"{key}: {shown}")
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reason_that_stands_alone_shows_a_placeholder(language: Language) -> None:
    reasons = [key.split(".") for key in words.catalogue(language) if key.startswith("irregular.")]
    shown = [Speech(language).term("irregular", name, game) for _, game, name in reasons]
    assert [text for text in shown if "{" in text] == []
