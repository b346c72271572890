; inherits: ecmascript
; What TypeScript adds to JavaScript.

(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(type_alias_declaration
  name: (_) @name) @definition.type

(enum_declaration
  name: (_) @name
  body: (_) @body) @definition.enum

(internal_module
  name: (_) @name
  body: (_) @body) @definition.module

(module
  name: (_) @name
  body: (_) @body) @definition.module

; Overloads, abstract methods and declarations without a body.
(function_signature
  name: (_) @name) @definition.function @function

(method_signature
  name: (_) @name) @definition.method @function

(abstract_method_signature
  name: (_) @name) @definition.method @function

(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)] @function) @definition.method

((class_body
  (public_field_definition
    name: (property_identifier) @name) @definition.constant)
  (#match? @name "^#?[A-Z][A-Z0-9_]+$"))

(class_declaration
  (class_heritage (extends_clause value: (_) @base))) @definition

(class_declaration
  (class_heritage (implements_clause (_) @base))) @definition

(abstract_class_declaration
  (class_heritage (extends_clause value: (_) @base))) @definition

(abstract_class_declaration
  (class_heritage (implements_clause (_) @base))) @definition

(interface_declaration
  (extends_type_clause
    type: (_) @base)) @definition

(ambient_declaration
  (_) @definition) @outer

(ambient_declaration
  (_
    (variable_declarator
      name: (identifier) @name) @definition.constant) @head) @outer

(expression_statement
  (internal_module) @definition) @outer

(import_statement
  (import_require_clause
    (identifier) @import.alias
    source: (_) @import.module)) @import
