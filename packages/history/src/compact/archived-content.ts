import { StorageError } from '@spillway/core'
import { encodeBase64, mediaFromData } from '@spillway/core/adapter'
import { redactedJson } from '@spillway/core/internal'
import { indentJson } from '@spillway/text/internal'
import { parseExactJson } from '@spillway/text/internal/json'
import type { ArchivedItem, ArchivedKind } from '../archive/history-archive.ts'
import type { HistoryContent } from '../history-message.ts'

/** A block of a result in its stored form. */
export interface StorableContent {
  readonly kind: ArchivedKind
  readonly contentType: string
  /** Absent for media. */
  readonly text?: string | undefined
  readonly bytes: Uint8Array
  /** Whether `redact` removed text from the block. Removed text is not stored anywhere. */
  readonly isRedacted: boolean
  /** A file name, if the tool gave one. */
  readonly label?: string | undefined
}

/** Convert a block for storage. Return `undefined` for empty text and for blocks without bytes. */
export function storableContent(
  content: HistoryContent,
  redact: ((text: string) => string) | undefined,
): StorableContent | undefined {
  switch (content.type) {
    case 'text':
      return content.text === '' ? undefined : textContent('text', content.text, redact)
    case 'json': {
      const text = indentJson(content.value)
      if (text === undefined) return undefined
      const left = redact === undefined ? text : redactedJson(text, redact)
      // If the redacted text is not valid JSON, it is stored as text.
      if (left === undefined) return textContent('text', text, redact)
      return { ...textContent('json', left, undefined), isRedacted: left !== text }
    }
    case 'opaque':
      return undefined
    default: {
      const block = mediaFromData(content.mediaType, content.data ?? content.base64, content.name)
      if (block?.data === undefined) return undefined
      return {
        kind: block.type,
        contentType: block.mediaType,
        bytes: block.data,
        isRedacted: false,
        label: block.name,
      }
    }
  }
}

export function textContent(
  kind: ArchivedKind,
  given: string,
  redact: ((text: string) => string) | undefined,
): StorableContent & { readonly text: string } {
  const text = redact === undefined ? given : redact(given)
  const contentType = kind === 'json' || kind === 'original' || kind === 'messages' ? 'application/json' : 'text/plain'
  return { kind, contentType, text, bytes: new TextEncoder().encode(text), isRedacted: text !== given }
}

/** Convert stored bytes back to a block. Throws a `SyntaxError` for invalid JSON. */
export function restoredContent({ kind, contentType }: ArchivedItem, bytes: Uint8Array): HistoryContent {
  switch (kind) {
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return { type: kind, mediaType: contentType, base64: encodeBase64(bytes) }
    case 'json':
      return { type: 'json', value: parseExactJson(decodeText(bytes)) }
    default:
      return { type: 'text', text: decodeText(bytes) }
  }
}

/** Decode stored text, including any byte order mark. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** The message of the error for JSON that `redact` makes invalid. Such JSON is not stored. */
export const NO_JSON =
  'redact must leave valid JSON, or the stored content could not be parsed. Let redact remove only the secret, for example without the quote after it.'

/** Create the error for stored content that does not match the history. */
export const corrupt = (name: string, cause?: unknown): StorageError =>
  new StorageError('corrupt', `${name} differs from the archived content. Do not change the reference.`, {
    reference: name,
    cause,
  })

/** Parse stored content. If that fails, throw `corrupt`. */
export function readStored<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error
    throw corrupt(name, error)
  }
}
