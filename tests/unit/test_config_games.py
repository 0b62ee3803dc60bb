"""The games in the settings: which the lobby offers, which is the default, and games of the owner's own."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from cabinet.config import Settings, SettingsError, game_by_name, load, load_or_last_good, sample
from cabinet.engine.games import CATALOGUE, SPIT, Game, game_named
from cabinet.engine.rules import PROFILES, Options, rules_of
from cabinet.games import GamesSettings, UnknownGameError

EVERY_NAME = ", ".join(f'"{name}"' for name in CATALOGUE)
PARTY = """[games]
default = "party"
allowed = ["speed", "party", "spit"]
[games.own.party]
game = "spit"
stock = 4
colours = "alternate"
"""


def loaded(text: str, tmp_path: Path) -> Settings:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def mistakes_in(text: str, tmp_path: Path) -> list[str]:
    """The mistakes that `load` reports, without the file's name."""
    with pytest.raises(SettingsError) as caught:
        loaded(text, tmp_path)
    return [line.removeprefix(f"{tmp_path}/settings.toml:") for line in str(caught.value).splitlines()]


def names(settings: Settings) -> list[str]:
    return [game.name for game in settings.playable()]


def chosen(settings: Settings) -> str:
    return settings.playable()[settings.default_game].name


# What is played


def test_without_settings_spit_is_the_default_and_the_lobby_offers_its_variants_and_speed() -> None:
    settings = Settings()
    assert names(settings) == ["spit", "four_piles", "two_colours", "choice", "points", "speed"]
    assert settings.playable()[settings.default_game] == SPIT
    assert settings.notes() == ()


def test_the_owner_sets_the_default_the_list_in_its_order_and_a_game_of_their_own(tmp_path: Path) -> None:
    settings = loaded(PARTY, tmp_path)
    assert names(settings) == ["speed", "party", "spit"]
    assert chosen(settings) == "party"
    assert settings.playable()[1] == Game("party", rules_of("spit", Options(stock=4, colours="alternate")))


def test_the_options_of_rules_hold_where_a_game_itself_says_nothing(tmp_path: Path) -> None:
    text = f'[rules]\nprofile = "table"\nstock = 4\nhint_ms = 7\n{PARTY}stock = 5\n'.replace(
        "stock = 4\ncolo", "colo"
    )
    options = msgspec.structs.replace(PROFILES["table"], stock=4, hint_ms=7)
    settings = loaded(text, tmp_path)
    party = msgspec.structs.replace(options, stock=5, colours="alternate")
    assert settings.playable() == (
        Game("speed", rules_of("speed", options)),
        Game("party", rules_of("spit", party)),
        Game("spit", rules_of("spit", options)),
    )
    assert game_by_name(settings, "choice").rules == rules_of(
        "spit", msgspec.structs.replace(options, slap="winner")
    )


def test_rules_may_stand_below_the_games(tmp_path: Path) -> None:
    settings = loaded(f"{PARTY}[rules]\nhint_ms = 7\n", tmp_path)
    assert [game.rules.hint_ms for game in settings.playable()] == [7, 7, 7]


def test_an_own_game_is_spit_where_it_does_not_say_and_speed_where_it_does(tmp_path: Path) -> None:
    settings = loaded('[games.own.one]\npairs = true\n[games.own.two]\ngame = "speed"\n', tmp_path)
    assert game_by_name(settings, "one").rules == rules_of("spit", Options(pairs=True))
    assert game_by_name(settings, "two").rules == rules_of("speed", Options())


def test_options_that_do_nothing_in_a_game_are_accepted(tmp_path: Path) -> None:
    text = '[games.own.quick]\ngame = "speed"\nstock = 4\nslap = "winner"\n[games.own.slow]\ndeal = 20\n'
    settings = loaded(text, tmp_path)
    assert game_by_name(settings, "quick").rules.stock == 4
    assert game_by_name(settings, "slow").rules.deal == 20


@pytest.mark.parametrize("name", ["a", "Ātrā spēle", "Þrír á móti", "Rýchla – 4", "A&B (4)!", "x" * 24])
def test_an_own_game_is_called_as_its_owner_likes(name: str, tmp_path: Path) -> None:
    settings = loaded(f'[games]\nallowed = ["{name}"]\n[games.own."{name}"]\nstock = 4\n', tmp_path)
    assert names(settings) == [name]


def test_where_spit_is_not_allowed_and_no_default_is_set_it_is_the_first_of_the_list(tmp_path: Path) -> None:
    settings = loaded('[games]\nallowed = ["speed", "points"]\n', tmp_path)
    assert chosen(settings) == settings.games.default == "speed"
    assert chosen(loaded('[games]\nallowed = ["speed", "spit"]\n', tmp_path)) == "spit"


def test_a_game_by_its_name_need_not_be_in_the_lobby(tmp_path: Path) -> None:
    settings = loaded(PARTY, tmp_path)
    assert game_by_name(settings, "party") == settings.playable()[1]
    assert game_by_name(settings, "speed_20") == game_named("speed_20", settings.rules)


def test_an_unknown_name_is_one_line_with_the_nearest_and_all_there_are(tmp_path: Path) -> None:
    settings = loaded(PARTY, tmp_path)
    for name, near in (("parti", ' (the nearest is "party")'), ("whist", "")):
        with pytest.raises(UnknownGameError) as caught:
            game_by_name(settings, name)
        assert str(caught.value) == f'there is no game "{name}"{near}; allowed: {EVERY_NAME}, "party"'


def test_an_unknown_name_stays_one_line_whatever_it_holds() -> None:
    with pytest.raises(UnknownGameError, match=r'^there is no game "a\\nb\\u001b\\u202e"; allowed: .*$'):
        game_by_name(Settings(), "a\nb\x1b\u202e")


# Mistakes


def test_all_mistakes_about_games_are_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = """[games]
default = "parti"
allowed = ["spit", "sped", "spit", "whist", "party"]
[games.own.party]
game = "spat"
stok = 4
pairs = "yes"
slap_delay_ms = [5, 2]
[games.own.speed]
deal = 20
"""
    assert mistakes_in(text, tmp_path) == [
        '2: games.default: found "parti", which is no game; allowed: "party", the nearest known name',
        '3: games.allowed: found "spit" 2 times; allowed: each game once',
        '3: games.allowed: found "sped", which is no game; allowed: "speed", the nearest known name',
        f'3: games.allowed: found "whist", which is no game; allowed: {EVERY_NAME}, "party"',
        '5: games.own.party.game: found "spat"; allowed: "speed" or "spit"',
        "6: games.own.party.stok: found an unknown key; allowed: stock, the nearest known name",
        '7: games.own.party.pairs: found "yes"; allowed: true or false',
        "8: games.own.party.slap_delay_ms: found [5, 2]; allowed: values that agree (slap_delay_ms: 5 is above 2)",
        '9: games.own.speed: found a second game with the name "speed"; allowed: a name that no other game has',
    ]


def test_a_default_that_the_lobby_does_not_offer_is_told_with_what_it_offers(tmp_path: Path) -> None:
    assert mistakes_in('[games]\nallowed = ["spit", "points"]\ndefault = "speed"\n', tmp_path) == [
        '3: games.default: found "speed"; allowed: a game of games.allowed ("spit", "points"), or add it there'
    ]


def test_an_empty_list_is_told(tmp_path: Path) -> None:
    assert mistakes_in('[games]\nallowed = []\ndefault = "pairs"\n', tmp_path) == [
        "2: games.allowed: found []; allowed: a list in [brackets], each a text in quotes, at least 1 of them"
    ]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("", "a name of 0 characters"),
        ("x" * 25, "a name of 25 characters"),
        ("a\\tb", "a name with a character that cannot be shown"),
        ("a\\u202Eb", "a name with a character that cannot be shown"),
        (" x", "a name with a space at its end"),
        ("Four  PILES", 'a second game with the name "four_piles"'),
        ("ｓｐｉｔ", 'a second game with the name "spit"'),
        ("PARTY", 'a second game with the name "party"'),
    ],
)
def test_a_name_that_cannot_be_shown_or_is_taken_is_told(name: str, found: str, tmp_path: Path) -> None:
    (mistake,) = mistakes_in(f'[games.own.party]\n[games.own."{name}"]\nstock = 4\n', tmp_path)
    assert mistake.startswith("2: games.own.")
    assert f": found {found}; allowed: a name " in mistake


def test_one_mistake_in_an_own_game_is_not_also_told_as_an_unknown_game(tmp_path: Path) -> None:
    text = '[games]\nallowed = ["party"]\n[games.own]\nparty = 4\n'
    (mistake,) = mistakes_in(text, tmp_path)
    assert mistake.startswith("4: games.own.party: found 4; allowed: a table with the keys stock, ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("games = 3", 1),
        ("[games]\nown = 3", 2),
        ("[games]\nallowed = 3\ndefault = 'pairs'", 2),
        ("[games]\ndefault = 3\nallowed = ['points']", 2),
    ],
)
def test_a_section_of_the_wrong_kind_is_one_mistake(text: str, line: int, tmp_path: Path) -> None:
    (mistake,) = mistakes_in(text, tmp_path)
    assert re.match(rf"{line}: games(\.\w+)?: found 3; allowed: a ", mistake)


def test_mistakes_about_games_bring_back_the_last_good_ones(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(PARTY)
    load_or_last_good(path, tmp_path / "state")
    path.write_text(PARTY.replace('"party"', '"parti"'))
    settings, lines = load_or_last_good(path, tmp_path / "state")
    assert chosen(settings) == "party"
    assert len(lines) == 3


# Files of version 0.1.0


@pytest.mark.parametrize("game", ["spit", "speed"])
def test_an_old_file_says_the_default_among_the_rules(game: str, tmp_path: Path) -> None:
    settings = loaded(f'[rules]\ngame = "{game}"\nstock = 4\n', tmp_path)
    assert chosen(settings) == game
    assert settings.rules == Options(stock=4)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (
            '[rules]\ngame = "points"\n',
            '2: rules.game: found "points"; allowed: "speed" or "spit"; '
            "any other game is chosen by default in [games]",
        ),
        (
            '[rules]\ngame = "spit"\n[games]\ndefault = "speed"\n',
            '2: rules.game: found "spit"; allowed: no such key beside games.default, "speed"',
        ),
        (
            '[rules]\ngame = "speed"\n[games]\nallowed = ["spit"]\n',
            '2: rules.game: found "speed"; allowed: a game of games.allowed ("spit"), or add it there',
        ),
    ],
)
def test_an_old_key_that_cannot_be_followed_is_one_mistake(text: str, mistake: str, tmp_path: Path) -> None:
    assert mistakes_in(text, tmp_path) == [mistake]


def test_an_old_key_that_says_the_same_as_the_new_one_does_no_harm(tmp_path: Path) -> None:
    assert chosen(loaded('[rules]\ngame = "speed"\n[games]\ndefault = "speed"\n', tmp_path)) == "speed"


# Notes and the sample


def test_an_own_game_that_the_lobby_does_not_offer_is_noted(tmp_path: Path) -> None:
    settings = loaded("[games.own.party]\nstock = 4\n", tmp_path)
    assert settings.notes() == ('games.allowed does not name "party", so the lobby does not offer it',)


def test_hidden_hands_are_accepted_and_noted_where_they_are_played(tmp_path: Path) -> None:
    settings = loaded('[rules]\nhands = "hidden"\n', tmp_path)
    assert game_by_name(settings, "speed").rules.hands == "hidden"
    assert settings.notes() == (
        '"speed" has hands = "hidden", which takes a screen for each player: '
        "one that both look at shows the backs of both hands",
    )
    assert loaded('[rules]\nhands = "hidden"\n[games]\nallowed = ["spit"]\n', tmp_path).notes() == ()


def test_the_sample_s_own_game_is_one(tmp_path: Path) -> None:
    assert "\n## Games of your own, by their names.\n[games.own]\n" in sample()
    example = re.findall(r"^##   (.+)$", sample(), flags=re.MULTILINE)
    settings = loaded("\n".join(example), tmp_path)
    assert settings.games == GamesSettings(own={"party": rules_of("spit", Options(stock=4, colours="alternate"))})


def test_the_sample_names_every_built_in_game_with_its_options() -> None:
    text = " ".join(line.removeprefix("## ") for line in sample().splitlines())
    assert "Built-in: spit (Spit); four_piles (Spit, stock = 4); " in text
    assert all(f" {name} (" in text for name in CATALOGUE)


def test_the_readme_s_games_and_example_are_those_of_the_program(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| game | how it is played |\n|---|---|\n")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)`", table, flags=re.MULTILINE) == list(CATALOGUE)
    unlisted = re.findall(r"^\| `(\w+)` \(\*\)", table, flags=re.MULTILINE)
    assert set(unlisted) == CATALOGUE.keys() - set(GamesSettings().allowed)
    (example,) = re.findall(r"```toml\n(.+?)```", readme, flags=re.DOTALL)
    settings = loaded(example, tmp_path)
    assert names(settings) == ["spit", "speed", "Kaķu spēle"]
    assert settings.notes() == ()
