; SQL: created objects.

(create_table (object_reference) @name (column_definitions)? @body) @definition.table
(create_view . (_) (object_reference) @name [(create_query) (keyword_as)] @body) @definition.view
(create_materialized_view (object_reference) @name (keyword_as) @body) @definition.view
(create_function (object_reference) @name (function_arguments) @parameters (function_body) @body) @definition.function
(create_trigger . (keyword_create) (object_reference) @name) @definition.trigger
(create_type (object_reference) @name) @definition.type
(create_index column: (identifier) @name) @definition.index
(create_sequence (object_reference) @name) @definition.index

(invocation
  (object_reference) @call)

(comment) @comment
(marginalia) @comment
