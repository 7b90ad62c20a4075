import type { Language, Node, Tree } from 'web-tree-sitter'
import { FUNCTIONS } from '../source/outline.ts'
import type { DefinitionRule, Grammar } from './grammar.ts'

export interface FoundDefinition {
  readonly name: string
  readonly kind: string
  readonly nameStart: number
  readonly start: number
  readonly end: number
  /** Number of enclosing definitions. */
  readonly depth: number
  readonly announces: boolean
  /** Whether the definition is within a function. */
  readonly isInner: boolean
}

export interface SearchPlan {
  /** Actions for each node type, as bits. */
  readonly actions: Uint8Array
  readonly rules: ReadonlyMap<number, DefinitionRule>
}

const PASSAGE = 1
const CLOSURE = 2
const DEFINITION = 4
/** Types of nodes for functions without a name. */
const CLOSURES: ReadonlySet<string> = new Set(['arrow_function', 'function_expression'])
const LONGEST_NAME = 200

export function planSearch(language: Language, grammar: Grammar): SearchPlan {
  const { definitions = {}, named = '' } = grammar
  const passages = new Set(grammar.passages.split(' '))
  const types = new Set(named.split(' '))
  const actions = new Uint8Array(language.types.length)
  const rules = new Map<number, DefinitionRule>()
  for (const [id, type] of language.types.entries()) {
    if (!language.nodeTypeIsNamed(id)) continue
    const kind = types.has(type) ? type.split('_', 1)[0] : undefined
    const rule = Object.hasOwn(definitions, type) ? definitions[type] : kind
    if (rule !== undefined) rules.set(id, typeof rule === 'string' ? { kind: rule } : rule)
    actions[id] =
      (passages.has(type) ? PASSAGE : 0) | (CLOSURES.has(type) ? CLOSURE : 0) | (rule === undefined ? 0 : DEFINITION)
  }
  return { actions, rules }
}

/** Return definitions in the order of their starts. Visit only nodes that the plan needs, because trees may be deep. */
export function findDefinitions(tree: Tree, plan: SearchPlan): FoundDefinition[] {
  const found: FoundDefinition[] = []
  const cursor = tree.walk()
  /** For each enclosing node, its depth and whether it is in a function. */
  const around: { readonly depth: number; readonly isInner: boolean }[] = []
  let place = { depth: 0, isInner: false }
  try {
    for (let goesOn = true; goesOn;) {
      const type = cursor.nodeTypeId
      const isError = type === 65_535
      const action = isError ? PASSAGE : (plan.actions[type] ?? 0)
      const rule = (action & DEFINITION) === 0 ? undefined : plan.rules.get(type)
      const definition = rule === undefined ? undefined : defined(cursor.currentNode, rule, place)
      if (definition !== undefined) found.push(definition)
      if (action !== 0 && cursor.gotoFirstChild()) {
        around.push(place)
        const encloses = definition !== undefined && rule?.alongside !== true
        const isFunction = (action & CLOSURE) !== 0 || (definition !== undefined && FUNCTIONS.test(definition.kind))
        place = { depth: place.depth + (encloses ? 1 : 0), isInner: place.isInner || isFunction }
        continue
      }
      while (!cursor.gotoNextSibling()) {
        if (around.length === 0 || !cursor.gotoParent()) {
          goesOn = false
          break
        }
        place = around.pop()!
      }
    }
  } finally {
    cursor.delete()
  }
  return found
}

function defined(
  node: Node,
  rule: DefinitionRule,
  { depth, isInner }: Pick<FoundDefinition, 'depth' | 'isInner'>,
): FoundDefinition | undefined {
  const named = rule.name === undefined ? node.childForFieldName('name') : rule.name(node)
  if (named === null || named === undefined) return undefined
  const nameStart = named.startIndex
  const name = named.text
    .slice(0, LONGEST_NAME)
    .replace(/\s+/g, ' ')
    .replace(/^\s*["']|["']\s*$/g, '')
  if (name === '') return undefined
  return {
    name,
    kind: typeof rule.kind === 'string' ? rule.kind : rule.kind(node),
    nameStart,
    start: node.startIndex,
    end: node.endIndex,
    depth: depth + (rule.member?.(node) === true ? 1 : 0),
    announces: rule.announces === true,
    isInner,
  }
}
