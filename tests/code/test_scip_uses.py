from tests.code.test_relations import outlines_of
from tests.scip_files import scip_index

from waypost.code.resolve.tree import SymbolPlace
from waypost.code.scip_index import read_scip
from waypost.code.scip_uses import misnamed_uses, scip_uses

FILES = {
    "models.py": "class Request: ...\nclass Response: ...\n",
    "use.py": "import models\nfrom models import Request as Asked\nmodels.Response()\nAsked()\n",
}
REQUEST = "scip-python python web 1 models/Request#"
RESPONSE = "scip-python python web 1 models/Response#"


def test_an_index_that_confuses_two_names_of_the_repository_is_not_followed() -> None:
    occurrences = {
        "models.py": [(1, 6, 13, REQUEST, 1), (2, 6, 14, RESPONSE, 1)],
        "use.py": [(3, 7, 15, REQUEST, 0), (4, 0, 5, REQUEST, 0)],
    }
    documents = list(read_scip(scip_index(occurrences, {})))
    outlines = outlines_of(FILES)
    uses = scip_uses(documents, outlines, FILES)
    assert uses["use.py"].targets == {(4, "Asked"): (SymbolPlace("models.py", "Request", 1),)}  # another name for it
    assert misnamed_uses(documents, outlines, FILES) == {("use.py", 3, "Response")}


def test_of_functions_with_one_symbol_in_an_index_the_last_before_a_use_counts() -> None:
    text = "def a():\n    def made(): ...\n    made()\ndef b():\n    def made(): ...\n    made()\n"
    symbol = "scip-python python web 1 use/made()."
    places = [(2, 8, 12, symbol, 1), (3, 4, 8, symbol, 0), (5, 8, 12, symbol, 1), (6, 4, 8, symbol, 0)]
    files = {"use.py": text}
    uses = scip_uses(list(read_scip(scip_index({"use.py": places}, {}))), outlines_of(files), files)
    assert [place.qualified for (place,) in uses["use.py"].targets.values()] == ["a.made", "b.made"]
