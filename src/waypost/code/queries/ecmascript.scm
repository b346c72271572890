; Common to JavaScript and TypeScript. Parameters, result and body come from @function.

(function_declaration
  name: (_) @name) @definition.function @function

(generator_function_declaration
  name: (_) @name) @definition.function @function

(class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(method_definition
  name: (_) @name) @definition.method @function

; const f = () => …, const C = class …, const f = memo(() => …)
(_
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @function) @definition.function) @head

(_
  (variable_declarator
    name: (identifier) @name
    value: (class body: (_) @body)) @definition.class) @head

((_
  (variable_declarator
    name: (identifier) @name
    value: (call_expression
      function: (_) @wrapper
      arguments: (arguments
        .
        [(arrow_function) (function_expression)] @function))) @definition.function) @head
  (#match? @wrapper "(memo|forwardRef|useCallback|debounce|throttle|observer|[Hh]andler|[aA]sync|defineComponent)$"))

; Named constants: in capitals, or exported.
((program
  (_
    "const"
    (variable_declarator
      name: (identifier) @name) @definition.constant) @head)
  (#match? @name "^[A-Z][A-Z0-9_]+$"))

(export_statement
  declaration: (_
    "const"
    (variable_declarator
      name: (identifier) @name) @definition.constant) @head) @outer

; Exported by its name: module.exports = { run }, export { run }.
(program
  (_
    "const"
    (variable_declarator
      name: (identifier) @name
      value: [(call_expression) (new_expression)]) @definition.exported) @head)

; Assigned functions and objects: exports.f = function …, Foo.prototype.bar = …, module.exports = class …
(expression_statement
  (assignment_expression
    left: (member_expression) @target
    right: [(arrow_function) (function_expression) (generator_function)] @function) @definition.function)

(expression_statement
  (assignment_expression
    left: (member_expression) @target
    right: (class body: (_) @body)) @definition.class)

(assignment_expression
  left: (member_expression) @target
  right: (object)) @definition.scope

(variable_declarator
  name: (identifier) @name
  value: (object)) @definition.scope

(pair
  key: [(property_identifier) (string)] @name
  value: (object)) @definition.scope

(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)] @function) @definition.member

; A named function expression: defineGetter(req, "host", function host() …)
(function_expression
  name: (_) @name) @definition.expression @function

(return_statement
  (class
    name: (_) @name
    body: (_) @body) @definition.class)

; Default exports without a name.
(export_statement
  "default"
  value: [(arrow_function) (function_expression) (generator_function)] @definition.default @function) @outer

(export_statement
  "default"
  value: (class body: (_) @body) @definition.class) @outer

(export_statement
  "default"
  value: (object) @definition.scope)

(export_statement
  declaration: (_) @definition) @outer

(export_statement
  declaration: (_
    (variable_declarator) @definition)) @outer

(decorator (_) @attribute.text) @attribute

(import_statement
  .
  source: (_) @import.module) @import

(import_statement
  (import_clause
    (identifier) @import.default)
  source: (_) @import.module) @import

(import_statement
  (import_clause
    (namespace_import
      (identifier) @import.alias))
  source: (_) @import.module) @import

; The module follows the names: it is looked up from each of them.
(import_specifier
  name: (_) @import.name
  alias: (_)? @import.alias) @import

(export_specifier
  name: (_) @import.name
  alias: (_)? @import.alias) @import

(export_statement
  "*" @import.name
  source: (_) @import.module) @import

(export_statement
  (namespace_export
    (_) @import.alias)
  source: (_) @import.module) @import

((call_expression
  function: [(identifier) (import)] @import.function
  arguments: (arguments
    .
    (string) @import.module)) @import
  (#any-of? @import.function "require" "import"))

((variable_declarator
  name: (identifier) @import.alias
  value: (call_expression
    function: (identifier) @import.function
    arguments: (arguments
      .
      (string) @import.module))) @import
  (#eq? @import.function "require"))

((variable_declarator
  name: (identifier) @import.alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @import.function
      arguments: (arguments
        .
        (string) @import.module))
    property: (_) @import.name)) @import
  (#eq? @import.function "require"))

((variable_declarator
  name: (object_pattern
    (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression
    function: (identifier) @import.function
    arguments: (arguments
      .
      (string) @import.module))) @import
  (#eq? @import.function "require"))

((variable_declarator
  name: (object_pattern
    (pair_pattern
      key: (_) @import.name
      value: (identifier) @import.alias))
  value: (call_expression
    function: (identifier) @import.function
    arguments: (arguments
      .
      (string) @import.module))) @import
  (#eq? @import.function "require"))

(call_expression
  function: [(identifier) (member_expression) (super)] @call)

(new_expression
  constructor: [(identifier) (member_expression)] @call)

(comment) @comment

(string_fragment) @string
