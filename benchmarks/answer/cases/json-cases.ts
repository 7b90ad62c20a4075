import { shapePaths, topArrays } from '../../preview/lib/cases.mjs'
import type { AnswerCase } from '../answer-case.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { linesCase, MIN_CHARACTERS, valueCase } from './case-parts.ts'

/** A JSON document for questions. */
export interface JsonDocument {
  readonly id: string
  readonly group: string
  readonly origin: AnswerCase['origin']
  readonly text: string
}

interface Leaf {
  readonly path: readonly (string | number)[]
  readonly value: string | number
  readonly parent: Readonly<Record<string, unknown>>
}

/** Questions about JSON, indented and on one line: a value next to another, a value by its path, and the structure. */
export function jsonCases(documents: readonly JsonDocument[], random: SeededRandom): readonly AnswerCase[] {
  return documents.flatMap((document) => {
    const value: unknown = JSON.parse(document.text)
    const leaves = random.of(document.id).shuffle(leavesOf(value).filter((leaf) => isUnique(document.text, leaf.value)))
    return [JSON.stringify(value, null, 2), JSON.stringify(value)].flatMap((text, minified) => {
      if (text.length < MIN_CHARACTERS) return []
      const result = { text, contentType: 'application/json', toolName: 'http_get' }
      const { id, group, origin } = document
      const draft = { group, origin, results: [result] }
      const name = `${id}#${minified === 1 ? 'min' : 'indented'}`
      return [
        ...siblingCase({ ...draft, id: `${name}#sibling` }, leaves),
        ...pathCase({ ...draft, id: `${name}#path` }, leaves),
        ...shapeCase({ ...draft, id: `${name}#shape` }, value),
      ]
    })
  })
}

type Start = Pick<AnswerCase, 'id' | 'group' | 'origin' | 'results'>

function siblingCase(start: Start, leaves: readonly Leaf[]): readonly AnswerCase[] {
  const text = start.results[0]?.text ?? ''
  for (const { parent, path, value } of leaves) {
    const field = path.at(-1)
    const sibling = Object.entries(parent).find(
      ([name, one]) => name !== field && isScalar(one) && isUnique(text, one) && String(one).length >= 5,
    )
    if (sibling === undefined || typeof field !== 'string') continue
    const [keyName, key] = sibling as [string, string | number]
    const question = `In the object whose ${keyName} is ${key}, what is ${field}?`
    const asks = { form: 'sibling', keyName, key, field } as const
    return [valueCase({ ...start, kind: 'json-sibling', question, asks, lines: linesOf(text, value) }, value)]
  }
  return []
}

function pathCase(start: Start, leaves: readonly Leaf[]): readonly AnswerCase[] {
  const leaf = leaves.at(-1)
  if (leaf === undefined) return []
  const { path, value } = leaf
  const question = `What is ${path.map((key) => (typeof key === 'number' ? `element ${key}` : key)).join(', then ')}?`
  const lines = linesOf(start.results[0]?.text ?? '', value)
  return [valueCase({ ...start, kind: 'json-path', question, asks: { form: 'path', path }, lines }, value)]
}

/** A question about the keys of the records, and their number. */
function shapeCase(start: Start, value: unknown): readonly AnswerCase[] {
  const paths = [...(shapePaths(value) as Map<string, string[]>).values()].filter((path) => path.length <= 2)
  const keys = [...new Set(paths.map((path) => path.at(-1) ?? '').filter((key) => key !== '*'))].slice(0, 12)
  const counts = topArrays(value).map(String)
  if (keys.length === 0) return []
  const question = 'Which keys does this document have, two levels deep, and how long are its arrays?'
  const lines = [[[1, 60]]] as const
  const recall = ({ shown }: { readonly shown: string }): number => {
    const plain = shown.replaceAll(/(\d),(?=\d{3})/g, '$1')
    const needed = [...keys, ...counts]
    return needed.filter((one) => plain.includes(one)).length / needed.length
  }
  return [{ ...linesCase({ ...start, kind: 'overview', question, asks: { form: 'overview' }, lines }, keys), recall }]
}

const isScalar = (value: unknown): value is string | number =>
  (typeof value === 'string' && value.length <= 120 && !/[\n"\\]/.test(value)) || Number.isSafeInteger(value)

/** Whether a value occurs once in a text. A preview with such a value shows the answer. */
function isUnique(text: string, value: string | number): boolean {
  const written = String(value)
  return written.length >= 5 && text.includes(written) && text.indexOf(written) === text.lastIndexOf(written)
}

function leavesOf(value: unknown): readonly Leaf[] {
  const leaves: Leaf[] = []
  const walk = (node: unknown, path: readonly (string | number)[]): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, child] of Object.entries(node)) {
      const to = [...path, Array.isArray(node) ? Number(name) : name]
      if (isScalar(child) && String(child).length >= 5 && !Array.isArray(node))
        leaves.push({ path: to, value: child, parent: node as Record<string, unknown> })
      else walk(child, to)
    }
  }
  walk(value, [])
  return leaves
}

function linesOf(text: string, value: string | number): AnswerCase['lines'] {
  const line = text.slice(0, text.indexOf(String(value))).split('\n').length
  return [[[line, line]]]
}
