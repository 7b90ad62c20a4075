import type { Node } from 'web-tree-sitter'
import type { DefinitionRule, Grammar } from '../grammar.ts'
import { LEXIS } from '../lexis.ts'

/** Declarators that stand in each other at most. */
const MOST_DECLARATORS = 16

/** The innermost declarator, which is the name, and whether parameters follow it. */
function declared(node: Node): { name: Node; isFunction: boolean } | undefined {
  let inner = node.childForFieldName('declarator')
  let isFunction = false
  for (let depth = 0; inner !== null && depth < MOST_DECLARATORS; depth++) {
    if (inner.type === 'function_declarator') isFunction = true
    const next: Node | null = inner.childForFieldName('declarator') ?? wrapped(inner)
    if (next === null) return { name: inner, isFunction }
    inner = next
  }
  return undefined
}

function wrapped(node: Node): Node | null {
  return /^(?:reference|parenthesized|attributed)_declarator$/.test(node.type) ? node.lastNamedChild : null
}

/** The last part of `a::b::c`. */
function unqualified(node: Node): Node {
  let last = node
  for (let depth = 0; last.type === 'qualified_identifier' && depth < MOST_DECLARATORS; depth++)
    last = last.childForFieldName('name') ?? last
  return last.type === 'template_function' ? (last.childForFieldName('name') ?? last) : last
}

/** A struct, class, union or enum counts where it has a body. */
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

const typeDefinition: DefinitionRule = {
  kind: 'type',
  name: (node) => declared(node)?.name,
  alongside: true,
}

const C: Grammar = {
  peer: '@repomix/tree-sitter-wasms',
  file: 'out/tree-sitter-c.wasm',
  blocks: { lexis: LEXIS.c, opens: /\bnamespace\b[^;=]*$|\bextern\s*"[^"]*"\s*$/ },
  definitions: {
    function_definition: functionDefinition,
    declaration: prototype,
    struct_specifier: withBody('struct'),
    union_specifier: withBody('union'),
    enum_specifier: withBody('enum'),
    type_definition: typeDefinition,
  },
  passages: 'translation_unit linkage_specification declaration_list ERROR',
  bodies: 'declaration_list',
}

/** Grammars of C++ read nearly all of C. */
const C_AS_CPP: Grammar = { ...C, peer: '@vscode/tree-sitter-wasm', file: 'wasm/tree-sitter-cpp.wasm' }

const CPP: Grammar = {
  ...C_AS_CPP,
  blocks: {
    lexis: LEXIS.c,
    opens: /^[^(=]*\b(?:class|struct|union)\b[^(=]*$|\bnamespace\b[^;=]*$|\bextern\s*"[^"]*"\s*$/,
  },
  definitions: {
    ...C.definitions,
    field_declaration: prototype,
    class_specifier: withBody('class'),
    namespace_definition: 'namespace',
    alias_declaration: 'type',
    concept_definition: 'concept',
  },
  passages: `${C.passages} template_declaration field_declaration_list`,
  bodies: 'declaration_list field_declaration_list',
}

/** Lines that only C++ has, in a header that may be of either. */
const ONLY_CPP = /^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|(?:public|private|protected)[ \t]*:)/m

/** C and C++. */
export const C_FAMILY: Readonly<Record<string, Grammar>> = {
  c: { ...C, otherwise: C_AS_CPP, unless: { pattern: ONLY_CPP, grammar: CPP } },
  cpp: CPP,
}
