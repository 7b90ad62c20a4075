import type { ContentBlock } from '../content/content-block.ts'
import { isMediaBlock } from '../content/media-block.ts'
import type { Storage, StoreReceipt } from '../storage/storage.ts'
import type { MeasuredBlock } from './measure-content.ts'

/** Beyond this many text blocks, naming each by a reference would fill the context again: they are joined. */
const MAX_SEPARATE_TEXTS = 16
const CONCURRENT_STORES = 8
const MAX_TOOL_NAME_LENGTH = 200

/** One thing to store: a block, or many text blocks as one. */
export interface StoragePart {
  readonly type: 'text' | 'json' | 'image' | 'audio' | 'video' | 'document'
  readonly key: string
  readonly contentType: string
  /** Absent for media. */
  readonly text?: string | undefined
  readonly data?: Uint8Array | undefined
  readonly name?: string | undefined
  readonly joined?: number | undefined
  readonly tokens: number
}

/** A part and where it is. */
export interface StoredPart {
  readonly part: StoragePart
  readonly reference: string
  readonly size: number
}

/** Say what is stored for the chosen blocks of a result. */
export function storageParts(
  chosen: readonly MeasuredBlock[],
  toolCallId: string,
  redact: (text: string) => string,
): StoragePart[] {
  const texts = chosen.filter(({ block }) => block.type === 'text')
  const joined = texts.length > MAX_SEPARATE_TEXTS
  const parts: StoragePart[] = []
  for (const { block, index, text, tokens } of chosen) {
    const key = `${toolCallId}_${index}`
    if (joined && block.type === 'text') {
      if (index !== texts[0]?.index) continue
      const all = redact(texts.map((each) => each.text ?? '').join('\n'))
      const sum = texts.reduce((total, each) => total + each.tokens, 0)
      parts.push({ type: 'text', key, contentType: 'text/plain', text: all, joined: texts.length, tokens: sum })
    } else parts.push({ ...storagePart(block, key, text === undefined ? undefined : redact(text)), tokens })
  }
  return parts
}

function storagePart(block: ContentBlock, key: string, text: string | undefined): Omit<StoragePart, 'tokens'> {
  if (isMediaBlock(block))
    return { type: block.type, key, contentType: block.mediaType, data: block.data, name: block.name }
  if (block.type === 'json') return { type: 'json', key, contentType: 'application/json', text }
  return { type: 'text', key, contentType: 'text/plain', text }
}

/**
 * Store all parts or none: where one fails, remove those that this call created and reject with the failure.
 *
 * What an earlier call stored, or another has used since, stays.
 */
export async function storeParts(
  storage: Storage,
  parts: readonly StoragePart[],
  toolName: string,
  signal: AbortSignal | undefined,
): Promise<StoredParts> {
  const receipts: StoreReceipt[] = []
  const stored: StoredPart[] = []
  const undo = async (): Promise<void> => {
    for (const { reference, created, usedAt } of receipts)
      if (created) await storage.delete?.(reference, { unusedSince: usedAt })
  }
  const metadata = { tool: toolName.slice(0, MAX_TOOL_NAME_LENGTH) }
  const onStored = (receipt: StoreReceipt): void => void receipts.push(receipt)
  const encoder = new TextEncoder()
  for (let start = 0; start < parts.length; start += CONCURRENT_STORES) {
    const results = await Promise.allSettled(
      parts.slice(start, start + CONCURRENT_STORES).map(async (part): Promise<StoredPart> => {
        const own = part.text !== undefined
        const bytes = part.data ?? encoder.encode(part.text)
        const options = { metadata, signal, onStored, transfer: own }
        return {
          part,
          reference: await storage.store(part.key, bytes, part.contentType, options),
          size: bytes.byteLength,
        }
      }),
    )
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) {
      await undo().catch((cleanUpError: unknown) => {
        throw new AggregateError(
          [failed.reason, cleanUpError],
          'Storing failed, and so did removing what had been stored.',
        )
      })
      throw failed.reason
    }
    for (const result of results) if (result.status === 'fulfilled') stored.push(result.value)
  }
  return { stored, undo }
}

/** Parts that were stored, and how to take that back. */
export interface StoredParts {
  readonly stored: readonly StoredPart[]
  /** Remove what this call created and nobody has used since. */
  undo(): Promise<void>
}
