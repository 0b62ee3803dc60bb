"""Pictures that can be made again are kept as far as there is room."""

from __future__ import annotations

import pygame

from display.shelf import Shelf, screens, size_bytes


def picture(side: int) -> pygame.Surface:
    return pygame.Surface((side, side), depth=32)


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    shelf = Shelf(2 * size_bytes(picture(10)))
    drawn: list[str] = []

    def get(name: str) -> pygame.Surface:
        def draw() -> pygame.Surface:
            drawn.append(name)
            return picture(10)

        return shelf.get((name,), draw)

    first = get("a")
    get("b")
    assert get("a") is first
    get("c")
    assert get("a") is first
    get("b")
    assert drawn == ["a", "b", "c", "b"]
    assert len(shelf) == 2


def test_a_picture_larger_than_the_room_is_kept_alone() -> None:
    shelf = Shelf(100)
    small = shelf.get(("small",), lambda: picture(2))
    large = shelf.get(("large",), lambda: picture(50))
    assert shelf.get(("large",), lambda: picture(1)) is large
    assert len(shelf) == 1
    assert shelf.get(("small",), lambda: picture(2)) is not small


def test_room_is_counted_in_whole_screens() -> None:
    assert screens((1920, 1080), 1.0) == size_bytes(pygame.Surface((1920, 1080), depth=32))
