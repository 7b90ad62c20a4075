import { yieldWhenDue } from '@spillway/text/internal'
import { mediaFromData } from '../content/media-source.ts'
import { isContentType } from '../storage/storage-input.ts'
import { mediaTokensOfSize } from './measure-content.ts'
import type { EmbeddedMedia, StoragePart } from './store-blocks.ts'

/** Shortest Base64 to replace. Shorter Base64 costs fewer tokens than a placeholder and a reference. */
const MIN_UNITS = 512
/** Distance between inspected positions. Every run of `MIN_UNITS` contains at least two of these positions. */
const PROBE_DISTANCE = 250
const PROBES_AT_ONCE = 64
/** Units that are scanned or unescaped at once. */
const PIECE_UNITS = 65_536
/** Length of the longest escape. */
const ESCAPE_UNITS = 6
/** Shortest line of Base64 in MIME and PEM, except for the last line. */
const MIN_LINE_UNITS = 60
/** UTF-16 units before and after a run of Base64 that are searched for its media type. */
const NEARBY_UNITS = 500
const SNIFFED_UNITS = 2_000
const UNKNOWN = 'application/octet-stream'

/** Digits of both Base64 alphabets, and the backslash, because Base64 in JSON may contain `\/`, `\n` or `\u002b`. */
const IS_DIGIT: readonly boolean[] = Array.from({ length: 128 }, (_, unit) =>
  /[\w+/\\-]/.test(String.fromCharCode(unit)),
)
const ESCAPE = /[\r\n]+|\\+(?:u([\da-f]{4})|[nrt])?/gi
/** Characters that may follow a complete file. Before any other character, the Base64 was cut or continues. */
const ENDING = /^(?:$|[\s"'`)\]}>,;<&|=])/
const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,$/i
const MEDIA_TYPE = /(?:mime|media|content)[_-]?type\\*["']?\s*[:=]\s*\\*["']([\w.+-]+\\*\/[\w.+-]+)/i
const DATA_FIELD = /(?:data|blob|base64|bytes|body|content)\\*["']\s*:\s*\\*["']$/i

/** Largest number of files with a reference. References of thousands of small images would fill the context. */
const MAX_EMBEDDED = 16

/** After each text, adds the files in Base64 that the text contains. The text itself is unchanged. */
export async function withEmbeddedMedia(parts: readonly StoragePart[], caller: unknown): Promise<StoragePart[]> {
  const all: StoragePart[] = []
  for (const part of parts) {
    const found = part.text === undefined ? [] : await findEmbeddedMedia(part.text, caller)
    const largest = found.toSorted((a, b) => b.data.byteLength - a.data.byteLength).slice(0, MAX_EMBEDDED)
    const embedded = found.map((media, index): EmbeddedMedia =>
      largest.includes(media) ? { ...media, key: `${part.key}_m${index + 1}` } : media,
    )
    const text = found.length === 0 ? part : { ...part, embedded }
    all.push(text)
    for (const { key, type, mediaType: contentType, data } of embedded) {
      const tokens = mediaTokensOfSize(type, data.byteLength)
      if (key !== undefined) all.push({ type, key, contentType, data, tokens, foundIn: text })
    }
  }
  return all
}

/** Finds files in Base64 by a data URL, a type beside the Base64, or the first bytes. Inspects one unit in 250. */
export async function findEmbeddedMedia(text: string, caller?: unknown): Promise<EmbeddedMedia[]> {
  const found: EmbeddedMedia[] = []
  let from = 0
  let probes = 0
  for (let at = 0; at < text.length; at = Math.max(at, from) + PROBE_DISTANCE) {
    // If a line ends here, the Base64 may continue at the next position.
    const inside = isDigit(text, at) ? at : at + 1
    if (isDigit(text, inside)) {
      const run = shortRun(text, inside, from) ?? (await runAround(text, inside, from, caller))
      const media = run.end - run.start < MIN_UNITS ? undefined : await readRun(text, run.start, run.end, caller)
      if (media !== undefined) found.push(media)
      from = run.until
    }
    if (++probes % PROBES_AT_ONCE === 0 || from - at > MIN_UNITS) await yieldWhenDue(caller)
  }
  return found
}

const isDigit = (text: string, at: number): boolean => IS_DIGIT[text.charCodeAt(at)] === true

/** Finds a run of Base64 that is within a line and shorter than a line of Base64. */
function shortRun(text: string, at: number, from: number) {
  let start = at
  while (start > from && at - start < MIN_LINE_UNITS && isDigit(text, start - 1)) start--
  let end = at
  while (end - start < MIN_LINE_UNITS && isDigit(text, end)) end++
  if (end - start >= MIN_LINE_UNITS || text[start - 1] === '\n' || text[end - 1] === '\\') return undefined
  while (text[end] === '=') end++
  return { start, end, until: end }
}

/** Finds the run of Base64 around a position. A run continues over a line end only if the line before it is long. */
async function runAround(text: string, at: number, from: number, caller: unknown) {
  let start = at
  for (let lineEnd = 1; lineEnd > 0; start -= lineEnd) {
    while (start > from && isDigit(text, start - 1)) start--
    lineEnd = text[start - 1] !== '\n' ? 0 : text[start - 2] === '\r' ? 2 : 1
    for (let back = 1; back <= MIN_LINE_UNITS && lineEnd > 0; back++)
      if (start - lineEnd - back < from || !isDigit(text, start - lineEnd - back)) lineEnd = 0
  }
  let end = start
  let lineBefore = end
  let scanned = 0
  for (let line = end; ; line = end) {
    for (; isDigit(text, end); end++) if (++scanned % PIECE_UNITS === 0) await yieldWhenDue(caller)
    const next = text[end] === '\n' ? end + 1 : text.startsWith('\r\n', end) ? end + 2 : end
    if (next === end || end - line < MIN_LINE_UNITS || !isDigit(text, next)) break
    lineBefore = end
    end = next
  }
  // A word in the line after the Base64 is not a part of the Base64.
  if (lineBefore > start && !ENDING.test(text.charAt(end))) end = lineBefore
  const until = end
  // A backslash before a quote escapes the quote.
  while (end > start && text[end - 1] === '\\') end--
  while (text[end] === '=') end++
  return { start, end, until: Math.max(until, end) }
}

async function readRun(text: string, start: number, end: number, caller: unknown) {
  const before = text.slice(Math.max(0, start - NEARBY_UNITS), start)
  const after = text.slice(end, end + NEARBY_UNITS)
  if (!ENDING.test(after.replace(/^\\+/, ''))) return undefined
  const scheme = before.lastIndexOf('data:')
  const url = scheme === -1 ? null : DATA_URL.exec(before.slice(scheme).replaceAll('\\', ''))
  const declared = url?.[1] ?? typeBeside(before, after)
  const head = unescaped(text.slice(start, Math.min(end, start + SNIFFED_UNITS)))
  const signed = mediaFromData('', head.slice(0, head.length - (head.length % 4)))?.mediaType ?? UNKNOWN
  // Most long words are not files, so they are not decoded completely.
  if (declared === undefined && signed === UNKNOWN) return undefined
  const block = mediaFromData(
    isContentType(declared) ? declared : signed,
    await unescapedInTurns(text.slice(start, end), caller),
  )
  if (block?.data === undefined) return undefined
  const { type, mediaType, data } = block
  return { start: url === null ? start : start - before.length + scheme, end, type, mediaType, data }
}

/** Returns the type in the same JSON object as a data field. The type may be before or after the field. */
function typeBeside(before: string, after: string): string | undefined {
  if (!DATA_FIELD.test(before)) return undefined
  const fields = [before.split(/[{}]/).at(-1) ?? '', after.split(/[{}]/, 1)[0] ?? '']
  return fields.map((text) => MEDIA_TYPE.exec(text)?.[1]?.replaceAll('\\', '')).find((type) => type !== undefined)
}

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, code: string | undefined) =>
    code === undefined ? '' : String.fromCharCode(parseInt(code, 16)),
  )

async function unescapedInTurns(text: string, caller: unknown): Promise<string> {
  const parts: string[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    // A piece may end before a backslash, but not within an escape.
    const escape = text.slice(at + PIECE_UNITS - ESCAPE_UNITS, at + PIECE_UNITS).lastIndexOf('\\')
    end = at + PIECE_UNITS + (escape < 0 ? 0 : escape - ESCAPE_UNITS)
    parts.push(unescaped(text.slice(at, end)))
    await yieldWhenDue(caller)
  }
  return parts.join('')
}
