"""Pictures that can be made again: those used last are kept, as far as there is room for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import pygame

Key = tuple[object, ...]


class Shelf:
    """Keeps pictures up to a number of bytes, and forgets first what was used longest ago. Not thread-safe."""

    def __init__(self, room_bytes: int) -> None:
        """`room_bytes`: the newest picture is kept even if it alone is larger."""
        self._room_bytes = room_bytes
        self._taken_bytes = 0
        self._pictures: OrderedDict[Key, pygame.Surface] = OrderedDict()

    def get(self, key: Key, draw: Callable[[], pygame.Surface]) -> pygame.Surface:
        """The picture under that key, drawn if it is not there (any more)."""
        picture = self._pictures.get(key)
        if picture is not None:
            self._pictures.move_to_end(key)
            return picture
        picture = self._pictures[key] = draw()
        self._taken_bytes += size_bytes(picture)
        while self._taken_bytes > self._room_bytes and len(self._pictures) > 1:
            _, forgotten = self._pictures.popitem(last=False)
            self._taken_bytes -= size_bytes(forgotten)
        return picture

    def __len__(self) -> int:
        return len(self._pictures)


def size_bytes(picture: pygame.Surface) -> int:
    """How much memory a picture takes."""
    return int(picture.get_pitch()) * int(picture.get_height())


def screens(size: tuple[int, int], share: float) -> int:
    """The bytes of so many whole screens of a size."""
    return round(size[0] * size[1] * 4 * share)
