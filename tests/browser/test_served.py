from tests.browser.served import Served

from waypost import config
from waypost.embed.fake import FakeEngine
from waypost.embed.minilm import Minilm
from waypost.memory.spaces import _shared_engine


def test_the_server_keeps_its_fake_engine_to_itself(served: Served) -> None:
    """It outlives the tests of this folder: whoever comes after them in the same process has the real ones."""
    own = served.memory.space.settings
    assert isinstance(_shared_engine("minilm", own), FakeEngine)
    assert isinstance(_shared_engine("minilm", config.load()), Minilm)
