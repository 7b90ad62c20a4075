import type { HistoryContent, HistoryJson, HistoryReasoning } from '@spillway/history'
import { asRead, isFields, mediaFields, type Fields, type MediaSource } from '@spillway/history/format'
import { mediaOfPart, textOfPart } from '../content-parts.ts'
import { nativeOfPart } from './native-message.ts'

type MessagePiece = Exclude<HistoryContent, HistoryJson> | HistoryReasoning

/** Types of reasoning blocks, with the field of their text. */
const REASONING: ReadonlyMap<unknown, string> = new Map([
  ['reasoning', 'reasoning'],
  ['thinking', 'thinking'],
  ['redacted_thinking', 'none'],
  ['reasoning_content', 'reasoningText'],
])

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', 'input_text'])

export function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return Array.from(content as readonly unknown[])
  return content === undefined || content === null ? [] : [content]
}

export function readPiece(block: unknown): MessagePiece {
  const native = nativeOfPart(block)
  if (typeof block === 'string') return asRead({ type: 'text', text: block, native })
  if (!isFields(block)) return asRead({ type: 'opaque', value: block, native })
  const field = REASONING.get(block['type'])
  if (field !== undefined) return asRead({ type: 'reasoning', text: reasoningText(block[field]), native })
  const own = block['text']
  const text = TEXT_TYPES.has(block['type']) && typeof own === 'string' ? own : textOfPart(block)
  if (text !== undefined) return asRead({ type: 'text', text, native })
  const media = readMedia(block)
  return media === undefined ? asRead({ type: 'opaque', value: block, native }) : asRead({ ...media, native })
}

/** Older versions also accept a value instead of blocks. */
export function readResultContent(content: unknown): readonly HistoryContent[] {
  if (isPlainValue(content)) return [asRead({ type: 'json', value: content, native: nativeOfPart(content) })]
  return blocksOf(content).map((block) => {
    // Unlike other JSON, search results are blocks of a request, so the native block is kept.
    if (isFields(block) && block['type'] === 'search_result')
      return asRead({ type: 'json', value: block, native: nativeOfPart(block) })
    const piece = readPiece(block)
    return piece.type === 'reasoning' ? asRead({ type: 'opaque', value: block, native: piece.native }) : piece
  })
}

/** Whether a content is an array of plain values, or an object without a type. */
export function isPlainValue(content: unknown): boolean {
  if (typeof content !== 'object' || content === null) return false
  const isBlock = (one: unknown): boolean => isFields(one) && Object.hasOwn(one, 'type')
  return Array.isArray(content) ? content.length > 0 && !content.some(isBlock) : !isBlock(content)
}

function reasoningText(value: unknown): string {
  if (typeof value === 'string') return value
  return isFields(value) && typeof value['text'] === 'string' ? value['text'] : ''
}

function readMedia(block: Fields): Exclude<HistoryContent, { type: 'text' | 'json' | 'opaque' }> | undefined {
  const media = mediaOfPart(block)
  const source = media && sourceOf(media.data, media.url)
  return media && source && mediaFields(media.mediaType, source, media.name)
}

function sourceOf(data: unknown, url: string | undefined): MediaSource | undefined {
  if (data instanceof Uint8Array) return { data }
  if (typeof data === 'string') return data.startsWith('data:') ? { url: data } : { base64: data }
  return url === undefined ? undefined : { url }
}
