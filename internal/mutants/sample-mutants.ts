/** Small faults in the sources of the packages, and a fixed random sample of the faults. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** One fault: replaces the text from `start` to `end` in a file. Offsets are UTF-16 code units. */
export interface Mutant {
  /** Stays the same as long as the replaced text occurs equally often before `start`. */
  readonly id: string
  /** Path relative to the root, with slashes. */
  readonly file: string
  readonly line: number
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly original: string
  readonly replacement: string
  /** Whether the replaced text is a statement. Otherwise, it is an expression. */
  readonly isStatement: boolean
}

/** A node of the syntax tree, as in ESTree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

const SOURCES = 'packages/{text,previews,core,history,server,cli,storage/*,adapters/*}/src/**/*.ts'
const NOT_SOURCES = /\.test\.ts$|\.d\.ts$|^packages\/(?:adapters|storage)\/testing\/|\/conformance\//

const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}

/**
 * Return `count` faults of the sources at `root`. The choice depends only on the seed and the text of each file, so a
 * change of one file does not change the sample of other files.
 */
export function sampleMutants(root: string, count: number, seed: string): Mutant[] {
  const ranked = globSync(SOURCES, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !NOT_SOURCES.test(path) && !path.includes('node_modules/'))
    .flatMap((file) => {
      const occurrences = new Map<string, number>()
      return listMutants(file, readFileSync(join(root, file), 'utf8')).map((mutant) => {
        const text = `${mutant.operator} ${mutant.original}`
        const occurrence = (occurrences.get(text) ?? 0) + 1
        occurrences.set(text, occurrence)
        const rank = createHash('sha256').update([seed, file, text, occurrence].join('\0')).digest('hex')
        return { rank, mutant: { ...mutant, id: rank.slice(0, 12) } }
      })
    })
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

/** List all faults that the operators create in one file. */
function listMutants(file: string, text: string): Omit<Mutant, 'id'>[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const mutants: Omit<Mutant, 'id'>[] = []
  const add = (node: Node, operator: string, replacement: string): void => {
    if (text.slice(node.start, node.end) === replacement) return
    mutants.push({
      file,
      line: text.slice(0, node.start).split('\n').length,
      operator,
      start: node.start,
      end: node.end,
      original: text.slice(node.start, node.end),
      replacement,
      isStatement: node.type === 'ExpressionStatement',
    })
  }
  const source = (node: Node): string => text.slice(node.start, node.end)
  visit(program as unknown as Node, (node) => {
    const child = (name: string): Node => node[name] as Node
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const operator = node['operator'] as string
        const [left, right] = [child('left'), child('right')]
        const opposite = OPPOSITES[operator]
        if (opposite !== undefined)
          add(node, `${operator} to ${opposite}`, `(${source(left)}) ${opposite} (${source(right)})`)
        else if (operator === '??') add(node, 'the fallback of ?? only', source(right))
        break
      }
      case 'IfStatement':
      case 'ConditionalExpression':
        add(child('test'), 'condition to true', 'true')
        add(child('test'), 'condition to false', 'false')
        break
      case 'WhileStatement':
        add(child('test'), 'condition to false', 'false')
        break
      case 'UnaryExpression':
        if (node['operator'] === '!') add(node, '! away', `(${source(child('argument'))})`)
        break
      case 'UpdateExpression':
        add(
          node,
          'count the other way',
          source(node).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++')),
        )
        break
      case 'Literal': {
        const value = node['value']
        if (typeof value === 'boolean') add(node, 'the other boolean', String(!value))
        else if (typeof value === 'number') add(node, 'number plus 1', `(${source(node)} + 1)`)
        else if (typeof value === 'string') add(node, 'another string', value === '' ? "'mutant'" : "''")
        break
      }
      case 'ReturnStatement':
        if (node['argument'] != null) add(child('argument'), 'return undefined', 'undefined')
        break
      case 'ExpressionStatement':
        if (node['directive'] == null && /^(?:Call|Await|Assignment)Expression$/.test(child('expression').type))
          add(node, 'statement away', ';')
        break
    }
  })
  return mutants
}

/** Fields with nodes that do not run: types, names, and the specifiers of modules. */
const NOT_VISITED = new Set(['typeAnnotation', 'typeParameters', 'typeArguments', 'returnType', 'superTypeArguments'])

function visit(node: Node, enter: (node: Node) => void): void {
  if (/^(?:TS(?!As|NonNull|Satisfies)|Import|ExportAll)/.test(node.type)) return
  enter(node)
  for (const [field, value] of Object.entries(node)) {
    if (NOT_VISITED.has(field) || (field === 'key' && node['computed'] !== true)) continue
    if (field === 'source' && node.type.startsWith('Export')) continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, enter)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string' && 'start' in value
}
