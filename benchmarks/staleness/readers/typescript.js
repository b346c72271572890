// Reads TypeScript and JavaScript by the TypeScript compiler: one file name a line on standard input, one JSON object a line on standard output:
// {file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}
// Types of variables, fields, parameters and results are no tokens, unless nothing but types is there: in signatures.
// TYPESCRIPT names the folder of the `typescript` package.
"use strict";
const fs = require("fs");
const ts = require(process.env.TYPESCRIPT || "typescript");
const K = ts.SyntaxKind;

function leaves(node, source, out) {
  if (ts.isJSDoc(node)) return;
  const children = node.getChildren(source);
  if (children.length === 0) {
    const start = node.getStart(source, false);
    if (node.end <= start || node.kind === K.EndOfFileToken) return;
    let text = source.text.slice(start, node.end);
    if (node.kind === K.StringLiteral || node.kind === K.NoSubstitutionTemplateLiteral) text = JSON.stringify(node.text);
    if (node.kind === K.JsxText) text = text.replace(/\s+/g, " ").trim();
    if (text) out.push({ text, start, end: node.end });
    return;
  }
  const type = annotated(node) ? node.type : undefined;
  children.forEach((child, number) => {
    if (type && (child === type || (child.kind === K.ColonToken && children[number + 1] === type))) return;
    leaves(child, source, out);
  });
}

function annotated(node) {
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) return true;
  if (ts.isParameter(node)) return Boolean(node.parent.body);
  return ts.isFunctionLike(node) && Boolean(node.body);
}

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

function nameOf(node, source) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  return node.name ? node.name.getText(source) : "";
}

function definitions(source) {
  const found = [];
  const add = (node, name, outer, kind, sig) =>
    found.push({ name, qualname: [...outer, name].join("."), sig: sig || "", kind, from: node.getStart(source, false), to: node.end });
  const members = (node, outer) => {
    for (const member of node.members) {
      const name = nameOf(member, source);
      if (!name) continue;
      if (ts.isGetAccessor(member) || ts.isSetAccessor(member)) {
        if (member.body) add(member, name, outer, "method", ts.isGetAccessor(member) ? "get" : "set");
      } else if (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)) {
        if (member.body) add(member, name, outer, "method");
      } else if (ts.isPropertyDeclaration(member) && isFunction(member.initializer)) add(member, name, outer, "method");
    }
  };
  const walk = (statements, outer) => {
    for (const node of statements) {
      if (ts.isFunctionDeclaration(node)) {
        if (node.body && node.name) add(node, node.name.text, outer, "function");
      } else if (ts.isClassDeclaration(node)) {
        const name = node.name ? node.name.text : "default";
        if (node.name) add(node, name, outer, "type");
        members(node, [...outer, name]);
      } else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) {
        add(node, node.name.text, outer, "type", K[node.kind]);
      } else if (ts.isVariableStatement(node) && node.declarationList.declarations.length === 1) {
        const one = node.declarationList.declarations[0];
        if (isFunction(one.initializer) && ts.isIdentifier(one.name)) add(node, one.name.text, outer, "function");
      } else if (ts.isExpressionStatement(node) && ts.isBinaryExpression(node.expression)) {
        const { left, operatorToken, right } = node.expression;
        if (operatorToken.kind !== K.EqualsToken || !ts.isPropertyAccessExpression(left) || !isFunction(right)) continue;
        add(node, left.name.text, [...outer, left.expression.getText(source)], "function");
      } else if (ts.isModuleDeclaration(node) && node.body && ts.isModuleBlock(node.body)) {
        walk(node.body.statements, [...outer, node.name.text]);
      }
    }
  };
  walk(source.statements, []);
  return found;
}

const KINDS = { ".tsx": ts.ScriptKind.TSX, ".js": ts.ScriptKind.JS, ".mjs": ts.ScriptKind.JS, ".cjs": ts.ScriptKind.JS };

function read(file) {
  const text = fs.readFileSync(file, "utf8");
  const kind = KINDS[file.slice(file.lastIndexOf("."))] || ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  if (source.parseDiagnostics.length) return { file, ok: false, tokens: [], rows: [], defs: [] };
  const tokens = [];
  leaves(source, source, tokens);
  const line = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const index = new Map(tokens.map((token, number) => [token.start, number]));
  const last = new Map(tokens.map((token, number) => [token.end, number]));
  const defs = definitions(source)
    .filter((d) => index.has(d.from) && last.has(d.to))
    .map(({ from, to, ...rest }) => ({ ...rest, start: line(from), end: line(to - 1), first: index.get(from), last: last.get(to) }));
  return { file, ok: true, tokens: tokens.map((token) => token.text), rows: tokens.map((token) => line(token.start)), defs };
}

for (const file of fs.readFileSync(0, "utf8").split("\n")) {
  if (file) fs.writeSync(1, JSON.stringify(read(file)) + "\n");
}
