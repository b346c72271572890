; Shell scripts.

(function_definition
  name: (_) @name
  body: (_) @body) @definition.function

((program
  (declaration_command
    (variable_assignment
      name: (variable_name) @name) @definition.constant) @head)
  (#match? @name "^[A-Z][A-Z0-9_]+$"))

((program
  (variable_assignment
    name: (variable_name) @name) @definition.constant)
  (#match? @name "^[A-Z][A-Z0-9_]+$"))

((command
  name: (command_name) @import.function
  .
  argument: (_) @import.module) @import
  (#any-of? @import.function "source" "."))

(command
  name: (command_name (word) @call.name))

(comment) @comment
