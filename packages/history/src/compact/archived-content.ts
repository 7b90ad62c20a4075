import { indentJson } from '@spillway/text/internal'
import { parseExactJson } from '@spillway/text/internal/json'
import { encodeBase64, mediaFromData } from '@spillway/core/adapter'
import { redacted } from '@spillway/core/internal'
import type { ArchivedItem, ArchivedKind } from '../archive/history-archive.ts'
import type { HistoryContent } from '../history-message.ts'
import { redactedJson } from './redacted-json.ts'

/** A piece of a result as it is stored. */
export interface StorableContent {
  readonly kind: ArchivedKind
  readonly contentType: string
  /** Absent for media. */
  readonly text?: string | undefined
  readonly bytes: Uint8Array
  /** Whether `redact` took something out of it: what it took is kept nowhere. */
  readonly isRedacted: boolean
  /** The name of a file. */
  readonly label?: string | undefined
}

/** Say how a piece of a result is stored; `undefined` for what has no bytes of its own, and for an empty text. */
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
      // What is no JSON any more is kept as the text that it is.
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

/** Say how a text is stored. */
export function textContent(
  kind: ArchivedKind,
  given: string,
  redact: ((text: string) => string) | undefined,
): StorableContent & { readonly text: string } {
  const text = redact === undefined ? given : redacted(given, redact)
  const contentType = kind === 'json' || kind === 'original' || kind === 'messages' ? 'application/json' : 'text/plain'
  return { kind, contentType, text, bytes: new TextEncoder().encode(text), isRedacted: text !== given }
}

/** Turn what was stored into the piece that it was. Throws a `SyntaxError` for JSON that is none. */
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

/** Decode a stored text; a byte order mark is part of it. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
