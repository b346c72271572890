; Python. The names of captures are explained in syntax/captures.py.

(function_definition
  name: (_) @name
  parameters: (_) @parameters
  return_type: (_)? @returns
  body: (_) @body) @definition.function

(class_definition
  name: (_) @name
  body: (_) @body) @definition.class

(class_definition
  superclasses: (argument_list
    [(identifier) (attribute) (subscript) (call)] @base)) @definition

(decorator (_) @attribute.text) @attribute

(type_alias_statement
  left: (_) @name) @definition.type

; Names in capitals, at file or class level; those in functions are dropped later.
((assignment
  left: (identifier) @name) @definition.constant
  (#match? @name "^_{0,2}[A-Z][A-Z0-9_]+$"))

; A file that ends within a definition.
(ERROR
  "def" @head
  .
  (identifier) @name
  .
  (parameters) @parameters @definition.function)

(ERROR
  "class" @head
  .
  (identifier) @name @definition.class)

(import_statement
  name: (dotted_name) @import.module) @import

(import_statement
  name: (aliased_import
    name: (_) @import.module
    alias: (_) @import.alias)) @import

(import_from_statement
  module_name: (_) @import.module
  name: (dotted_name) @import.name) @import

(import_from_statement
  module_name: (_) @import.module
  name: (aliased_import
    name: (_) @import.name
    alias: (_) @import.alias)) @import

(import_from_statement
  module_name: (_) @import.module
  (wildcard_import) @import.name) @import

(future_import_statement
  "__future__" @import.module
  name: (dotted_name) @import.name) @import

(call
  function: [(identifier) (attribute) (subscript)] @call)

(comment) @comment

(string_content) @string
