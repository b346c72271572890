<?php
// Reads PHP by its own tokenizer: one file name a line on standard input, one JSON object a line on standard output:
// {file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}
// Strings count by their value; the word `array` of a literal is no token. Types are tokens: PHP checks them when it runs.

const LAYOUT = [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT, T_OPEN_TAG, T_CLOSE_TAG, T_INLINE_HTML];
const MODIFIERS = [T_ABSTRACT, T_FINAL, T_PUBLIC, T_PROTECTED, T_PRIVATE, T_STATIC, T_VAR];
const TYPES = [T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM];

function tokens(string $text): array {
    $kept = [];
    foreach (PhpToken::tokenize($text, TOKEN_PARSE) as $token) {
        if (!$token->is(LAYOUT)) $kept[] = $token;
    }
    return array_values(array_filter(
        $kept,
        fn($at) => !($kept[$at]->is(T_ARRAY) && isset($kept[$at + 1]) && $kept[$at + 1]->text === "("),
        ARRAY_FILTER_USE_KEY,
    ));
}

function word(PhpToken $token): string {
    if (!$token->is(T_CONSTANT_ENCAPSED_STRING)) return $token->text;
    $inside = substr($token->text, 1, -1);
    return preg_match('/[\\\\$]/', $inside) ? $token->text : json_encode($inside, JSON_INVALID_UTF8_SUBSTITUTE);
}

/** The index of the bracket that closes the one at `$at`. */
function closing(array $tokens, int $at): int {
    $depth = 0;
    for (; $at < count($tokens); $at++) {
        if ($tokens[$at]->text === "{" || $tokens[$at]->is([T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) $depth++;
        if ($tokens[$at]->text === "}" && --$depth === 0) return $at;
    }
    return $at - 1;
}

/** Where a definition begins, with its modifiers and attributes. */
function beginning(array $tokens, int $at): int {
    while ($at > 0) {
        if ($tokens[$at - 1]->is(MODIFIERS) || $tokens[$at - 1]->text === "readonly") $at--;
        elseif ($tokens[$at - 1]->text === "]") {
            $begin = $at - 1;
            for ($depth = 0; $begin >= 0; $begin--) {
                if ($tokens[$begin]->text === "]") $depth++;
                if (in_array($tokens[$begin]->text, ["[", "#["], true) && --$depth === 0) break;
            }
            if ($begin < 0 || !$tokens[$begin]->is(T_ATTRIBUTE)) return $at;
            $at = $begin;
        } else return $at;
    }
    return $at;
}

function definitions(array $tokens): array {
    $found = [];
    $open = []; // [name, index of the last token] of types and functions around
    for ($at = 0; $at < count($tokens); $at++) {
        while ($open && end($open)[1] < $at) array_pop($open);
        $token = $tokens[$at];
        $before = $at ? $tokens[$at - 1]->text : "";
        if (in_array($before, ["->", "?->", "::", "use"], true) || !$token->is([T_FUNCTION, ...TYPES])) continue;
        $named = $at + 1;
        if ($token->is(T_FUNCTION) && isset($tokens[$named]) && $tokens[$named]->text === "&") $named++;
        if ($before === "new" || !isset($tokens[$named]) || !preg_match('/^[\w\x80-\xff]+$/', $tokens[$named]->text)) {
            if ($token->is(T_CLASS)) { // without a name: what is inside belongs to nobody
                for ($body = $at; $body < count($tokens) && $tokens[$body]->text !== "{"; $body++);
                $at = closing($tokens, $body);
            }
            continue;
        }
        for ($body = $named; $body < count($tokens) && !in_array($tokens[$body]->text, ["{", ";"], true); $body++);
        if (!isset($tokens[$body]) || $tokens[$body]->text === ";") continue; // abstract
        $last = closing($tokens, $body);
        $name = $tokens[$named]->text;
        $isType = $token->is(TYPES);
        $around = $open ? end($open) : null;
        $first = beginning($tokens, $at);
        $found[] = [
            "name" => $name, "qualname" => implode(".", [...array_column($open, 0), $name]), "sig" => "",
            "kind" => $isType ? "type" : ($around && $around[2] ? "method" : "function"),
            "start" => $tokens[$first]->line, "end" => $tokens[$last]->line, "first" => $first, "last" => $last,
        ];
        $open[] = [$name, $last, $isType];
    }
    return $found;
}

function read(string $file): array {
    try {
        $tokens = tokens(file_get_contents($file));
    } catch (ParseError $error) {
        return ["file" => $file, "ok" => false, "tokens" => [], "rows" => [], "defs" => []];
    }
    return [
        "file" => $file, "ok" => true, "tokens" => array_map("word", $tokens),
        "rows" => array_map(fn($token) => $token->line, $tokens), "defs" => definitions($tokens),
    ];
}

while (($line = fgets(STDIN)) !== false) {
    echo json_encode(read(rtrim($line, "\n")), JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES), "\n";
}
