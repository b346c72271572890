import time

import pytest

from waypost.code.embedded_scripts import component_symbol, scripts_of
from waypost.code.source import SourceFile

VUE = """<template>
  <CartItem v-for="x in items" :item="x" />
  <base-button @click="add">Add</base-button>
  <div><script-like/></div>
</template>

<script lang="ts">
export const limit = 3
</script>

<script setup lang="ts" generic="T extends Record<string, number>">
import CartItem from './CartItem.vue'
const props = defineProps<{ item: { id: number }; count?: number }>()
function add() {}
</script>

<style scoped>
.a { content: "<script>"; }
</style>
"""


def test_scripts_keep_their_lines() -> None:
    first, second = scripts_of(SourceFile("src/Cart.vue", "vue", VUE))
    assert (first.language, second.language) == ("typescript", "typescript")
    assert first.text.split("\n")[7] == "export const limit = 3"
    assert second.text.split("\n")[11] == "import CartItem from './CartItem.vue'"
    assert len(first.text) == len(second.text) == len(VUE)
    assert first.text.split() == ["export", "const", "limit", "=", "3"]


def test_a_component_is_named_after_its_file_and_knows_its_props_and_parts() -> None:
    component = component_symbol(SourceFile("src/Cart.vue", "vue", VUE))
    assert (component.name, component.kind, component.lines.end) == ("Cart", "class", 19)
    assert component.parameters == ("item", "count")
    assert [(call.name, call.line) for call in component.calls] == [
        ("CartItem", 2),
        ("BaseButton", 3),
        ("ScriptLike", 4),
    ]
    assert component_symbol(SourceFile("src/cart/index.vue", "vue", "")).name == "cart"


@pytest.mark.parametrize(
    ("script", "props"),
    [
        ("export let name;\n export let size = 3;", ("name", "size")),
        ("let { name, size = 3 }: { name: string } = $props();", ("name", "size")),
        ("defineProps(['name', 'size'])", ("name", "size")),
        ("export default { props: { name: String, size: { type: Number } }, data() {} }", ("name", "size")),
        ("let other = 1", ()),
    ],
)
def test_props_are_read(script: str, props: tuple[str, ...]) -> None:
    assert component_symbol(SourceFile("A.svelte", "svelte", f"<script>\n{script}\n</script>\n")).parameters == props


def test_svelte_and_html_scripts() -> None:
    text = '<!-- <script>no()</script> -->\n<script context="module">a()</script>\n<SCRIPT TYPE="module">b()</SCRIPT>\n'
    assert [script.text.strip() for script in scripts_of(SourceFile("A.svelte", "svelte", text))] == ["a()", "b()"]
    page = '<script src="x.js"></script><script type="application/ld+json">{}</script><script>c()</script>'
    assert [script.text.strip() for script in scripts_of(SourceFile("a.html", "html", page))] == ["c()"]


def test_the_head_of_an_astro_page_is_typescript() -> None:
    (script,) = scripts_of(SourceFile("a.astro", "astro", "---\nconst a = 1\n---\n<p/>\n"))
    assert (script.language, script.text.strip()) == ("typescript", "const a = 1")


def test_a_script_that_is_never_closed_goes_to_the_end() -> None:
    (script,) = scripts_of(SourceFile("A.vue", "vue", "<script>\na()\n"))
    assert script.text.strip() == "a()"


@pytest.mark.parametrize(
    "unit",
    ["<script ", "<script>", "<!--", "<a-", "<A ", 'a="', "---\n", "</script>", "<style>", "{", "<script>x</script>"],
)
def test_hostile_components_are_read_in_linear_time(unit: str) -> None:
    text = "<script>defineProps<{" + unit * (20_000 // len(unit))
    started = time.process_time()
    for language in ("vue", "astro"):
        scripts_of(SourceFile("a", language, text[20 * (language == "vue") :]))
        component_symbol(SourceFile("a", language, text))
    assert time.process_time() - started < 3
