; C. The dialect reads declarators.

(function_definition
  declarator: (_) @declarator
  body: (_)? @body) @definition.function

(declaration
  declarator: (function_declarator) @declarator) @definition.prototype

(declaration
  declarator: (pointer_declarator
    declarator: (function_declarator)) @declarator) @definition.prototype

(declaration
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator))) @declarator) @definition.prototype

(struct_specifier
  name: (_) @name
  body: (_) @body) @definition.struct

(union_specifier
  name: (_) @name
  body: (_) @body) @definition.struct

(enum_specifier
  name: (_) @name
  body: (_) @body) @definition.enum

; typedef struct { … } name;
(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum

(type_definition
  type: (_ name: (_) body: (_))
  declarator: (type_identifier) @name @definition.type)

(type_definition
  declarator: (_) @declarator) @definition.typedef

(preproc_def
  name: (_) @name
  value: (_)) @definition.constant

(preproc_function_def
  name: (_) @name
  parameters: (_) @parameters
  value: (_)? @body) @definition.macro

((declaration
  (type_qualifier) @qualifier
  declarator: (init_declarator
    declarator: (_) @declarator)) @definition.variable
  (#any-of? @qualifier "const" "constexpr" "constinit"))

(preproc_include
  path: (_) @import.module) @import

(call_expression
  function: [(identifier) (field_expression)] @call)

(comment) @comment

(string_content) @string
