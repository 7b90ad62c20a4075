import { isAsRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryToolCall, HistoryMedia } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { itemTextField, shellText } from './item-content.ts'
import type { CallKind, ItemDialect } from './item-dialect.ts'
import { jsonText } from './json-text.ts'
import { withFields } from './with-fields.ts'
import { base64Of, urlOf } from './media-source.ts'

const MARKS = ['prompt_cache_breakpoint', 'promptCacheBreakpoint', 'providerData']

/** Write an item with the parts that its message has now; all other fields stay, in their order. */
export function patchItem(native: Fields, message: HistoryMessage, index: number, dialect: ItemDialect): Fields {
  const place = `items[${index}]`
  const [part] = message.parts
  const call = dialect.calls.get(native['type'])
  if (call !== undefined)
    return part?.type === 'tool-call' && !isAsRead(part) ? patchCall(native, part, call, place) : native
  const result = dialect.results.get(native['type'])
  if (result === undefined && native['role'] === undefined) return native
  if (result === undefined) {
    const pieces = message.parts as readonly HistoryContent[]
    const textType = message.role === 'assistant' ? 'output_text' : 'input_text'
    return withFields(native, { content: writeContent(native['content'], pieces, textType, '\n\n', dialect, place) })
  }
  if (part?.type !== 'tool-result' || isAsRead(part) || result === 'screenshot') return native
  const { output } = native
  if (result === 'shell') return withFields(native, { output: writeShell(output, part.content, dialect.format, place) })
  const written = writeContent(
    output,
    part.content,
    isFields(output) && part.content.length === 1 ? 'text' : 'input_text',
    '\n',
    dialect,
    place,
  )
  return withFields(native, { output: written })
}

function patchCall(native: Fields, { input }: HistoryToolCall, kind: CallKind, place: string): Fields {
  const field = kind.input.find((name) => native[name] != null)
  if (field === undefined) return native
  const before = native[field]
  if (before === input) return native
  if (typeof before === 'string')
    return { ...native, [field]: typeof input === 'string' ? input : jsonText(input, place) }
  if (kind.textIn === undefined || !isFields(before)) return native
  // These have a form of their own, which other arguments do not have: their text goes where any text may stand.
  if (isFields(input) && Object.keys(before).every((name) => Object.hasOwn(input, name)))
    return { ...native, [field]: input }
  const texts = Object.values(Object(input) as Fields).filter((value) => typeof value === 'string')
  const text = texts.length === 1 ? texts[0] : jsonText(input, place)
  return { ...native, [field]: { ...before, [kind.textIn]: Array.isArray(before[kind.textIn]) ? [text] : text } }
}

function writeContent(
  original: unknown,
  pieces: readonly HistoryContent[],
  textType: string,
  separator: string,
  dialect: ItemDialect,
  place: string,
): unknown {
  const fresh = new Set<WrittenPiece>()
  const toPart = (text: string): Fields => ({ type: textType, text })
  const written = pieces.map((piece): WrittenPiece => {
    const own = piece.native?.format === dialect.format ? piece.native.value : undefined
    if (own !== undefined && (isAsRead(piece) || piece.type !== 'text')) return own as WrittenPiece
    if (piece.type === 'text' && typeof own === 'string') return piece.text
    const field = isFields(own) ? itemTextField(own) : undefined
    if (isFields(own) && field !== undefined && piece.type === 'text') return withFields(own, { [field]: piece.text })
    const part = piece.type === 'text' ? toPart(piece.text) : writeItemPart(piece, 'user', dialect, place)
    if (piece.type === 'text' || piece.type === 'json') fresh.add(part)
    return part
  })
  return writeContentList({ original, pieces: written, fresh, toPart, separator, marks: MARKS })
}

/** Write what commands wrote: an entry for each text, which says how its command ended as the last one did. */
function writeShell(original: unknown, pieces: readonly HistoryContent[], format: string, place: string): unknown {
  const before: readonly unknown[] = Array.isArray(original) ? original : []
  const last = Object(before.at(-1) ?? {}) as Fields
  const written = pieces.map((piece) => {
    const own = piece.native?.format === format ? piece.native.value : undefined
    if (own !== undefined && (isAsRead(piece) || piece.type !== 'text')) return own
    const text = piece.type === 'text' ? piece.text : jsonText(piece.type === 'json' ? piece.value : piece, place)
    if (isFields(own)) return shellText(own) === text ? own : withFields(own, { stdout: text, stderr: '' })
    return { ...last, stdout: text, stderr: '', outcome: last['outcome'] ?? { type: 'exit', exit_code: 0 } }
  })
  return written.length === before.length && written.every((entry, at) => entry === before[at]) ? original : written
}

/** Write a piece of content as a part of a message or result. Throws a `TypeError` for what no part can have. */
export function writeItemPart(piece: HistoryContent, role: string, dialect: ItemDialect, place: string): Fields {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  if (piece.type === 'text') return { type, text: piece.text }
  if (piece.type === 'json') return { type, text: jsonText(piece.value, place) }
  const part = piece.type === 'opaque' || role !== 'user' ? undefined : writeMedia(piece, dialect)
  if (part !== undefined) return part
  throw new TypeError(
    `${place}: an item of ${role === 'user' ? 'the user' : `the ${role}`} has no place for this ${piece.type}.`,
  )
}

function writeMedia(media: HistoryMedia, { format }: ItemDialect): Fields | undefined {
  const url = urlOf(media)
  if (url === undefined || (media.type !== 'image' && media.type !== 'document')) return undefined
  const name = media.name === undefined ? {} : { filename: media.name }
  if (format === 'openai-agents')
    return media.type === 'image' ? { type: 'input_image', image: url } : { type: 'input_file', file: url, ...name }
  if (media.type === 'image') return { type: 'input_image', detail: 'auto', image_url: url }
  if (base64Of(media) === undefined) return { type: 'input_file', file_url: url }
  return { type: 'input_file', file_data: url, filename: media.name ?? 'document' }
}
