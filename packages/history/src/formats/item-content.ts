import { asRead } from '../as-read.ts'
import type { HistoryContent } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'
import { mediaFields } from './media-source.ts'

const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
])
const URL_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** Read the content of an item: a string, parts, one part alone, or nothing. `undefined` for what is none of these. */
export function readItemContent(content: unknown, format: string): HistoryContent[] | undefined {
  if (content == null) return []
  if (typeof content === 'string') return [asRead({ type: 'text', text: content, native: { format, value: content } })]
  if (isFields(content)) return [readItemPart(content, format)]
  return Array.isArray(content) ? Array.from(content, (part: unknown) => readItemPart(part, format)) : undefined
}

const readItemPart = (part: unknown, format: string): HistoryContent =>
  asRead({
    ...((isFields(part) ? readFields(part) : undefined) ?? { type: 'opaque', value: part }),
    native: { format, value: part },
  })

/** Return the field of a part that has its text, where it is a text. */
export function itemTextField({ type, text, refusal }: Fields): 'text' | 'refusal' | undefined {
  if (type === 'refusal') return typeof refusal === 'string' ? 'refusal' : undefined
  return TEXT_TYPES.has(type) && typeof text === 'string' ? 'text' : undefined
}

function readFields(part: Fields): HistoryContent | undefined {
  const field = itemTextField(part)
  if (field !== undefined) return { type: 'text', text: part[field] as string }
  switch (part['type']) {
    case 'input_image':
    case 'image':
      return readSource(part['image_url'] ?? part['image'], 'image/*')
    case 'input_file':
    case 'file':
      return readSource(part['file_data'] ?? part['file_url'] ?? part['file'], 'application/pdf', part['filename'])
    case 'input_audio':
      return readAudio(Object(part['input_audio'] ?? {}) as Fields)
    case 'audio':
      return readAudio({ data: part['audio'], format: part['format'] })
    default:
      return undefined
  }
}

/** Read where content is: a URL, Base64 or bytes, or an object with one of them. Content by id is left alone. */
function readSource(source: unknown, fallback: string, filename?: unknown): HistoryContent | undefined {
  const name = typeof filename === 'string' ? filename : undefined
  if (typeof source === 'string')
    return mediaFields(fallback, URL_SCHEME.test(source.slice(0, 64)) ? { url: source } : { base64: source }, name)
  const { data, url, mediaType, filename: ownName = filename } = Object(source ?? {}) as Fields
  const type = typeof mediaType === 'string' ? mediaType : fallback
  if (data instanceof Uint8Array) return mediaFields(type, { data }, typeof ownName === 'string' ? ownName : undefined)
  return typeof (data ?? url) === 'string' ? readSource(data ?? url, type, ownName) : undefined
}

function readAudio({ data, format }: Fields): HistoryContent | undefined {
  return typeof data === 'string'
    ? mediaFields(typeof format === 'string' ? `audio/${format}` : 'audio/*', { base64: data })
    : undefined
}

/** Read what commands of a shell wrote: a text for each of them. */
export function readShellOutput(output: unknown, format: string): HistoryContent[] | undefined {
  if (!Array.isArray(output)) return undefined
  return Array.from(output, (entry: unknown): HistoryContent => {
    const native = { format, value: entry }
    const text = isFields(entry) ? shellText(entry) : undefined
    return asRead(text === undefined ? { type: 'opaque', value: entry, native } : { type: 'text', text, native })
  })
}

/** Join what a command wrote to both of its outputs; `undefined` for what is not of the form. */
export function shellText({ stdout, stderr = '' }: Fields): string | undefined {
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined
  return stdout === '' || stderr === '' ? stdout + stderr : `${stdout.replace(/\n$/, '')}\n${stderr}`
}
