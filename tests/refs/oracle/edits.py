"""Random edits of programs: near the pinned piece, inside it, and of its name and place."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from tests.refs.oracle import changes
from tests.refs.oracle.make import Maker
from tests.refs.oracle.model import (
    DOCUMENTS,
    SUFFIX,
    Class,
    File,
    Function,
    Item,
    Spot,
    Text,
    Tree,
    blocks,
    definitions,
    find,
    parts_of,
    put_in,
    renamed,
    with_block,
    with_definition,
    with_file,
    with_statement,
)


@dataclass(frozen=True, slots=True)
class Editor:
    """Edits a tree with a pinned definition or pinned statements. An edit that does not apply leaves the tree unchanged."""

    make: Maker
    random: Random
    target: int  # the pinned definition, or the one around the pinned statements

    # -- elsewhere ------------------------------------------------------------------------------------

    def nothing(self, tree: Tree) -> Tree:
        return tree

    def insert_definition(self, tree: Tree) -> Tree:
        file = self.random.choice(tree)
        place = self.random.randint(0, len(file.items))
        new = self.make.item(file.language)
        return with_file(tree, file.id, replace(file, items=(*file.items[:place], new, *file.items[place:])))

    def insert_file(self, tree: Tree) -> Tree:
        language = tree[0].language
        path = f"new/part{self.make.id()}.{SUFFIX[language]}"
        return (*tree, File(self.make.id(), path, language, (self.make.item(language),)))

    def delete_other(self, tree: Tree) -> Tree:
        spot = self._other(tree)
        return tree if spot is None else with_definition(tree, spot.node.id)

    def edit_other(self, tree: Tree) -> Tree:
        spot = self._other(tree)
        if spot is None or isinstance(spot.node, Class):
            return tree
        return with_definition(tree, spot.node.id, self.edited(spot.node, spot.file.language))

    def reorder_definitions(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None:
            return tree
        items = list(spot.file.items)
        self.random.shuffle(items)
        if spot.around is not None:
            methods = list(spot.around.methods)
            self.random.shuffle(methods)
            items = [replace(item, methods=tuple(methods)) if item is spot.around else item for item in items]
        return with_file(tree, spot.file.id, replace(spot.file, items=tuple(items)))

    # -- inside ---------------------------------------------------------------------------------------

    def edit(self, tree: Tree) -> Tree:
        return self._inside(tree, self.edited)

    def change_number(self, tree: Tree) -> Tree:
        return self._inside(tree, lambda function, _: self._rewritten(function, changes.number))

    def change_operator(self, tree: Tree) -> Tree:
        return self._inside(tree, lambda function, _: self._rewritten(function, changes.sign))

    def swap_operands(self, tree: Tree) -> Tree:
        return self._inside(tree, lambda function, _: self._rewritten(function, changes.operands))

    def swap_arguments(self, tree: Tree) -> Tree:
        return self._inside(tree, lambda function, _: self._rewritten(function, changes.arguments))

    def regroup(self, tree: Tree) -> Tree:
        """The same words in other brackets."""
        return self._inside(tree, lambda function, _: self._rewritten(function, changes.regrouped))

    def insert_statement(self, tree: Tree) -> Tree:
        def inserted(function: Function, language: str) -> Function:
            block = self.random.choice(list(blocks(function)))
            place = self.random.randint(0, len(block))
            return with_block(function, block, (*block[:place], self.make.statement(language), *block[place:]))

        return self._inside(tree, inserted)

    def extend_block(self, tree: Tree) -> Tree:
        """One more statement at the end of a block in it."""

        def extended(function: Function, language: str) -> Function:
            inner = list(blocks(function))[1:]
            if not inner:
                return function
            block = self.random.choice(inner)
            return with_block(function, block, (*block, self.make.statement(language)))

        return self._inside(tree, extended)

    def repeat_statement(self, tree: Tree) -> Tree:
        def repeated(function: Function, _: str) -> Function:
            block = self.random.choice(list(blocks(function)))
            start = self.random.randrange(len(block))
            again = [self.make.again(statement) for statement in block[start : start + self.random.randint(1, 2)]]
            place = self.random.randint(0, len(block))
            return with_block(function, block, (*block[:place], *again, *block[place:]))

        return self._inside(tree, repeated)

    def repeat_elsewhere(self, tree: Tree) -> Tree:
        """Copy some of its statements to another function in its file."""
        spot, other = find(tree, self.target), self._other(tree)
        if spot is None or other is None or other.file.id != spot.file.id:
            return tree
        if isinstance(spot.node, Class) or isinstance(other.node, Class):
            return tree
        again = tuple(self.make.again(statement) for statement in spot.node.body)
        place = self.random.randint(0, len(other.node.body))
        body = (*other.node.body[:place], *again, *other.node.body[place:])
        return with_definition(tree, other.node.id, replace(other.node, body=body))

    def delete_statement(self, tree: Tree) -> Tree:
        def shortened(function: Function, _: str) -> Function:
            block = self.random.choice(
                [candidate for candidate in blocks(function) if len(candidate) > 1] or [function.body]
            )
            place = self.random.randrange(len(block)) if len(block) > 1 else 1
            return with_block(function, block, (*block[:place], *block[place + 1 :]))

        return self._inside(tree, shortened)

    def swap_statements(self, tree: Tree) -> Tree:
        def swapped(function: Function, _: str) -> Function:
            block = self.random.choice(
                [candidate for candidate in blocks(function) if len(candidate) > 1] or [function.body]
            )
            places = self.random.sample(range(len(block)), min(2, len(block)))
            new = list(block)
            new[places[0]], new[places[-1]] = new[places[-1]], new[places[0]]
            return with_block(function, block, tuple(new))

        return self._inside(tree, swapped)

    def change_head(self, tree: Tree) -> Tree:
        """Change parameters, or what is above the definition."""

        def changed(function: Function, language: str) -> Function:
            if language in DOCUMENTS:
                return function
            if language in ("python", "java") and self.random.random() < 0.3:
                return replace(function, marks=() if function.marks else ("Traced",))
            if len(function.parameters) > 1 and self.random.random() < 0.5:
                return replace(function, parameters=function.parameters[::-1])
            return replace(function, parameters=(*function.parameters, "further"))

        return self._inside(tree, changed)

    def change_field(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None or not isinstance(spot.node, Class):
            return tree
        fields = spot.node.fields
        new = (*fields, ("added", 7)) if self.random.random() < 0.5 else ((fields[0][0], fields[0][1] + 1), *fields[1:])
        return with_definition(tree, spot.node.id, replace(spot.node, fields=new))

    # -- its name and place ---------------------------------------------------------------------------

    def rename(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None:
            return tree
        name = self.make.name(["Renamed" if isinstance(spot.node, Class) else "renamed"])
        return with_definition(tree, spot.node.id, renamed(spot.node, name))

    def rename_around(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None or spot.around is None:
            return tree
        return with_definition(tree, spot.around.id, replace(spot.around, name=self.make.name(["Other"])))

    def move_to_class(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None or isinstance(spot.node, Class):
            return tree
        homes = [
            candidate.node
            for candidate in definitions(tree)
            if isinstance(candidate.node, Class) and candidate.node is not spot.around
        ]
        if spot.around is None and spot.file.language != "python":
            return tree  # functions and methods are written differently in some languages
        if not homes:
            return tree
        home = self.random.choice(homes)
        tree = with_definition(tree, spot.node.id)
        new = find(tree, home.id)
        assert new is not None and isinstance(new.node, Class)
        place = self.random.randint(0, len(new.node.methods))
        methods = (*new.node.methods[:place], spot.node, *new.node.methods[place:])
        return with_definition(tree, home.id, replace(new.node, methods=methods))

    def move_to_file(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None:
            return tree
        item: Item = spot.around or spot.node  # a method moves with its class
        if self.random.random() < 0.3 or len(tree) < 2:
            tree = self.insert_file(tree)
        file = self.random.choice([other_file for other_file in tree if other_file.id != spot.file.id])
        place = self.random.randint(0, len(file.items))
        tree = with_file(tree, file.id, replace(file, items=(*file.items[:place], item, *file.items[place:])))
        left = tuple(other_item for other_item in spot.file.items if other_item.id != item.id)
        return with_file(tree, spot.file.id, replace(spot.file, items=left))

    def rename_file(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None:
            return tree
        path = f"other/part{self.make.id()}.{SUFFIX[spot.file.language]}"
        return with_file(tree, spot.file.id, replace(spot.file, path=path))

    def delete(self, tree: Tree) -> Tree:
        return with_definition(tree, self.target)

    def delete_file(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        return tree if spot is None else with_file(tree, spot.file.id)

    def add_again(self, tree: Tree) -> Tree:
        """Delete it, and write it again under its name: the same, or different."""
        spot = find(tree, self.target)
        if spot is None:
            return tree
        new = self.make.copy(spot.node)
        if self.random.random() < 0.5 and isinstance(new, Function):
            new = replace(self.make.function(spot.file.language), name=new.name)
        return with_definition(tree, spot.node.id, new)

    def copy_here(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None:
            return tree
        new = self.make.copy(spot.node, self.make.name(["Copy" if isinstance(spot.node, Class) else "copy"]))
        both = [spot.node, new]
        self.random.shuffle(both)
        return with_definition(tree, spot.node.id, *both)

    def copy_to_file(self, tree: Tree) -> Tree:
        spot = find(tree, self.target)
        if spot is None or (spot.around is None and spot.file.language == "java" and isinstance(spot.node, Function)):
            return tree
        others = [file for file in tree if file.id != spot.file.id]
        if not others:
            return tree
        file = self.random.choice(others)
        new = self.make.copy(spot.around or spot.node)
        return with_file(tree, file.id, replace(file, items=(*file.items, new)))

    # -- how --------------------------------------------------------------------------------------------

    def edited(self, function: Function, language: str) -> Function:
        """Change one thing in it."""
        if language in DOCUMENTS:
            return self._word(function)
        for change in self.random.sample(changes.CHANGES, len(changes.CHANGES)):
            rewritten = self._rewritten(function, change)
            if rewritten != function:
                return rewritten
        return function

    def _word(self, function: Function) -> Function:
        statement = self.random.choice(function.body)
        words = statement.value.value.split(" ") if isinstance(statement.value, Text) else []
        words[self.random.randrange(len(words))] = self.random.choice(("never", "always", "twice")) + str(
            self.make.id()
        )
        return with_statement(function, replace(statement, value=Text(" ".join(words))))

    def _rewritten(self, function: Function, change: changes.Change) -> Function:
        """Change one of the expressions to which this change applies."""
        every = [
            (statement, expression, new)
            for block in blocks(function)
            for statement in block
            for expression in parts_of(statement.value)
            for new in [change(expression, self.random)]
            if new is not None and new != expression
        ]
        if not every:
            return function
        statement, expression, new = self.random.choice(every)
        return with_statement(function, replace(statement, value=put_in(statement.value, expression, new)))

    def _inside(self, tree: Tree, change: Callable[[Function, str], Function]) -> Tree:
        spot = find(tree, self.target)
        if spot is None:
            return tree
        function: Item = spot.node
        if isinstance(function, Class):
            if not function.methods:
                return tree
            function = self.random.choice(function.methods)
        return with_definition(tree, function.id, change(function, spot.file.language))

    def _other(self, tree: Tree) -> Spot | None:
        own = find(tree, self.target)
        keep = {self.target} | ({own.around.id} if own and own.around else set())
        inner = {method.id for method in own.node.methods} if own and isinstance(own.node, Class) else set()
        spots = [spot for spot in definitions(tree) if spot.node.id not in keep | inner]
        return self.random.choice(spots) if spots else None


AROUND = ("nothing", "insert_definition", "insert_file", "delete_other", "edit_other", "reorder_definitions")
INSIDE = (
    "edit",
    "change_number",
    "change_operator",
    "swap_operands",
    "swap_arguments",
    "regroup",
    "insert_statement",
    "extend_block",
    "repeat_statement",
    "delete_statement",
    "swap_statements",
    "change_head",
    "change_field",
)
PLACE = (
    "rename",
    "rename_around",
    "move_to_class",
    "move_to_file",
    "rename_file",
    "delete",
    "delete_file",
    "add_again",
    "copy_here",
    "copy_to_file",
    "repeat_elsewhere",
)
EDITS = (*AROUND, *INSIDE, *PLACE)
