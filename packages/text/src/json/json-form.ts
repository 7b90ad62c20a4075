import { contentTypeEssence } from '../types/content-types.ts'
import { JsonWalker, type JsonForm, type JsonVisitor } from './json-walker.ts'
import { isJsonLinesType, isJsonType, recognizeJson } from './recognize-json.ts'

/** Bytes within which the first value must end, unless the content type declares several values. */
const PROBE_BYTES = 262_144
/** Bytes used to detect JSON, as in previews. */
const START_BYTES = 16_384
const DECLARED_SURENESS = 0.5
const LINE_FEED = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export interface JsonSource {
  readonly contentType: string
  read(offset: number, length: number): Promise<Uint8Array>
  blocks(start?: number): AsyncIterable<Uint8Array>
}

/** Layout of a JSON document. */
export interface JsonLayout {
  readonly form: JsonForm
  /** Byte offset of the first value, after a byte order mark and lines that are not JSON. */
  readonly start: number
  /** Confidence that the content is JSON, from 0 to 1. At least 0.5 if the type declares JSON. */
  readonly sureness: number
}

/**
 * Detect the JSON of a content like previews. Content without JSON counts as one value. Undeclared JSON Lines must
 * begin with an array or object within 256 KiB, followed by another one on a later line.
 */
export async function jsonLayout(source: Omit<JsonSource, 'blocks'>): Promise<JsonLayout> {
  const head = await source.read(0, PROBE_BYTES)
  const contentType = contentTypeEssence(source.contentType)
  // One character per byte, so that offsets in the text are offsets in the content.
  const start = new TextDecoder('latin1').decode(head.subarray(0, START_BYTES))
  const mark = BYTE_ORDER_MARK.every((byte, index) => head[index] === byte) ? BYTE_ORDER_MARK.length : 0
  const text = { contentType, start: start.slice(mark), isWhole: head.length <= START_BYTES }
  const { at, sureness } = recognizeJson(text)
  const isLines = isJsonLinesType(contentType)
  return {
    form: isLines || (sureness > 0 && beginsWithTwo(head.subarray(mark + at))) ? 'json-lines' : 'json',
    start: mark + at,
    sureness: isLines || isJsonType(contentType) ? Math.max(sureness, DECLARED_SURENESS) : sureness,
  }
}

function beginsWithTwo(head: Uint8Array): boolean {
  const probe = new RecordProbe(head)
  return probe.records > 1
}

class RecordProbe implements JsonVisitor {
  readonly #walker = new JsonWalker({ form: 'json-lines', visitor: this })
  readonly #head: Uint8Array
  #end = 0
  records = 0

  constructor(head: Uint8Array) {
    this.#head = head
    this.#walker.take(head)
    this.#walker.advance()
  }

  begin(at: number, first: number): boolean {
    const isContainer = first === 91 || first === 123
    if (this.#walker.levels > 1 || !isContainer) return isContainer
    if (this.records === 0 || this.#head.subarray(this.#end, at).includes(LINE_FEED)) this.records++
    // Only entered values are validated.
    return this.records === 2
  }

  end(at: number): void {
    this.#end = at
  }

  abandon(): void {
    this.records--
  }
}
