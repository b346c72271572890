// What Mermaid itself makes of diagrams. In: {"diagrams": [text, …], "render": how many of them to draw too}.
// Out: for each {"nodes": …, "edges": …} as parsed, "drawn" as shown in the picture, or {"error": …}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });
// Mermaid measures what it draws. This page has no sizes: a polygon has that of its corners, all else one and the same.
window.Element.prototype.getBBox = function () {
  const polygon = this.localName === "polygon" ? this : this.querySelector?.("polygon");
  const corners = (polygon?.getAttribute("points") ?? "0,0 80,20").trim().split(/\s+/).map((pair) => pair.split(",").map(Number));
  const [left, top] = [0, 1].map((axis) => Math.min(...corners.map((corner) => corner[axis])));
  const [right, bottom] = [0, 1].map((axis) => Math.max(...corners.map((corner) => corner[axis])));
  return { x: left, y: top, width: right - left, height: bottom - top };
};
window.Element.prototype.getComputedTextLength = () => 80;
for (const name of ["document", "Element", "HTMLElement", "SVGElement", "Node", "DOMParser", "XMLSerializer", "CSSStyleSheet"]) {
  globalThis[name] = window[name];
}
globalThis.window = window;
// With made-up sizes a link may miss its node; Mermaid then notes the node, texts and all, where a point should be.
globalThis.btoa = (text) => Buffer.from(text).toString("base64");
runInThisContext(readFileSync(createRequire(import.meta.url).resolve("@mermaid-js/tiny"), "utf8"));
const mermaid = globalThis.mermaid;
mermaid.initialize({ startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true });

// The parser keeps numbered characters in a form of its own until it draws.
function shown(text) {
  const area = window.document.createElement("textarea");
  area.innerHTML = text.replace(/ﬂ°°/g, "&#").replace(/ﬂ°/g, "&").replace(/¶ß/g, ";");
  return area.value;
}

async function parsed(text) {
  const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const nodes = [...db.getVertices().values()].map((one) => ({
    id: one.id, text: shown(one.text ?? ""), shape: one.type ?? "", classes: one.classes, link: one.link ?? null, kind: one.labelType,
  }));
  const edges = db.getEdges().map((one) => ({ from: one.start, to: one.end, text: shown(one.text), stroke: one.stroke }));
  return { type, nodes, edges, groups: db.getSubGraphs().length, classes: [...db.getClasses().keys()] };
}

async function drawn(text, number) {
  const { svg } = await mermaid.render(`d${number}`, text);
  const page = new window.DOMParser().parseFromString(svg, "text/html");
  const labels = (kind) => [...page.querySelectorAll(kind)].map((one) => one.textContent.replace(/\s+/g, " ").trim());
  const names = new Set([...page.querySelectorAll("*")].map((one) => one.localName));
  const acting = [...page.querySelectorAll("*")].flatMap((one) => one.getAttributeNames()).filter((name) => /^on|href/i.test(name));
  return { nodes: labels("g.node .nodeLabel"), edges: labels("g.edgeLabel .edgeLabel p"), elements: [...names].sort(), acting };
}

const { diagrams, render } = JSON.parse(readFileSync(0, "utf8"));
await mermaid.parse("graph TD"); // makes the kinds of diagrams known; reading one below is the same parse, with its result
const answers = [];
for (const [number, text] of diagrams.entries()) {
  try {
    answers.push({ ...(await parsed(text)), ...(number < render ? { drawn: await drawn(text, number) } : {}) });
  } catch (error) {
    answers.push({ error: String(error?.stack ?? error) });
  }
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
