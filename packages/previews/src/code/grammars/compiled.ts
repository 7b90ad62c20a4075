import type { Node } from 'web-tree-sitter'
import type { DefinitionRule, Grammar } from '../grammar.ts'
import { LEXIS } from '../lexis.ts'

const VSCODE = '@vscode/tree-sitter-wasm'

/** The name of the type without its parameters. */
function typeName(node: Node): Node | undefined {
  let type = node.childForFieldName('type')
  if (type?.type === 'reference_type' || type?.type === 'dynamic_type') type = type.lastNamedChild
  if (type?.type === 'generic_type') type = type.childForFieldName('type')
  return (type?.type === 'scoped_type_identifier' ? type.childForFieldName('name') : type) ?? undefined
}

const goType: DefinitionRule = {
  kind: (node) => /^(struct|interface)_type$/.exec(node.childForFieldName('type')?.type ?? '')?.[1] ?? 'type',
}

/** Go, Rust and Swift. */
export const COMPILED: Readonly<Record<string, Grammar>> = {
  go: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-go.wasm',
    blocks: { lexis: LEXIS.go, opens: /^\s*type\s*$/ },
    definitions: {
      function_declaration: 'function',
      method_declaration: { kind: 'method', member: () => true },
      type_spec: goType,
      type_alias: 'type',
    },
    passages: 'source_file type_declaration ERROR',
    bodies: '',
  },
  rust: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-rust.wasm',
    blocks: {
      lexis: LEXIS.rust,
      opens: /^\s*(?:pub\s*(?:\([^)]*\)\s*)?)?(?:unsafe\s+|default\s+)?(?:impl|trait|mod|extern\s*"[^"]*"\s*$)/,
    },
    definitions: {
      function_item: 'function',
      function_signature_item: 'function',
      struct_item: 'struct',
      enum_item: 'enum',
      union_item: 'union',
      trait_item: 'trait',
      type_item: 'type',
      mod_item: 'module',
      macro_definition: 'macro',
      impl_item: { kind: 'implementation', name: typeName },
    },
    passages: 'source_file declaration_list foreign_mod_item ERROR',
    bodies: 'declaration_list',
  },
  swift: {
    columns: true,
    peer: '@repomix/tree-sitter-wasms',
    file: 'out/tree-sitter-swift.wasm',
    blocks: {
      lexis: LEXIS.swift,
      opens: /^[^(=]*\b(?:class|struct|enum|extension|protocol|actor)\b(?!\s+(?:func|var)\b)[^=]*$/,
    },
    definitions: {
      class_declaration: { kind: (node) => node.childForFieldName('declaration_kind')?.text ?? 'class' },
      protocol_declaration: 'protocol',
      function_declaration: 'function',
      protocol_function_declaration: 'function',
      init_declaration: {
        kind: 'method',
        name: (node) => node.childForFieldName('name') ?? node.firstChild ?? undefined,
      },
      typealias_declaration: 'type',
    },
    passages: 'source_file class_body enum_class_body protocol_body ERROR',
    bodies: 'class_body enum_class_body protocol_body',
  },
}
