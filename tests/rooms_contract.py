"""The import-linter contract "rooms": each room imports of ours only what its line allows (HOUSE.md, Rooms).

A room that is not built yet is passed over, and is held to its line from the day it appears.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class RoomsContract(Contract):
    """What each room may import of our own packages, and what no pure room may import at all."""

    type_name: ClassVar[str] = "rooms"
    rooms: Any = fields.ListField(subfield=fields.StringField())
    """One line a room: ``cabinet.panel: cabinet.engine, cabinet.buttons.edges``. Itself is always allowed."""
    on_top: Any = fields.ListField(subfield=fields.StringField())
    """Rooms without a line: they may import any other."""
    pure: Any = fields.ListField(subfield=fields.StringField())
    """Modules that know no clock, pin, thread or screen, nor any of ours that does."""
    impure_imports: Any = fields.ListField(subfield=fields.StringField())
    """What those modules may not import."""
    pure_although: Any = fields.ListField(subfield=fields.StringField(), required=False)
    """``cabinet.room -> module``: imported, but not for its clock, pin, thread or screen."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Finds every import that no line allows."""
        output.verbose_print(verbose, f"{len(self.rooms)} rooms, {len(self.pure)} of them pure")
        wrong = [*self._unknown(graph), *self._imports_not_allowed(graph), *self._impure_imports(graph)]
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Prints one line for each wrong import."""
        for line in check.metadata["wrong"]:
            output.print_error(line, bold=False)

    def _unknown(self, graph: ImportGraph) -> Iterator[str]:
        ours = tuple(self.session_options["root_packages"])
        known = [line.partition(":")[0] for line in self.rooms] + list(self.on_top)
        for module in sorted(graph.modules):
            if _is_within(module, ours) and module not in ours and not _is_within(module, known):
                yield f"{module} has no line among the rooms, and is not on top"

    def _imports_not_allowed(self, graph: ImportGraph) -> Iterator[str]:
        ours = tuple(self.session_options["root_packages"])
        for line in self.rooms:
            room, _, allowed_text = line.partition(":")
            allowed = [room, *(name.strip() for name in allowed_text.split(",") if name.strip())]
            for importer, imported in _imports_of(graph, room):
                if _is_within(imported, ours) and not _is_within(imported, allowed):
                    yield f"{importer} imports {imported}; {room} may import {', '.join(allowed)}"

    def _impure_imports(self, graph: ImportGraph) -> Iterator[str]:
        ours = tuple(self.session_options["root_packages"])
        although = set(self.pure_although or ())
        for module in self.pure:
            for importer, imported in _imports_of(graph, module):
                if f"{importer} -> {imported}" in although:
                    continue
                if _is_within(imported, self.impure_imports):
                    yield f"{importer} imports {imported}; {module} is pure"
                elif _is_within(imported, ours) and not _is_within(imported, self.pure):
                    yield f"{importer} imports {imported}, which is not pure; {module} is"


def _imports_of(graph: ImportGraph, room: str) -> list[tuple[str, str]]:
    importers = [module for module in graph.modules if _is_within(module, [room])]
    return sorted(
        (importer, imported)
        for importer in importers
        for imported in graph.find_modules_directly_imported_by(importer)
    )


def _is_within(module: str, packages: list[str] | tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)
