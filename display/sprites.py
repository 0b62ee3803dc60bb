"""What is on the screen, as a list; between two frames only what changed is painted again."""

from __future__ import annotations

from typing import NamedTuple

import pygame

ADD = pygame.BLEND_RGB_ADD
"""Light on top of what is there."""


class Sprite(NamedTuple):
    """One picture at one place. Later sprites lie above earlier ones."""

    picture: pygame.Surface
    x: int
    y: int
    flags: int = 0
    """0, or `ADD` for light."""
    alpha: int = 255

    def rect(self) -> pygame.Rect:
        """The pixels it covers."""
        return pygame.Rect((self.x, self.y), self.picture.get_size())


_Key = tuple[int, int, int, int, int]


class Compositor:
    """Paints lists of sprites onto one surface. Not thread-safe."""

    def __init__(self) -> None:
        self._shown: list[Sprite] = []
        self._keys: list[_Key] = []

    def forget(self) -> None:
        """Paint everything the next time."""
        self._shown, self._keys = [], []

    def draw(self, target: pygame.Surface, sprites: list[Sprite]) -> list[pygame.Rect]:
        """Bring the surface from the last list to this one; the places that changed."""
        keys = [(id(sprite.picture), sprite.x, sprite.y, sprite.flags, sprite.alpha) for sprite in sprites]
        if keys == self._keys:
            return []
        whole = target.get_rect()
        dirty = _merged(self._changed(sprites, keys), whole) if self._shown else [whole]
        self._shown, self._keys = sprites, keys
        rects = [sprite.rect() for sprite in sprites]
        for region in dirty:
            _paint(target, region, sprites, rects)
        target.set_clip(None)
        return dirty

    def _changed(self, sprites: list[Sprite], keys: list[_Key]) -> list[pygame.Rect]:
        old, new = set(self._keys), set(keys)
        gone = [sprite.rect() for sprite, key in zip(self._shown, self._keys, strict=True) if key not in new]
        come = [sprite.rect() for sprite, key in zip(sprites, keys, strict=True) if key not in old]
        stayed_then = [key for key in self._keys if key in new]
        stayed_now = [key for key in keys if key in old]
        if stayed_then != stayed_now:
            come += [
                sprite.rect()
                for sprite, key, before in zip(
                    [s for s, k in zip(sprites, keys, strict=True) if k in old],
                    stayed_now,
                    stayed_then + stayed_now[len(stayed_then) :],
                    strict=False,
                )
                if key != before
            ]
        return gone + come


def _merged(rects: list[pygame.Rect], screen: pygame.Rect) -> list[pygame.Rect]:
    """The rectangles, those joined that cost less together than apart."""
    merged: list[pygame.Rect] = []
    for found in rects:
        rect = found.clip(screen)
        if not rect.w or not rect.h:
            continue
        index = 0
        while index < len(merged):
            other = merged[index]
            union = rect.union(other)
            if union.w * union.h <= 1.1 * (rect.w * rect.h + other.w * other.h):
                rect = union
                del merged[index]
                index = 0
            else:
                index += 1
        merged.append(rect)
    return merged


def _paint(target: pygame.Surface, region: pygame.Rect, sprites: list[Sprite], rects: list[pygame.Rect]) -> None:
    target.set_clip(region)
    for index in region.collidelistall(rects):
        picture, x, y, flags, alpha = sprites[index]
        if alpha != 255:
            picture.set_alpha(alpha)
            target.blit(picture, (x, y), special_flags=flags)
            picture.set_alpha(255)
        else:
            target.blit(picture, (x, y), special_flags=flags)
