; PHP.

(function_definition
  name: (_) @name
  parameters: (_) @parameters
  return_type: (_)? @returns
  body: (_) @body) @definition.function

(method_declaration
  name: (_) @name
  parameters: (_) @parameters
  return_type: (_)? @returns
  body: (_)? @body) @definition.method

(class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(trait_declaration
  name: (_) @name
  body: (_) @body) @definition.trait

(enum_declaration
  name: (_) @name
  body: (_) @body) @definition.enum

(const_declaration
  (const_element
    .
    (name) @name) @definition.constant) @head

((function_call_expression
  function: (name) @function
  arguments: (arguments
    .
    (argument (string) @name))) @definition.constant
  (#eq? @function "define"))

(_ (base_clause (_) @base)) @definition
(_ (class_interface_clause (_) @base)) @definition
(_ body: (declaration_list (use_declaration [(name) (qualified_name)] @base))) @definition
(_ body: (enum_declaration_list (use_declaration [(name) (qualified_name)] @base))) @definition

(_
  attributes: (attribute_list
    (attribute_group
      (attribute) @decorator))) @definition

(namespace_definition
  name: (_) @package)

(namespace_use_declaration
  (namespace_use_clause
    .
    [(name) (qualified_name)] @import.module
    alias: (_)? @import.alias)) @import

(namespace_use_declaration
  (namespace_name) @import.prefix
  body: (namespace_use_group
    (namespace_use_clause
      .
      [(name) (qualified_name) (namespace_name)] @import.module
      alias: (_)? @import.alias))) @import

(require_expression (_) @import.file) @import
(require_once_expression (_) @import.file) @import
(include_expression (_) @import.file) @import
(include_once_expression (_) @import.file) @import

(function_call_expression
  function: [(name) (qualified_name)] @call)

(member_call_expression
  object: (_) @call.receiver
  name: (name) @call.name)

(nullsafe_member_call_expression
  object: (_) @call.receiver
  name: (name) @call.name)

(scoped_call_expression
  scope: (_) @call.receiver
  name: (name) @call.name)

(object_creation_expression
  [(name) (qualified_name)] @call)

(comment) @comment

(string_content) @string

(nowdoc_string) @string
