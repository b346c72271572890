; Go.

(function_declaration
  name: (_) @name
  parameters: (_) @parameters
  result: (_)? @returns
  body: (_)? @body) @definition.function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name
  parameters: (_) @parameters
  result: (_)? @returns
  body: (_)? @body) @definition.method

(type_declaration
  (type_spec
    name: (_) @name
    type: (struct_type (field_declaration_list) @body)) @definition.struct) @head

(type_declaration
  (type_spec
    name: (_) @name
    type: (interface_type "{" @body)) @definition.interface) @head

(type_declaration
  (type_spec
    name: (_) @name) @definition.type) @head

(type_declaration
  (type_alias
    name: (_) @name) @definition.type) @head

(interface_type
  (method_elem
    name: (_) @name
    parameters: (_) @parameters
    result: (_)? @returns) @definition.method)

(type_spec
  type: (struct_type
    (field_declaration_list
      (field_declaration
        !name
        type: (_) @base)))) @definition

(type_spec
  type: (interface_type
    (type_elem . (_) @base .))) @definition

(source_file
  (const_declaration
    (const_spec
      .
      name: (_) @name) @definition.constant) @head)

; Exported variables: errors to compare with, defaults.
(source_file
  (var_declaration
    (var_spec
      .
      name: (_) @name) @definition.constant) @head
  (#match? @name "^[A-Z]"))

(source_file
  (var_declaration
    (var_spec_list
      (var_spec
        .
        name: (_) @name) @definition.constant)) @head
  (#match? @name "^[A-Z]"))

(package_clause
  (package_identifier) @package)

(import_spec
  name: (_)? @import.alias
  path: (_) @import.module) @import

(call_expression
  function: [(identifier) (selector_expression)] @call)

; Calls with types: get[bool](key), store.Get[int](key).
(call_expression
  function: (index_expression
    operand: [(identifier) (selector_expression)] @call))

(type_conversion_expression
  type: (generic_type
    type: (_) @call))

(composite_literal
  type: [(type_identifier) (qualified_type)] @call)

(composite_literal
  type: (generic_type
    type: (_) @call))

(comment) @comment

(interpreted_string_literal_content) @string

(raw_string_literal_content) @string
