import { contentTypeEssence } from '../content-type-essence.ts'
import type { ContentSource } from '../content-source.ts'
import { JsonWalker } from './json-walker.ts'
import type { JsonForm } from './json-walker.ts'

/** Content types of values one after the other, without `x-`. */
const LINES_TYPE = /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|json-seq)$/
/** Bytes in which the first value must end, where the content type does not say that there are several. */
const PROBE_BYTES = 262_144

const LINE_FEED = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** How a document of JSON is laid out. */
export interface JsonLayout {
  readonly form: JsonForm
  /** Where it begins: after a byte order mark. */
  readonly start: number
}

/**
 * Tell how the JSON of a content is laid out: by its type; or else JSON Lines where the first value is an array or an
 * object that ends within the first 256 KiB, and another one begins on a line below. What is no JSON counts as one value.
 */
export async function jsonLayout(source: Pick<ContentSource, 'contentType' | 'read'>): Promise<JsonLayout> {
  const head = await source.read(0, PROBE_BYTES)
  const start = BYTE_ORDER_MARK.every((byte, index) => head[index] === byte) ? BYTE_ORDER_MARK.length : 0
  const isLines = LINES_TYPE.test(contentTypeEssence(source.contentType)) || beginsWithTwo(head.subarray(start))
  return { form: isLines ? 'json-lines' : 'json', start }
}

function beginsWithTwo(head: Uint8Array): boolean {
  let end = -1
  const visitor = { begin: () => false, end: (at: number) => void (end = at) }
  const walker = new JsonWalker({ form: 'json', visitor })
  walker.take(head)
  walker.advance()
  if (!walker.hasFailed || end < 0) return false
  const next = walker.position
  return isContainer(head[end - 1], 1) && isContainer(head[next], 0) && head.subarray(end, next).includes(LINE_FEED)
}

/** Whether a byte is the first or the last one of an array or an object. */
function isContainer(byte: number | undefined, side: 0 | 1): boolean {
  return byte === (side === 0 ? 91 : 93) || byte === (side === 0 ? 123 : 125)
}
