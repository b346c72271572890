"""Which definitions are public."""

import pytest
from tests.code.changes.conftest import Changed

PYTHON = """
class Open:
    def run(self): ...
    def _step(self): ...
    def __init__(self): ...
class _Closed:
    def run(self): ...
def _helper(): ...
"""
GO = """package a
func Open() {}
func closed() {}
type Client struct{ A int }
func (c *Client) Send() {}
func (c *Client) send() {}
type conn struct{ A int }
func (c *conn) Send() {}
"""
TYPESCRIPT = """
export class Open {
  run() {}
  private step() {}
  #hidden() {}
}
function closed() { return 1 }
function listed() { return 1 }
export { listed }
"""
COMMON = """
function closed() { return 1 }
function given() { return 1 }
exports.named = function (a) { return a }
module.exports.given = given
describe('x', function () {
  function local() { return 1 }
})
"""
RUST = """
pub fn open() {}
fn closed() {}
pub(crate) fn inner() {}
pub struct S;
impl S {
    pub fn run(&self) {}
    fn step(&self) {}
}
impl Display for S {
    fn fmt(&self) {}
}
pub trait T {
    fn wanted(&self);
}
#[cfg(test)]
mod tests {
    pub fn helper() {}
}
"""
JAVA = """
public class Open {
  public void run() {}
  protected void hook() {}
  void near() {}
  private class In { public void deep() {} }
}
interface Near { void run(); }
"""
CSHARP = """
public class Open {
  public void Run() {}
  void Step() {}
  internal void Near() {}
}
public interface IOpen { void Go(); }
class Closed { public void Run() {} }
"""
RUBY = """
class Open
  def run; end
  def self.make; end
  private
  def step; end
  public
  def again; end
end
"""
CPP = """
class Open {
  void hidden() {}
public:
  void run() {}
private:
  void step() {}
};
struct Plain { void free() {} };
"""


@pytest.mark.parametrize(
    ("path", "text", "public"),
    [
        ("a.py", PYTHON, {"Open", "Open.run", "Open.__init__"}),
        ("a.go", GO, {"Open", "Client", "Client.Send"}),
        ("a.ts", TYPESCRIPT, {"Open", "Open.run", "listed"}),
        ("a.js", COMMON, {"given", "named"}),
        ("a.rs", RUST, {"open", "S", "S.run", "S.fmt", "T", "T.wanted"}),
        ("Open.java", JAVA, {"Open", "Open.run", "Open.hook"}),
        ("Open.cs", CSHARP, {"Open", "Open.Run", "IOpen", "IOpen.Go"}),
        ("a.rb", RUBY, {"Open", "Open.run", "Open.make", "Open.again"}),
        ("a.cpp", CPP, {"Open", "Open.run", "Plain", "Plain.free"}),
        ("a.c", "int open(int a) { return 1; }\nstatic int closed(void) { return 1; }\n", {"open"}),
        (
            "a.php",
            "<?php\nclass A { public function a() {} private function b() {} function c() {} }\n",
            {"A", "A.a", "A.c"},
        ),
        ("a.kt", "class A { private fun a() {}\n fun b() {} }\ninternal fun c() {}\n", {"A", "A.b"}),
    ],
)
def test_the_rule_of_the_language_says_what_is_public(changed: Changed, path: str, text: str, public: set[str]) -> None:
    symbols = changed(f"src/{path}", None, text).symbols
    assert {symbol.name for symbol in symbols if symbol.is_public} == public
    assert len(symbols) > len(public)


def test_a_script_that_exports_nothing_is_public_as_a_whole(changed: Changed) -> None:
    (change,) = changed("a.js", None, "function start() { return 1 }\n").symbols
    assert change.is_public
