import {
  isMediaBlock,
  isTextContentType,
  mediaKind,
  safeName,
  sniffContentType,
  utf8Length,
  warn,
  yieldWhenDue,
  type ContentBlock,
  type MediaBlock,
} from '@spillway/text/internal'
import { textOfDocument } from '../content/text-of-document.ts'
import { isContentType, shown } from '../storage/storage-input.ts'
import { orAborted } from '../storage/storage-error.ts'
import type { Location, Metadata, StoreReceipt } from '../storage/storage.ts'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import type { ResolvedOptions } from './context-offloader-options.ts'
import type { MeasuredBlock } from './measure-content.ts'

/** Largest number of separately stored texts. More texts are joined, so that references do not fill the context. */
const MAX_SEPARATE_TEXTS = 16
const CONCURRENT_STORES = 8

export interface StoragePart {
  readonly type: 'text' | 'json' | 'image' | 'audio' | 'video' | 'document'
  /** Key of the part in storage. The text of a document has the key of the document. */
  readonly key: string
  readonly contentType: string
  /** Absent for media without text. The text is stored unless `data` is set. */
  readonly text?: string | undefined
  readonly data?: Uint8Array | undefined
  readonly name?: string | undefined
  readonly context?: string | undefined
  readonly joined?: number | undefined
  readonly tokens: number
  readonly description?: string | undefined
  /** Document that this text was extracted from. */
  readonly textOf?: StoragePart | undefined
  /** Base64 files inside the text, in the order of their positions. */
  readonly embedded?: readonly EmbeddedMedia[] | undefined
  /** Text in which these media were found. */
  readonly foundIn?: StoragePart | undefined
  readonly added?: AddedBlocks | undefined
}

/** A file in Base64 inside a text. */
export interface EmbeddedMedia {
  /** Position in the text, in UTF-16 units. A data URL starts with its scheme. */
  readonly start: number
  readonly end: number
  readonly type: MediaBlock['type']
  readonly mediaType: string
  readonly data: Uint8Array
  /** Key of the part with the media. Absent if the media are only in the text. */
  readonly key?: string | undefined
}

type Named = Pick<StoragePart, 'name' | 'context'>

export interface AddedBlocks {
  readonly blocks: readonly ContentBlock[]
  readonly previewer: string
}

export interface StoredPart {
  readonly part: StoragePart
  readonly reference: string
  readonly size: number
}

export const partKey = (toolCallId: string, index: number): string => `${toolCallId}_${index}`

export function storageParts(
  chosen: readonly MeasuredBlock[],
  toolCallId: string,
  redact: (text: string) => string,
): StoragePart[] {
  const texts = chosen.filter(({ text }) => text !== undefined)
  const joined = texts.length > MAX_SEPARATE_TEXTS
  const parts: StoragePart[] = []
  for (const { block, index, text, tokens } of chosen) {
    const key = partKey(toolCallId, index)
    if (joined && text !== undefined) {
      if (index !== texts[0]?.index) continue
      const named = texts.map((each) => joinedText(each.text ?? '', (each.block as Named).name))
      const all = redact(named.join('\n'))
      const sum = texts.reduce((total, each) => total + each.tokens, 0)
      parts.push({ type: 'text', key, contentType: 'text/plain', text: all, joined: texts.length, tokens: sum })
    } else {
      const part = storagePart(block, key, text === undefined ? undefined : redact(text))
      parts.push({ ...part, ...namesOf(block, redact), tokens })
    }
  }
  return parts
}

/** Returns media that are too large for the retrieval tool and cannot be read without it. */
export function unreachable(
  parts: readonly StoragePart[],
  {
    includeRetrievalTool,
    showLocation,
    guide,
    maxMediaBytes,
  }: Pick<ResolvedOptions, 'includeRetrievalTool' | 'showLocation' | 'guide' | 'maxMediaBytes'>,
): ReadonlySet<StoragePart> {
  if (!includeRetrievalTool || showLocation || guide !== undefined) return new Set()
  const withText = new Set(parts.map(({ textOf }) => textOf))
  return new Set(
    parts.filter(
      (part) => (part.data?.byteLength ?? 0) > maxMediaBytes && part.text === undefined && !withText.has(part),
    ),
  )
}

function namesOf(block: ContentBlock, redact: (text: string) => string): Named {
  const { name, context } = block as Named
  return {
    name: name === undefined ? undefined : safeName(redact(name)) || undefined,
    context: context === undefined ? undefined : redact(context),
  }
}

/** Adds the name before a joined text, in the form that `head` uses for files. */
export function joinedText(text: string, name = ''): string {
  const safe = safeName(name)
  return safe === '' ? text : `==> ${safe} <==\n${text}`
}

function storagePart(block: ContentBlock, key: string, text: string | undefined): Omit<StoragePart, 'tokens'> {
  if (isMediaBlock(block)) return { type: block.type, key, contentType: block.mediaType, data: block.data }
  if (block.type === 'json' && block.value instanceof Uint8Array) {
    const contentType = sniffContentType(block.value)
    return { type: mediaKind(contentType), key, contentType, data: block.value }
  }
  if (block.type === 'json') return { type: 'json', key, contentType: 'application/json', text }
  const declared = block.type === 'text' ? block.mediaType : undefined
  return { type: 'text', key, contentType: textContentType(declared), text }
}

/** Returns the content type of stored text. A charset other than UTF-8 and types that are not text are replaced. */
function textContentType(declared: string | undefined): string {
  if (declared === undefined || !isContentType(declared) || !isTextContentType(declared)) return 'text/plain'
  return declared.replace(/\s*;\s*charset="?(?!utf-?8\b)[^;]*/i, '')
}

/** Stores all parts or none. After a failure, removes parts that this call created, unless they were used since. */
export async function storeParts(
  storage: AdoptedStorage,
  parts: readonly StoragePart[],
  toolName: string,
  signal: AbortSignal | undefined,
  documents: readonly StoredPart[] = [],
): Promise<{ readonly stored: readonly StoredPart[]; undo(): Promise<void> }> {
  const receipts: StoreReceipt[] = []
  const stored = new Map(documents.map((document) => [document.part, document]))
  const undo = async (): Promise<void> => {
    const created = receipts.splice(0).filter((receipt) => receipt.created)
    const results = await Promise.allSettled(
      created.map(async ({ reference, usedAt }) => storage.delete(reference, { unusedSince: usedAt })),
    )
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
  const metadata = toolMetadata(toolName)
  const onStored = (receipt: StoreReceipt): void => void receipts.push(receipt)
  for (const batch of batches(parts)) {
    const stores = batch.map(async (part): Promise<StoredPart> => {
      const own = part.data === undefined
      const bytes = part.data ?? (await encodeText(part.text ?? '', storage.caller))
      const document = part.textOf && stored.get(part.textOf)
      const named =
        document === undefined ? { key: part.key, metadata: {} } : textOfDocument(part.key, document.reference)
      const options = { metadata: { ...metadata, ...named.metadata }, signal, onStored, transfer: own }
      const reference: unknown = await storage.store(named.key, bytes, part.contentType, options)
      if (typeof reference !== 'string' || reference === '')
        throw new TypeError(`storage.store() must resolve to a reference, a non-empty string; got ${shown(reference)}.`)
      return { part, reference, size: bytes.byteLength }
    })
    const results: PromiseSettledResult<StoredPart>[] = await orAborted(Promise.allSettled(stores), signal).catch(
      (reason: unknown) => [{ status: 'rejected', reason }],
    )
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) {
      // After an abort, some stores may still be running. The entries of these stores are removed later.
      void Promise.allSettled(stores)
        .then(undo)
        .catch((error: unknown) => warn('Removing the stored parts failed.', error))
      return undoAndThrow(undo, failed.reason)
    }
    for (const result of results) if (result.status === 'fulfilled') stored.set(result.value.part, result.value)
  }
  return { stored: parts.map((part) => stored.get(part)!), undo }
}

/** Number of UTF-16 units that are encoded at once. */
const PIECE_UNITS = 1_048_576

async function encodeText(text: string, caller: unknown): Promise<Uint8Array> {
  const encoder = new TextEncoder()
  if (text.length <= PIECE_UNITS) return encoder.encode(text)
  let size = 0
  await eachPiece(text, caller, (piece) => (size += utf8Length(piece)))
  const bytes = new Uint8Array(size)
  let filled = 0
  await eachPiece(text, caller, (piece) => (filled += encoder.encodeInto(piece, bytes.subarray(filled)).written))
  return bytes
}

async function eachPiece(text: string, caller: unknown, take: (piece: string) => unknown): Promise<void> {
  for (let at = 0; at < text.length;) {
    let end = at + PIECE_UNITS
    // A pair of surrogates is one character, and is not split.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    take(text.slice(at, end))
    at = end
    await yieldWhenDue(caller)
  }
}

/** Yields documents before their texts, because a text names the reference of its document. */
function* batches(parts: readonly StoragePart[]): Generator<readonly StoragePart[]> {
  const texts = parts.filter(({ textOf }) => textOf !== undefined)
  for (const group of [parts.filter(({ textOf }) => textOf === undefined), texts])
    for (let start = 0; start < group.length; start += CONCURRENT_STORES)
      yield group.slice(start, start + CONCURRENT_STORES)
}

export async function undoAndThrow(undo: () => Promise<void>, reason: unknown): Promise<never> {
  await undo().catch((cleanUpError: unknown) => {
    throw new AggregateError([reason, cleanUpError], 'Offloading failed, and so did the removal of the stored parts.')
  })
  throw reason
}

const MAX_TOOL_NAME_LENGTH = 200

/** Metadata with the name of the tool, for reports of evictions. Arguments are never included. */
export const toolMetadata = (toolName: string): Metadata => ({ tool: toolName.slice(0, MAX_TOOL_NAME_LENGTH) })

/** Returns the location to show. `undefined` if no location is known or may be shown. */
export function locationOf(
  { storage, showLocation }: Pick<ResolvedOptions, 'storage' | 'showLocation'>,
  reference: string,
): Location | undefined {
  const location = showLocation === false ? undefined : storage.locate?.(reference)
  if (location === undefined || typeof showLocation !== 'function') return location
  const visible = showLocation(location)
  if (typeof visible?.command === 'string' && !/[\r\n]/.test(visible.command)) return visible
  throw new TypeError('showLocation must return { address, command }. The command must be one line.')
}
