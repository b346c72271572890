; inherits: ecmascript, jsx
; JavaScript with JSX.

(class_declaration
  (class_heritage (_) @base)) @definition

(class
  (class_heritage (_) @base)) @definition

(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)] @function) @definition.method

((class_body
  (field_definition
    property: (property_identifier) @name) @definition.constant)
  (#match? @name "^#?[A-Z][A-Z0-9_]+$"))
