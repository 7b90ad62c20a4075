import type { DefinitionRule, Grammar } from '../grammar.ts'

const VSCODE = '@vscode/tree-sitter-wasm'

const luaAssigned: DefinitionRule = {
  kind: 'function',
  name: (node) => {
    const value = node.namedChildren.find((child) => child?.type === 'expression_list')?.firstNamedChild
    if (value?.type !== 'function_definition') return undefined
    return node.namedChildren.find((child) => child?.type === 'variable_list')?.firstNamedChild ?? undefined
  },
}

/** Python, Ruby, Lua and shell. */
export const SCRIPTS: Readonly<Record<string, Grammar>> = {
  python: {
    columns: true,
    peer: VSCODE,
    file: 'wasm/tree-sitter-python.wasm',
    blocks: 'suites',
    definitions: {
      function_definition: 'function',
      class_definition: 'class',
    },
    passages:
      'module block decorated_definition if_statement elif_clause else_clause try_statement except_clause finally_clause ' +
      'with_statement for_statement while_statement ERROR',
    bodies: '',
  },
  ruby: {
    columns: true,
    peer: VSCODE,
    file: 'wasm/tree-sitter-ruby.wasm',
    blocks: {
      closes: /^(?:[a-z_]+ )?def\s(?!\S+?(?:\([^)]*\))?\s+=\s)(?!.*\bend$)/,
      end: /^end\b/,
      comment: '#',
    },
    definitions: { class: 'class', module: 'module', method: 'method', singleton_method: 'method' },
    passages:
      'program body_statement singleton_class call argument_list do_block block block_body if unless then else begin ERROR',
    bodies: '',
  },
  lua: {
    columns: true,
    peer: '@tree-sitter-grammars/tree-sitter-lua',
    file: 'tree-sitter-lua.wasm',
    blocks: { closes: /\bfunction\b[^)]*\)$/, end: /^end\b/, comment: '--' },
    definitions: { function_declaration: 'function', assignment_statement: luaAssigned },
    passages: 'chunk variable_declaration do_statement block ERROR',
    bodies: '',
  },
  bash: {
    columns: true,
    peer: VSCODE,
    file: 'wasm/tree-sitter-bash.wasm',
    blocks: { closes: /^(?:function\s+[\w:.-]+|[\w:.-]+\s*\(\)|\{).*\{$|^\{$/, end: /^\}/, comment: '#' },
    definitions: { function_definition: 'function' },
    passages: 'program if_statement compound_statement ERROR',
    bodies: '',
  },
}
