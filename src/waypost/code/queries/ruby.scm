; Ruby.

(class
  name: (_) @name
  body: (_)? @body) @definition.class

(class
  superclass: (superclass (_) @base)) @definition

(module
  name: (_) @name
  body: (_)? @body) @definition.module

(method
  name: (_) @name
  parameters: (_)? @parameters
  body: (_)? @body) @definition.method

(singleton_method
  object: (_) @object
  name: (_) @name
  parameters: (_)? @parameters
  body: (_)? @body) @definition.method

; Point = Struct.new(:x) do … end
((assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @factory
    block: (do_block
      body: (_)? @body))) @definition.class
  (#any-of? @factory "Struct" "Class" "Data" "Module"))

(assignment
  left: (constant) @name) @definition.constant

((call
  method: (identifier) @definer
  arguments: (argument_list
    .
    [(simple_symbol) (string)] @name)
  block: (_) @body) @definition.method
  (#any-of? @definer "define_method" "define_singleton_method"))

((call
  !receiver
  method: (identifier) @definer
  arguments: (argument_list
    (simple_symbol) @name @definition.property))
  (#any-of? @definer "attr_reader" "attr_accessor" "attr_writer"))

((class
  body: (body_statement
    (call
      method: (identifier) @mixer
      arguments: (argument_list [(constant) (scope_resolution)] @base)))) @definition
  (#any-of? @mixer "include" "prepend" "extend"))

((module
  body: (body_statement
    (call
      method: (identifier) @mixer
      arguments: (argument_list [(constant) (scope_resolution)] @base)))) @definition
  (#any-of? @mixer "include" "prepend" "extend"))

((call
  !receiver
  method: (identifier) @import.function
  arguments: (argument_list
    .
    (string) @import.module)) @import
  (#any-of? @import.function "require" "require_relative" "load"))

((call
  method: (identifier) @import.function
  arguments: (argument_list
    .
    (simple_symbol) @import.name
    .
    (string) @import.module)) @import
  (#eq? @import.function "autoload"))

(call
  receiver: (_)? @call.receiver
  method: [(identifier) (constant) (super)] @call.name)

(comment) @comment

(string_content) @string

(heredoc_content) @string
