import { contentTypeEssence } from '../types/content-types.ts'
import { JsonWalker, type JsonForm, type JsonVisitor } from './json-walker.ts'
import { isJsonLinesType, isJsonType, recognizeJson } from './recognize-json.ts'

/** Bytes in which the first value must end, where the content type does not say that there are several. */
const PROBE_BYTES = 262_144
/** Bytes by which the beginning is found: as much as previews look at. */
const START_BYTES = 16_384

const DECLARED_SURENESS = 0.5
const LINE_FEED = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** What reading JSON needs of a content. */
export interface JsonSource {
  readonly contentType: string
  /** Return up to `length` bytes from `offset`, fewer where the content ends before. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** The bytes from `start`, block by block. */
  blocks(start?: number): AsyncIterable<Uint8Array>
}

/** How a document of JSON is laid out. */
export interface JsonLayout {
  readonly form: JsonForm
  /** Byte at which it begins: after a byte order mark, and after lines that are no JSON. */
  readonly start: number
  /** How sure it is that the content is JSON, from 0 to 1: at least half, if it is declared so. */
  readonly sureness: number
}

/**
 * Find the JSON of a content, as previews do, and how it is laid out: by its type; or else JSON Lines if the first value is
 * an array or an object that ends within the first 256 KiB, and another one begins on a line below. Content without JSON
 * counts as one value.
 */
export async function jsonLayout(source: Omit<JsonSource, 'blocks'>): Promise<JsonLayout> {
  const head = await source.read(0, PROBE_BYTES)
  const contentType = contentTypeEssence(source.contentType)
  // One character for each byte: then a place in the text is one in the content.
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

/** Counts the arrays and objects that begin on lines of their own. */
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
    // Only what is entered is seen to be no JSON.
    return this.records === 2
  }

  end(at: number): void {
    this.#end = at
  }

  abandon(): void {
    this.records--
  }
}
