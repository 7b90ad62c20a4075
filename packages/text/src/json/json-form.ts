import { contentTypeEssence } from '../types/content-types.ts'
import type { JsonForm } from './json-walker.ts'
import { isJsonLinesType, isJsonType, recognizeJson } from './recognize-json.ts'

/** Number of bytes that are read to detect JSON. A second value is only noticed if it begins in these bytes. */
const START_BYTES = 65_536
const DECLARED_SURENESS = 0.5
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export interface JsonSource {
  readonly contentType: string
  /** Identity of the caller, for fair turns between callers. */
  readonly caller?: unknown
  read(offset: number, length: number): Promise<Uint8Array>
  blocks(start?: number): AsyncIterable<Uint8Array>
}

export interface JsonLayout {
  readonly form: JsonForm
  /** Byte offset of the first value, after a byte order mark and lines that are not JSON. */
  readonly start: number
  /** Confidence that the content is JSON, from 0 to 1. At least 0.5 if the content type declares JSON. */
  readonly sureness: number
}

/**
 * Detect the JSON of a content in the same way as previews. Content that is not JSON has the form `json`. If the
 * content type does not declare JSON Lines, two arrays or objects must begin in the first 64 KiB.
 */
export async function jsonLayout(source: Omit<JsonSource, 'blocks'>): Promise<JsonLayout> {
  const head = await source.read(0, START_BYTES)
  const contentType = contentTypeEssence(source.contentType)
  // Latin-1 has one character per byte, so offsets in the text are offsets in the content.
  const start = new TextDecoder('latin1').decode(head)
  const mark = BYTE_ORDER_MARK.every((byte, index) => head[index] === byte) ? BYTE_ORDER_MARK.length : 0
  const text = { contentType, start: start.slice(mark), isWhole: head.length < START_BYTES }
  const { at, sureness, many } = recognizeJson(text)
  const isLines = isJsonLinesType(contentType)
  return {
    form: isLines || (sureness > 0 && many) ? 'json-lines' : 'json',
    start: mark + at,
    sureness: isLines || isJsonType(contentType) ? Math.max(sureness, DECLARED_SURENESS) : sureness,
  }
}
