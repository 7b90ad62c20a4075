import { formatCount } from '@spillway/text/internal'
import {
  decodeJsonString,
  jsonPathStep,
  JsonWalker,
  type JsonForm,
  type JsonLayout,
  type JsonVisitor,
} from '@spillway/text/internal/json'
import { parseJsonPath, type JsonPath } from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import type { WorkClock } from '../../search/work-clock.ts'
import { RetrievalError } from '../retrieval-tool.ts'
import { abridge, quote } from '../write-answer.ts'
import type { SelectSource } from './select-json.ts'

const MAX_KEYS = 20
const MAX_KEY_UNITS = 60
const SLICE_BYTES = 262_144

type JsonKind = 'array' | 'object' | 'string' | 'number' | 'boolean' | 'null'

export interface JsonShape {
  readonly kind: JsonKind
  /** Number of items or members in the part that was read. */
  readonly count: number
  readonly keys: readonly string[]
  readonly first: { readonly kind: JsonKind; readonly keys: readonly string[] } | undefined
  readonly isComplete: boolean
}

interface ShapedValue {
  readonly start: number
  readonly end: number
  readonly form?: JsonForm
}

export async function readShape(
  source: Pick<SelectSource, 'blocks'>,
  { start, end, form = 'json' }: ShapedValue,
  clock: WorkClock,
): Promise<JsonShape | undefined> {
  const reader = new ShapeReader(form, start)
  for await (const block of source.blocks(start, end)) {
    clock.start()
    for (let from = 0; from < block.length; from += SLICE_BYTES) {
      reader.take(block.subarray(from, from + SLICE_BYTES))
      if (reader.isDone) return reader.shape()
      if (clock.needsPause) await clock.turn()
    }
    clock.stop()
  }
  return reader.shape()
}

class ShapeReader implements JsonVisitor {
  readonly #walker: JsonWalker
  #kind: JsonKind | undefined
  #count = 0
  readonly #keys: string[] = []
  #firstKind: JsonKind | undefined
  readonly #firstKeys: string[] = []

  constructor(form: JsonForm, base: number) {
    this.#walker = new JsonWalker({ form, visitor: this, base })
    if (form === 'json-lines') this.#kind = 'array'
  }

  get isDone(): boolean {
    return this.#walker.hasFailed
  }

  take(chunk: Uint8Array): void {
    this.#walker.take(chunk)
    this.#walker.advance()
  }

  shape(): JsonShape | undefined {
    if (this.#kind === undefined) return undefined
    const first = this.#firstKind === undefined ? undefined : { kind: this.#firstKind, keys: this.#firstKeys }
    const isComplete = this.#walker.isComplete
    return { kind: this.#kind, count: this.#count, keys: this.#keys, first, isComplete }
  }

  begin(_at: number, first: number): boolean {
    const level = this.#walker.levels
    if (level === 0) {
      this.#kind = kindOf(first)
      return true
    }
    const { isObject } = this.#walker.entry(level - 1)
    if (level === 1) {
      this.#count++
      if (isObject) this.#keep(this.#keys)
      if (this.#count > 1) return false
      this.#firstKind = kindOf(first)
      return this.#firstKind === 'object'
    }
    if (isObject) this.#keep(this.#firstKeys)
    return false
  }

  end(): void {
    // The kind of a value is known when the value begins.
  }

  abandon(isRecord: boolean): void {
    if (!isRecord) this.#count--
  }

  #keep(keys: string[]): void {
    if (keys.length < MAX_KEYS) keys.push(decodeJsonString(this.#walker.key(this.#walker.levels - 1)))
  }
}

export function kindOf(first: number): JsonKind {
  switch (first) {
    case 91:
      return 'array'
    case 123:
      return 'object'
    case 34:
      return 'string'
    case 110:
      return 'null'
    case 116:
    case 102:
      return 'boolean'
    default:
      return 'number'
  }
}

/** Describes JSON, for example `an array of 800; the first item is an object with the keys id, name`. */
export function describeShape({ kind, count, keys, first, isComplete }: JsonShape): string {
  const counted = isComplete ? formatCount(count) : `at least ${formatCount(count)}`
  if (kind === 'array') {
    if (first === undefined) return 'an empty array'
    const { kind: of, keys: inner } = first
    const isFirst = count === 1 ? 'the item is' : 'the first item is'
    const withKeys =
      inner.length === 0 ? '' : ` with the ${inner.length === 1 ? 'key' : 'keys'} ${listKeys(inner, inner.length)}`
    return `an array of ${counted}; ${isFirst} ${withArticle(of)}${withKeys}`
  }
  if (kind !== 'object') return withArticle(kind)
  if (count === 0) return 'an empty object'
  return `an object of ${counted} ${count === 1 ? 'key' : 'keys'}: ${listKeys(keys, count)}`
}

function withArticle(kind: JsonKind): string {
  if (kind === 'null') return kind
  return `${kind === 'array' || kind === 'object' ? 'an' : 'a'} ${kind}`
}

function listKeys(keys: readonly string[], count: number): string {
  const shown = keys.map((key) => quote(key, MAX_KEY_UNITS))
  return shown.join(', ') + (count > keys.length || keys.length === MAX_KEYS ? ', …' : '')
}

export function pathWithin(path: string, { kind, keys, first }: JsonShape): string {
  if (kind !== 'array') return path + shortStep(keys)
  return first === undefined ? path : `${path}[0]${shortStep(first.keys)}`
}

function shortStep(keys: readonly string[]): string {
  const key = keys.find(({ length }) => length <= MAX_KEY_UNITS)
  return key === undefined ? '' : jsonPathStep(key)
}

const EXAMPLE_BYTES = 262_144

export interface ReadPath extends JsonPath {
  readonly text: string
}

/** Reads a JSONPath, with or without its `$`. Throws `invalid-json-path` with a suggestion of a valid path. */
export async function readJsonPath(
  path: string,
  source: Pick<ContentSource, 'reference' | 'blocks' | 'size'>,
  layout: JsonLayout,
  clock: WorkClock,
): Promise<ReadPath> {
  const text = path.trim()
  const read = await parseJsonPath(text)
  if (!('problem' in read)) return { text, ...read }
  const completed = completePath(text)
  const again = await parseJsonPath(completed)
  if (!('problem' in again)) return { text: completed, ...again }
  const { message, position } = again.problem
  const rest = completed.slice(position)
  const place = rest === '' ? 'at its end' : `at ${quote(rest, 20)}, character ${position + 1}`
  throw new RetrievalError(
    'invalid-json-path',
    `${quote(completed, 200)} is not a JSONPath (RFC 9535): ${abridge(message, 200)}, ${place}. ` +
      `A filter is written $.items[?@.size > 10 && search(@.name, 'a|b')]. count_only counts, and sql computes.`,
    { stored: { call: { reference: source.reference, json_path: await examplePath(source, layout, clock) } } },
  )
}

/** A quoted key, a dot before brackets, another key after a dot, or empty brackets, as jq writes them. */
const FOREIGN_STEP =
  /(\.?)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<!\.)\.(?=\[)|(?<=[$A-Za-z_\].]\d*)\.(\d+)(?!\w)|\.([\w-]*[@/:$][\w@/:$+{}-]*)|\[\]/g

function completePath(text: string): string {
  const dotted = text.startsWith('/') ? text.replaceAll('/', '.') : text
  const inner = dotted.replace(/^\{(.*)\}$/s, '$1').replace(/^\.(?=$|\[)/, '')
  const rooted = inner.startsWith('$') ? inner : `$${/^(?:[.[]|$)/.test(inner) ? '' : '.'}${inner}`
  return rooted.replace(FOREIGN_STEP, (step, dot?: string, quoted?: string, index?: string, key?: string, at = 0) => {
    if (quoted !== undefined) return dot === '' ? quoted : `[${quoted}]`
    if (key !== undefined) return `${rooted[at - 1] === '.' ? '.' : ''}['${key}']`
    return index !== undefined ? `[${index},'${index}']` : step === '[]' ? '[*]' : ''
  })
}

export async function examplePath(
  source: Pick<ContentSource, 'blocks' | 'size'>,
  { start, form }: JsonLayout,
  clock: WorkClock,
): Promise<string> {
  const end = Math.min(source.size, start + EXAMPLE_BYTES)
  const shape = await readShape(source, { start, end, form }, clock)
  return shape === undefined ? '$' : pathWithin('$', shape)
}
