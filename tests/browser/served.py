"""The whole server with the sample in it: real port, real gate, real faces, in a thread of this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.browser.sample import AGENT, Sample, build, propose
from tests.made_once import open_once

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.embed.protocol import Engine
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.session import ServedProject
from waypost.faces.serve.run import Started, run
from waypost.memory.catalog import Spaces
from waypost.memory.spaces import open_spaces

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is running. What is done to `memory` is there with the next page."""

    started: Started
    sample: Sample
    tokens: TokenFile

    @property
    def url(self) -> str:
        return self.started.url

    @property
    def memory(self) -> Memory:
        """In the hands of the person whom the browser shows."""
        return self.sample.memory()

    @property
    def agent(self) -> Memory:
        return self.sample.memory(AGENT)

    def page(self, path: str = "") -> str:
        """The address of a page of the sample's space."""
        return f"{self.url}/s/{self.memory.identity.space_id}" + (f"/{path}" if path else "")

    def remember(self, text: str, **options: Any) -> str:
        """The id of a new memory, which only the test that asked for it changes."""
        kept = self.agent.remember(text, **options).id
        assert kept is not None
        return kept

    def texts(self, **options: Any) -> list[str]:
        """What is remembered, in words."""
        return [one["text"] for one in self.memory.list(limit=1000, **options)]

    def propose(self, *texts: str) -> None:
        for text in texts:
            at = self.sample.clock.now - timedelta(minutes=30)
            propose(self.agent, f"session-{next(_numbers)}", text, at)


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Build the sample in `folder` and serve it until the block ends."""
    home = folder / "home"
    settings = config.load({"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0", "HOME": str(folder)})
    engine, stop, ready = FakeEngine(), threading.Event(), threading.Event()
    heard: list[Started] = []

    def say(started: Started) -> None:
        heard.append(started)
        ready.set()

    def work() -> None:
        project = ServedProject(sample.root, follows_roots=False, settings=settings, clock=sample.clock)
        spaces = Spaces(sample.memory(), settings, sample.clock)
        try:
            run(spaces, project, tools_of("default"), port=0, say=say, stop=stop)
        finally:
            ready.set()

    def open_own(name: str, asked: config.Settings) -> Engine:
        """Not for others: this goes on while tests of other folders run, and some of them want the real engines."""
        return engine if asked.home == home else open_once(name, asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.memory.spaces.open_engine", open_own)
        sample = build(folder / "shop", settings)
        thread = threading.Thread(target=work)
        thread.start()
        try:
            assert ready.wait(60)
            assert heard, "the server did not start"
            yield Served(heard[0], sample, TokenFile(home))
        finally:
            stop.set()
            thread.join(30)
            open_spaces.drop_all()
