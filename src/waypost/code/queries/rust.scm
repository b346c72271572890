; Rust. The dialect reads use trees.

(function_item
  name: (_) @name
  parameters: (_) @parameters
  return_type: (_)? @returns
  body: (_) @body) @definition.function

(function_signature_item
  name: (_) @name
  parameters: (_) @parameters
  return_type: (_)? @returns) @definition.function

(struct_item
  name: (_) @name
  body: (_)? @body) @definition.struct

(union_item
  name: (_) @name
  body: (_) @body) @definition.struct

(enum_item
  name: (_) @name
  body: (_) @body) @definition.enum

(enum_variant
  name: (_) @name) @definition.constant

(trait_item
  name: (_) @name
  body: (_) @body) @definition.trait

(trait_item
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base)) @definition

(impl_item
  type: (_) @name
  body: (_) @body) @definition.scope

(impl_item
  trait: (_) @base) @definition

(mod_item
  name: (_) @name
  body: (_) @body) @definition.module

(type_item
  name: (_) @name) @definition.type

(associated_type
  name: (_) @name) @definition.type

(macro_definition
  name: (_) @name
  [(macro_rule) "(" "{" "["] @body) @definition.macro

(const_item
  name: (_) @name) @definition.constant

(static_item
  name: (_) @name) @definition.constant

(attribute_item
  (attribute) @attribute.text) @attribute

(use_declaration
  argument: (_) @import.tree) @import

(extern_crate_declaration
  name: (_) @import.module
  alias: (_)? @import.alias) @import

; `mod name;` imports a file.
(mod_item
  name: (_) @import.module
  !body) @import

(call_expression
  function: [(identifier) (scoped_identifier) (field_expression)] @call)

(call_expression
  function: (generic_function
    function: (_) @call))

(macro_invocation
  macro: (_) @call)

; Calls in the arguments of a macro, which have no syntax of their own.
(token_tree
  (identifier) @call.token
  .
  (token_tree))

(token_tree
  (identifier) @call.token
  .
  "::"
  .
  "<")

(struct_expression
  name: [(type_identifier) (scoped_type_identifier)] @call)

(line_comment !inner) @comment
(block_comment !inner) @comment
(line_comment inner: (_)) @doc
(block_comment inner: (_)) @doc

(string_content) @string
