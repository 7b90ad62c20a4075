import type { Grammar } from '../grammar.ts'

const VSCODE = '@vscode/tree-sitter-wasm'

export const CLASSES: Readonly<Record<string, Grammar>> = {
  java: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-java.wasm',
    definitions: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      enum_declaration: 'enum',
      record_declaration: 'record',
      annotation_type_declaration: 'annotation',
      method_declaration: 'method',
      constructor_declaration: 'method',
      compact_constructor_declaration: 'method',
    },
    passages: 'program class_body interface_body enum_body enum_body_declarations annotation_type_body ERROR',
  },
  csharp: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-c-sharp.wasm',
    definitions: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      struct_declaration: 'struct',
      record_declaration: 'record',
      record_struct_declaration: 'record',
      enum_declaration: 'enum',
      delegate_declaration: 'type',
      method_declaration: 'method',
      constructor_declaration: 'method',
      local_function_statement: 'function',
      namespace_declaration: 'namespace',
    },
    passages: 'compilation_unit declaration_list global_statement preproc_if preproc_else preproc_elif ERROR',
  },
  kotlin: {
    columns: true,
    peer: '@tree-sitter-grammars/tree-sitter-kotlin',
    file: 'tree-sitter-kotlin.wasm',
    definitions: {
      class_declaration: {
        kind: (node) => (node.children.some((child) => child?.type === 'interface') ? 'interface' : 'class'),
      },
      object_declaration: 'object',
      companion_object: 'object',
      function_declaration: 'function',
      type_alias: { kind: 'type', name: (node) => node.childForFieldName('type') ?? undefined },
    },
    passages: 'source_file class_body enum_class_body ERROR',
  },
  scala: {
    columns: true,
    peer: 'tree-sitter-scala',
    file: 'tree-sitter-scala.wasm',
    definitions: {
      class_definition: 'class',
      object_definition: 'object',
      trait_definition: 'trait',
      enum_definition: 'enum',
      function_definition: 'function',
      function_declaration: 'function',
      type_definition: 'type',
      package_object: 'object',
    },
    passages:
      'compilation_unit package_clause template_body enum_body extension_definition indented_block with_template_body ERROR',
  },
  php: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-php.wasm',
    definitions: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      trait_declaration: 'trait',
      enum_declaration: 'enum',
      function_definition: 'function',
      method_declaration: 'method',
      namespace_definition: 'namespace',
    },
    passages: 'program declaration_list enum_declaration_list compound_statement if_statement ERROR',
  },
}
