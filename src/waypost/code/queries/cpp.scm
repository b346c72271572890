; inherits: c
; What C++ adds to C.

(class_specifier
  name: (_) @name
  body: (_) @body) @definition.class

(_ (base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @base)) @definition

(namespace_definition
  name: (_) @name
  body: (_) @body) @definition.module

(alias_declaration
  name: (_) @name) @definition.type

(concept_definition
  name: (_) @name) @definition.type

(template_declaration
  (_) @definition) @outer

; Members declared in the class.
(field_declaration
  declarator: (function_declarator) @declarator) @definition.member

(field_declaration
  declarator: (pointer_declarator
    declarator: (function_declarator)) @declarator) @definition.member

(field_declaration
  declarator: (reference_declarator
    (function_declarator)) @declarator) @definition.member

(declaration
  declarator: (reference_declarator
    (function_declarator)) @declarator) @definition.prototype

(declaration
  declarator: (operator_cast) @declarator) @definition.prototype

((field_declaration
  (type_qualifier) @qualifier
  declarator: (field_identifier) @name
  default_value: (_)) @definition.constant
  (#any-of? @qualifier "const" "constexpr"))

(using_declaration
  "namespace" @import.star
  [(identifier) (qualified_identifier)] @import.module) @import

(call_expression
  function: [(qualified_identifier) (template_function)] @call)

(new_expression
  type: (_) @call)
