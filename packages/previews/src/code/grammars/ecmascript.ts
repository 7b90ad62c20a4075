import type { Node } from 'web-tree-sitter'
import type { DefinitionRule, Grammar } from '../grammar.ts'
import { LEXIS } from '../lexis.ts'

const FUNCTIONS: ReadonlySet<string> = new Set([
  'arrow_function',
  'function_expression',
  'function',
  'generator_function',
])
/** What is imported is defined elsewhere. */
const IMPORTS = /^(?:await\s+import\b|require\b)/
const IMPORTS_AT_MOST = 24

function isFunction(node: Node | null): boolean {
  return node !== null && FUNCTIONS.has(node.type)
}

/** A property with a function, or the `x` of `exports.x = function` and `X.prototype.x = function`. */
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
  name: (node) =>
    isFunction(node.childForFieldName('value')) ? (node.childForFieldName(field) ?? undefined) : undefined,
})

const JAVASCRIPT: Omit<Grammar, 'file'> = {
  peer: '@vscode/tree-sitter-wasm',
  blocks: {
    lexis: LEXIS.ecmascript,
    opens:
      /^[^(]*\b(?:class|namespace|module|global)\b[^(]*$|\bclass\b[^(]*\bextends\b|\bexports\s*=\s*$|^\s*if\b|\belse\s*$/,
  },
  definitions: {
    function_declaration: 'function',
    generator_function_declaration: 'function',
    class_declaration: 'class',
    class: 'class',
    method_definition: 'method',
    field_definition: withFunction('property', 'method'),
    pair: withFunction('key', 'function'),
    variable_declarator: variable,
    assignment_expression: assigned,
  },
  passages:
    'program export_statement lexical_declaration variable_declaration class_body statement_block expression_statement ' +
    'parenthesized_expression call_expression unary_expression arguments arrow_function function_expression ' +
    'if_statement else_clause return_statement object ERROR',
  bodies: 'class_body',
}

const TYPESCRIPT: Omit<Grammar, 'file'> = {
  ...JAVASCRIPT,
  definitions: {
    ...JAVASCRIPT.definitions,
    function_signature: { kind: 'function', announces: true },
    abstract_class_declaration: 'class',
    interface_declaration: 'interface',
    type_alias_declaration: 'type',
    enum_declaration: 'enum',
    internal_module: 'namespace',
    module: 'namespace',
    abstract_method_signature: 'method',
    method_signature: { kind: 'method', announces: true },
    public_field_definition: withFunction('name', 'method'),
  },
  passages: `${JAVASCRIPT.passages} ambient_declaration interface_body`,
}

/** JavaScript and TypeScript. */
export const ECMASCRIPT: Readonly<Record<string, Grammar>> = {
  javascript: { ...JAVASCRIPT, file: 'wasm/tree-sitter-javascript.wasm' },
  typescript: { ...TYPESCRIPT, file: 'wasm/tree-sitter-typescript.wasm' },
  tsx: { ...TYPESCRIPT, file: 'wasm/tree-sitter-tsx.wasm' },
}
