import {
  documentText,
  indentLargeJson,
  isMediaBlock,
  yieldWhenDue,
  type ContentBlock,
  parseJsonText,
} from '@spillway/text/internal'
import { besideStrings, parseExactJson } from '@spillway/text/internal/json'
import { RedactionError, type Redact } from './redact-text.ts'

/** Redacts text, JSON, text of documents, names and links. Unchanged blocks stay the same objects. */
export async function redactContent(
  content: readonly ContentBlock[],
  redact: Redact,
  caller?: unknown,
): Promise<readonly ContentBlock[]> {
  const blocks: ContentBlock[] = []
  for (const block of content) {
    blocks.push(redactNames(await redactBlock(block, redact, caller), redact))
    await yieldWhenDue(caller)
  }
  return blocks.every((block, index) => block === content[index]) ? content : blocks
}

async function redactBlock(block: ContentBlock, redact: Redact, caller: unknown): Promise<ContentBlock> {
  if (block.type === 'text') {
    const text = await redactLarge(block.text, redact, caller)
    return text === block.text ? block : { ...block, text }
  }
  if (block.type === 'json' || block.type === 'unknown') {
    const json = await indentLargeJson(block.value, caller)
    // A framework may still write such an object in its own way.
    if (json === undefined && Object(block.value) === block.value && typeof block.value !== 'function')
      throw new RedactionError('A value cannot be written as JSON: it has a cycle or a bigint, or a getter throws.')
    if (json === undefined) return block
    const left = await redactLargeJson(json, redact, caller)
    if (left === json) return block
    const value = parseJsonText(left)
    if (value === undefined) return { type: 'text', text: await redactLarge(json, redact, caller) }
    return { ...block, value: JSON.stringify(value, null, 2) === left ? value : parseExactJson(left) }
  }
  if (block.type === 'link') {
    const url = redact(block.url)
    return url === block.url ? block : { ...block, url }
  }
  if (!isMediaBlock(block) || block.type !== 'document' || block.data === undefined) return block
  const document = documentText(block.data, block.mediaType)
  if (document === undefined) return block
  const text = await redactLarge(document.text, redact, caller)
  return text === document.text ? block : { ...block, mediaType: document.contentType, data: encoder.encode(text) }
}

const encoder = new TextEncoder()

function redactNames(block: ContentBlock, redact: Redact): ContentBlock {
  if (block.type === 'unknown') return block
  const fields = block as { readonly name?: unknown; readonly context?: unknown }
  const redacted: Record<string, string> = {}
  for (const field of ['name', 'context'] as const) {
    const text = fields[field]
    const left = typeof text === 'string' ? redact(text) : text
    if (typeof left === 'string' && left !== text) redacted[field] = left
  }
  return Object.keys(redacted).length === 0 ? block : { ...block, ...redacted }
}

/** Redact each text in a JSON document, then the whole document. Returns `undefined` if the result is not JSON. */
export function redactedJson(json: string, redact: (text: string) => string): string | undefined {
  const edit = new JsonEdit(json)
  for (const string of jsonStrings(json)) edit.replace(string, redact(string.text))
  const text = redact(edit.finish())
  return text === json || parseJsonText(text) !== undefined ? text : undefined
}

/** Redact each text in a JSON document, then the whole document, and yield to the event loop. */
async function redactLargeJson(json: string, redact: Redact, caller: unknown): Promise<string> {
  const edit = new JsonEdit(json)
  for (const string of jsonStrings(json)) {
    edit.replace(string, await redactLarge(string.text, redact, caller))
    await yieldWhenDue(caller)
  }
  return await redactLarge(edit.finish(), redact, caller)
}

/** A string in a JSON document, and its position with quotes. */
interface JsonString {
  readonly text: string
  readonly start: number
  readonly end: number
}

const KEY_END = /\s*:/y

/** Find the strings of a valid JSON document that are not keys. */
function* jsonStrings(json: string): Generator<JsonString> {
  for (const { end: start, next: end } of besideStrings(json)) {
    KEY_END.lastIndex = end
    if (start < end && !KEY_END.test(json)) yield { text: JSON.parse(json.slice(start, end)) as string, start, end }
  }
}

/** Replaces strings of a JSON document from its start to its end. */
class JsonEdit {
  readonly #json: string
  readonly #parts: string[] = []
  #at = 0

  constructor(json: string) {
    this.#json = json
  }

  replace({ text, start, end }: JsonString, by: string): void {
    if (by === text) return
    this.#parts.push(this.#json.slice(this.#at, start), JSON.stringify(by))
    this.#at = end
  }

  finish(): string {
    return this.#parts.join('') + this.#json.slice(this.#at)
  }
}

/** Number of UTF-16 units that are redacted at once. */
const PIECE_UNITS = 262_144

async function redactLarge(text: string, redact: Redact, caller: unknown): Promise<string> {
  if (text.length <= PIECE_UNITS) return redact(text)
  const arriving = new ArrivingRedaction(redact)
  const parts: string[] = []
  for (let at = 0; at < text.length; at += PIECE_UNITS) {
    parts.push(arriving.push(text.slice(at, at + PIECE_UNITS)))
    await yieldWhenDue(caller)
  }
  return [...parts, arriving.finish()].join('')
}

/** Longest text that is held, in UTF-16 units. A longer line without a position to cut cannot be redacted. */
const MAX_HELD_UNITS = 2_097_152
/** UTF-16 units that are redacted before and after a possible cut, to find out whether a match crosses it. */
const WINDOW_UNITS = 8_192
const KEY_BEGINNING = '-----BEGIN '

/** Redacts text that arrives in chunks. The last line is kept until it is complete, and a private key until its end. */
export class ArrivingRedaction {
  readonly #redact: Redact
  #held = ''

  constructor(redact: Redact) {
    this.#redact = redact
  }

  /** Adds a chunk, and returns the redacted text that is complete. */
  push(text: string): string {
    this.#held += text
    if (this.#held.length < WINDOW_UNITS) return ''
    const cut = this.#findCut()
    const complete = this.#held.slice(0, cut)
    this.#held = this.#held.slice(cut)
    return this.#redact(complete)
  }

  /** Returns the remaining text. */
  finish(): string {
    const rest = this.#redact(this.#held)
    this.#held = ''
    return rest
  }

  #findCut(): number {
    const held = this.#held
    const lineEnd = held.lastIndexOf('\n') + 1
    const key = held.lastIndexOf(KEY_BEGINNING, lineEnd)
    const isOpenKey = key !== -1 && held.length - key < PIECE_UNITS && !held.slice(key, lineEnd).includes('-----END ')
    const cut = isOpenKey ? key : lineEnd
    return cut > 0 || held.length < MAX_HELD_UNITS ? cut : this.#cutLine()
  }

  /** Finds a position in a long line that no match crosses. */
  #cutLine(): number {
    const held = this.#held
    for (let at = held.length - WINDOW_UNITS; at > WINDOW_UNITS; at -= WINDOW_UNITS) {
      const [before, after] = [held.slice(at - WINDOW_UNITS, at), held.slice(at, at + WINDOW_UNITS)]
      const isPair = (after.charCodeAt(0) & 0xfc00) === 0xdc00
      if (!isPair && this.#redact(before + after) === this.#redact(before) + this.#redact(after)) return at
    }
    throw new RedactionError(
      'A line could not be redacted: it is too long, and there is no position where it can be cut.',
    )
  }
}

/** Redacts the bytes of a text while they arrive. The result is UTF-8. */
export async function* redactChunks(
  chunks: AsyncIterable<Uint8Array>,
  decoder: TextDecoder,
  redact: Redact,
): AsyncGenerator<Uint8Array> {
  const arriving = new ArrivingRedaction(redact)
  for await (const chunk of chunks) {
    const text = arriving.push(decoder.decode(chunk, { stream: true }))
    if (text !== '') yield encoder.encode(text)
  }
  const last = arriving.push(decoder.decode()) + arriving.finish()
  if (last !== '') yield encoder.encode(last)
}
