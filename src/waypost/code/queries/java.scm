; Java.

(class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(record_declaration
  name: (_) @name
  parameters: (_) @parameters
  body: (_) @body) @definition.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(annotation_type_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(enum_declaration
  name: (_) @name
  body: (_) @body) @definition.enum

(method_declaration
  type: (_) @returns
  name: (_) @name
  parameters: (_) @parameters
  body: (_)? @body) @definition.method

(constructor_declaration
  name: (_) @name
  parameters: (_) @parameters
  body: (_) @body) @definition.method

(compact_constructor_declaration
  name: (_) @name
  body: (_) @body) @definition.method

(annotation_type_element_declaration
  type: (_) @returns
  name: (_) @name) @definition.method

((field_declaration
  (modifiers) @modifiers
  declarator: (variable_declarator
    name: (_) @name) @definition.constant) @head
  (#match? @modifiers "\\bstatic\\b")
  (#match? @modifiers "\\bfinal\\b"))

(interface_body
  (constant_declaration
    declarator: (variable_declarator
      name: (_) @name) @definition.constant) @head)

(class_declaration superclass: (superclass (_) @base)) @definition
(class_declaration interfaces: (super_interfaces (type_list (_) @base))) @definition
(record_declaration interfaces: (super_interfaces (type_list (_) @base))) @definition
(enum_declaration interfaces: (super_interfaces (type_list (_) @base))) @definition
(interface_declaration (extends_interfaces (type_list (_) @base))) @definition

(_
  (modifiers [(marker_annotation) (annotation)] @decorator)) @definition

(package_declaration
  [(scoped_identifier) (identifier)] @package)

(import_declaration
  [(scoped_identifier) (identifier)] @import.module
  (asterisk)? @import.name) @import

(method_invocation
  object: (_)? @call.receiver
  name: (_) @call.name)

(object_creation_expression
  type: [(type_identifier) (scoped_type_identifier)] @call)

(object_creation_expression
  type: (generic_type
    .
    (_) @call))

(method_reference
  .
  (_) @call.receiver
  (identifier) @call.name
  .)

(explicit_constructor_invocation
  constructor: (_) @call)

(line_comment) @comment
(block_comment) @comment

(string_fragment) @string

(multiline_string_fragment) @string
