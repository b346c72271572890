; Kotlin. The dialect handles kinds of classes, results and extension receivers.

(class_declaration
  name: (_) @name) @definition.class

(class_declaration
  (primary_constructor (class_parameters) @parameters)) @definition

(class_declaration [(class_body) (enum_class_body)] @body) @definition

(object_declaration
  name: (_) @name
  (class_body)? @body) @definition.class

(companion_object
  name: (_)? @name
  (class_body)? @body) @definition.companion

(function_declaration
  name: (_) @name
  (function_value_parameters) @parameters) @definition.function

(function_declaration (function_body) @body) @definition

(secondary_constructor
  (function_value_parameters) @parameters
  (block)? @body) @definition.constructor

(property_declaration
  (variable_declaration . (identifier) @name)
  [(getter) (setter)] @accessor) @definition.property

((property_declaration
  (modifiers (property_modifier) @modifier)
  (variable_declaration . (identifier) @name)) @definition.constant
  (#eq? @modifier "const"))

((property_declaration
  (variable_declaration . (identifier) @name)) @definition.constant
  (#match? @name "^[A-Z][A-Z0-9_]+$"))

(type_alias
  type: (identifier) @name) @definition.type

(_ (delegation_specifiers (delegation_specifier (user_type) @base))) @definition
(_ (delegation_specifiers (delegation_specifier (constructor_invocation . (user_type) @base)))) @definition
(_ (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @base)))) @definition

(_ (modifiers (annotation) @decorator)) @definition

(package_header (qualified_identifier) @package)

(import
  (qualified_identifier) @import.module
  (identifier)? @import.alias) @import

(call_expression
  .
  [(identifier) (navigation_expression)] @call)

(line_comment) @comment
(block_comment) @comment

; The grammar reads a class without a body after an annotation as `a class b`, an infix call.
((infix_expression
  (identifier) @error)
  (#eq? @error "class"))

(string_content) @string
