; C#.

(class_declaration name: (_) @name body: (_)? @body) @definition.class
(record_declaration name: (_) @name body: (_)? @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(struct_declaration name: (_) @name body: (_) @body) @definition.struct
(enum_declaration name: (_) @name body: (_)? @body) @definition.enum
(delegate_declaration type: (_) @returns name: (_) @name parameters: (_) @parameters) @definition.type

(class_declaration (parameter_list) @parameters) @definition
(record_declaration (parameter_list) @parameters) @definition
(struct_declaration (parameter_list) @parameters) @definition

(method_declaration
  returns: (_) @returns
  name: (_) @name
  parameters: (_) @parameters
  body: (_)? @body) @definition.method

(constructor_declaration
  name: (_) @name
  parameters: (_) @parameters
  body: (_)? @body) @definition.method

(destructor_declaration
  "~" @mark
  name: (_) @name
  body: (_)? @body) @definition.method

(operator_declaration
  type: (_) @returns
  operator: _ @mark
  parameters: (_) @parameters
  body: (_)? @body) @definition.operator

(conversion_operator_declaration
  type: (_) @mark
  parameters: (_) @parameters
  body: (_)? @body) @definition.operator

(local_function_statement
  type: (_) @returns
  name: (_) @name
  parameters: (_) @parameters
  body: (_)? @body) @definition.function

; Properties with code.
(property_declaration
  type: (_) @returns
  name: (_) @name
  value: (arrow_expression_clause) @body) @definition.property

(property_declaration
  type: (_) @returns
  name: (_) @name
  accessors: (accessor_list
    (accessor_declaration
      body: (_))) @body) @definition.property

(indexer_declaration
  type: (_) @returns
  parameters: (_) @parameters
  accessors: (_)? @body) @definition.indexer

((field_declaration
  (modifier) @modifier
  (variable_declaration
    (variable_declarator
      name: (_) @name) @definition.constant)) @head
  (#eq? @modifier "const"))

((field_declaration
  (modifier) @static
  (modifier) @readonly
  (variable_declaration
    (variable_declarator
      name: (_) @name) @definition.constant)) @head
  (#eq? @static "static")
  (#eq? @readonly "readonly"))

(_ (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @base)) @definition
(_ (base_list (primary_constructor_base_type type: (_) @base))) @definition

(_ (attribute_list (attribute) @decorator)) @definition

(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)

(using_directive
  !name
  [(identifier) (qualified_name) (alias_qualified_name)] @import.module) @import

(using_directive
  name: (_) @import.alias
  [(qualified_name) (generic_name) (identifier)] @import.module .) @import

(invocation_expression
  function: [(identifier) (generic_name) (member_access_expression) (conditional_access_expression)] @call)

(invocation_expression
  function: (member_binding_expression) @call)

(object_creation_expression
  type: [(identifier) (qualified_name) (generic_name)] @call)

(comment) @comment

(string_literal_content) @string

(string_content) @string

(verbatim_string_literal) @string

(raw_string_content) @string
