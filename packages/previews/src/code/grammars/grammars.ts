import type { Node } from 'web-tree-sitter'
import type { DefinitionRule, Grammar } from '../grammar.ts'

const VSCODE = '@vscode/tree-sitter-wasm'

const luaAssigned: DefinitionRule = {
  kind: 'function',
  name: (node) => {
    const value = node.namedChildren.find((child) => child?.type === 'expression_list')?.firstNamedChild
    if (value?.type !== 'function_definition') return undefined
    return node.namedChildren.find((child) => child?.type === 'variable_list')?.firstNamedChild
  },
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'arrow_function',
  'function_expression',
  'function',
  'generator_function',
])
/** Matches imports, which are defined elsewhere. */
const IMPORTS = /^(?:await\s+import\b|require\b)/
const IMPORTS_AT_MOST = 24

function isFunction(node: Node | null): boolean {
  return node !== null && FUNCTIONS.has(node.type)
}

/** A property with a function, or `x` in `exports.x = function` and `X.prototype.x = function`. */
const assigned: DefinitionRule = {
  kind: 'function',
  name: (node) => {
    const left = node.childForFieldName('left')
    const right = node.childForFieldName('right')
    if (left === null || right === null || (!isFunction(right) && right.type !== 'class')) return undefined
    return left.childForFieldName('property') ?? (left.type === 'identifier' ? left : undefined)
  },
}

const variable: DefinitionRule = {
  kind: (node) => {
    const value = node.childForFieldName('value')
    return isFunction(value) ? 'function' : value?.type === 'class' ? 'class' : 'constant'
  },
  name: (node) => {
    const name = node.childForFieldName('name')
    const value = node.childForFieldName('value')
    if (name?.type !== 'identifier' || value === null) return undefined
    if (isFunction(value) || value.type === 'class') return name
    const declaration = node.parent
    const outer = declaration?.parent
    const isTop = outer?.type === 'program' || outer?.type === 'export_statement'
    const isImport = value.endIndex - value.startIndex > 0 && IMPORTS.test(value.text.slice(0, IMPORTS_AT_MOST))
    return isTop && !isImport && declaration?.firstChild?.type === 'const' ? name : undefined
  },
}

const withFunction = (field: string, kind: string): DefinitionRule => ({
  kind,
  name: (node) => (isFunction(node.childForFieldName('value')) ? node.childForFieldName(field) : undefined),
})

const JAVASCRIPT: Omit<Grammar, 'file'> = {
  peer: VSCODE,
  named: 'function_declaration class_declaration class method_definition',
  definitions: {
    generator_function_declaration: 'function',
    field_definition: withFunction('property', 'method'),
    pair: withFunction('key', 'function'),
    variable_declarator: variable,
    assignment_expression: assigned,
  },
  passages:
    'program export_statement lexical_declaration variable_declaration class_body statement_block expression_statement ' +
    'parenthesized_expression call_expression unary_expression arguments arrow_function function_expression ' +
    'if_statement else_clause return_statement object ERROR',
}

const TYPESCRIPT: Omit<Grammar, 'file'> = {
  ...JAVASCRIPT,
  named: `${JAVASCRIPT.named} interface_declaration type_alias_declaration enum_declaration`,
  definitions: {
    ...JAVASCRIPT.definitions,
    function_signature: { kind: 'function', announces: true },
    abstract_class_declaration: 'class',
    internal_module: 'namespace',
    module: 'namespace',
    abstract_method_signature: 'method',
    method_signature: { kind: 'method', announces: true },
    public_field_definition: withFunction('name', 'method'),
  },
  passages: `${JAVASCRIPT.passages} ambient_declaration interface_body`,
}

const MOST_DECLARATORS = 16

function declared(node: Node): { name: Node; isFunction: boolean } | undefined {
  let inner = node.childForFieldName('declarator')
  let isFunction = false
  for (let depth = 0; inner !== null && depth < MOST_DECLARATORS; depth++) {
    if (inner.type === 'function_declarator') isFunction = true
    const isWrapper = /^(?:reference|parenthesized|attributed)_declarator$/.test(inner.type)
    const next: Node | null = inner.childForFieldName('declarator') ?? (isWrapper ? inner.lastNamedChild : null)
    if (next === null) return { name: inner, isFunction }
    inner = next
  }
  return undefined
}

/** Returns the last part of `a::b::c`. */
function unqualified(node: Node): Node {
  let last = node
  for (let depth = 0; last.type === 'qualified_identifier' && depth < MOST_DECLARATORS; depth++)
    last = last.childForFieldName('name') ?? last
  return last.type === 'template_function' ? (last.childForFieldName('name') ?? last) : last
}

const withBody = (kind: string): DefinitionRule => ({
  kind,
  name: (node) => {
    const name = node.childForFieldName('name')
    if (name === null || node.childForFieldName('body') === null) return undefined
    return name.type === 'template_type' ? (name.childForFieldName('name') ?? name) : unqualified(name)
  },
})

const functionDefinition: DefinitionRule = {
  kind: (node) => (declared(node)?.name.type === 'identifier' ? 'function' : 'method'),
  name: (node) => {
    const found = declared(node)
    return found?.isFunction === true ? unqualified(found.name) : undefined
  },
  member: (node) => declared(node)?.name.type === 'qualified_identifier',
}

const prototype: DefinitionRule = { ...functionDefinition, announces: true }

const typeDefinition: DefinitionRule = { kind: 'type', name: (node) => declared(node)?.name, alongside: true }

const C: Grammar = {
  peer: '@repomix/tree-sitter-wasms',
  file: 'out/tree-sitter-c.wasm',
  definitions: {
    function_definition: functionDefinition,
    declaration: prototype,
    struct_specifier: withBody('struct'),
    union_specifier: withBody('union'),
    enum_specifier: withBody('enum'),
    type_definition: typeDefinition,
  },
  passages:
    'translation_unit linkage_specification declaration_list preproc_if preproc_ifdef preproc_else preproc_elif ERROR',
}

/** The C++ grammar reads nearly all C code. */
const C_AS_CPP: Grammar = { ...C, peer: VSCODE, file: 'wasm/tree-sitter-cpp.wasm' }

const CPP: Grammar = {
  ...C_AS_CPP,
  named: 'namespace_definition concept_definition',
  definitions: {
    ...C.definitions,
    field_declaration: prototype,
    class_specifier: withBody('class'),
    alias_declaration: 'type',
  },
  passages: `${C.passages} template_declaration field_declaration_list`,
}

/** Lines that only C++ has, to recognize its headers. */
const ONLY_CPP = /^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|(?:public|private|protected)[ \t]*:)/m

function typeName(node: Node): Node | null {
  let type = node.childForFieldName('type')
  if (type?.type === 'reference_type' || type?.type === 'dynamic_type') type = type.lastNamedChild
  if (type?.type === 'generic_type') type = type.childForFieldName('type')
  return type?.type === 'scoped_type_identifier' ? type.childForFieldName('name') : type
}

const goType: DefinitionRule = {
  kind: (node) => /^(struct|interface)_type$/.exec(node.childForFieldName('type')?.type ?? '')?.[1] ?? 'type',
}

const ALL: Readonly<Record<string, Grammar>> = {
  javascript: { ...JAVASCRIPT, file: 'wasm/tree-sitter-javascript.wasm' },
  typescript: { ...TYPESCRIPT, file: 'wasm/tree-sitter-typescript.wasm' },
  tsx: { ...TYPESCRIPT, file: 'wasm/tree-sitter-tsx.wasm' },
  c: { ...C, otherwise: C_AS_CPP, unless: { pattern: ONLY_CPP, grammar: CPP } },
  cpp: CPP,
  go: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-go.wasm',
    named: 'function_declaration type_alias',
    definitions: { method_declaration: { kind: 'method', member: () => true }, type_spec: goType },
    passages: 'source_file type_declaration ERROR',
  },
  rust: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-rust.wasm',
    named:
      'function_item function_signature_item struct_item enum_item union_item trait_item type_item macro_definition',
    definitions: { mod_item: 'module', impl_item: { kind: 'implementation', name: typeName } },
    passages: 'source_file declaration_list foreign_mod_item ERROR',
  },
  swift: {
    columns: true,
    peer: '@repomix/tree-sitter-wasms',
    file: 'out/tree-sitter-swift.wasm',
    named: 'protocol_declaration function_declaration',
    definitions: {
      class_declaration: { kind: (node) => node.childForFieldName('declaration_kind')?.text ?? 'class' },
      protocol_function_declaration: 'function',
      init_declaration: { kind: 'method', name: (node) => node.childForFieldName('name') ?? node.firstChild },
      typealias_declaration: 'type',
    },
    passages: 'source_file class_body enum_class_body protocol_body ERROR',
  },
  java: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-java.wasm',
    named:
      'class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration method_declaration',
    definitions: { constructor_declaration: 'method', compact_constructor_declaration: 'method' },
    passages: 'program class_body interface_body enum_body enum_body_declarations annotation_type_body ERROR',
  },
  csharp: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-c-sharp.wasm',
    named:
      'class_declaration interface_declaration struct_declaration record_declaration record_struct_declaration enum_declaration method_declaration namespace_declaration',
    definitions: {
      delegate_declaration: 'type',
      constructor_declaration: 'method',
      local_function_statement: 'function',
    },
    passages: 'compilation_unit declaration_list global_statement preproc_if preproc_else preproc_elif ERROR',
  },
  kotlin: {
    columns: true,
    peer: '@tree-sitter-grammars/tree-sitter-kotlin',
    file: 'tree-sitter-kotlin.wasm',
    named: 'object_declaration function_declaration',
    definitions: {
      class_declaration: {
        kind: (node) => (node.children.some((child) => child?.type === 'interface') ? 'interface' : 'class'),
      },
      companion_object: 'object',
      type_alias: { kind: 'type', name: (node) => node.childForFieldName('type') },
    },
    passages: 'source_file class_body enum_class_body ERROR',
  },
  scala: {
    columns: true,
    peer: 'tree-sitter-scala',
    file: 'tree-sitter-scala.wasm',
    named:
      'class_definition object_definition trait_definition enum_definition function_definition function_declaration type_definition',
    definitions: { package_object: 'object' },
    passages:
      'compilation_unit package_clause template_body enum_body extension_definition indented_block with_template_body ERROR',
  },
  php: {
    peer: VSCODE,
    file: 'wasm/tree-sitter-php.wasm',
    named:
      'class_declaration interface_declaration trait_declaration enum_declaration function_definition method_declaration namespace_definition',
    passages: 'program declaration_list enum_declaration_list compound_statement if_statement ERROR',
  },
  python: {
    columns: true,
    peer: VSCODE,
    file: 'wasm/tree-sitter-python.wasm',
    named: 'function_definition class_definition',
    passages:
      'module block decorated_definition if_statement elif_clause else_clause try_statement except_clause finally_clause ' +
      'with_statement for_statement while_statement ERROR',
  },
  ruby: {
    columns: true,
    peer: VSCODE,
    file: 'wasm/tree-sitter-ruby.wasm',
    named: 'class module method',
    definitions: { singleton_method: 'method' },
    passages:
      'program body_statement singleton_class call argument_list do_block block block_body if unless then else begin ERROR',
  },
  lua: {
    columns: true,
    peer: '@tree-sitter-grammars/tree-sitter-lua',
    file: 'tree-sitter-lua.wasm',
    named: 'function_declaration',
    definitions: { assignment_statement: luaAssigned },
    passages: 'chunk variable_declaration do_statement block ERROR',
  },
  bash: {
    columns: true,
    peer: VSCODE,
    file: 'wasm/tree-sitter-bash.wasm',
    named: 'function_definition',
    passages: 'program if_statement compound_statement ERROR',
  },
}

/** Grammars by the id of their language. */
export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(Object.entries(ALL))
