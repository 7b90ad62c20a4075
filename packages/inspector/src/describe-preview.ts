import { ContextOffloader, type ContentBlock, type Storage } from '@spillway/core'
import { isTextContentType, parseJsonText } from '@spillway/core/adapter'

/** The replacement of an entry for the chosen settings, as a model would see it. */
export interface PreviewReport {
  /** Whether the entry is offloaded with these settings. */
  readonly isOffloaded: boolean
  readonly text: string
  readonly tokens: { readonly original: number; readonly shown: number }
}

const CHUNK_BYTES = 1_048_576
/** Size up to which content is held in memory. Larger content is read as a stream, and its tokens are estimated. */
const MAX_HELD_BYTES = 8_388_608

/**
 * Offload an entry again with other settings, without storing anything.
 *
 * @throws TypeError if a setting is invalid. Rejects with a `StorageError` if the entry cannot be read.
 */
export async function describePreview(storage: Storage, body: unknown, signal: AbortSignal): Promise<PreviewReport> {
  const { reference, maxResultTokens, previewTokens, purpose } = Object(body) as Record<string, unknown>
  const { key, contentType, metadata, size } = await storage.stat!(String(reference), { signal })
  const settings = { maxResultTokens: optionalNumber(maxResultTokens), previewTokens: optionalNumber(previewTokens) }
  const entry = { storage, reference: String(reference), signal }
  const call = {
    toolName: metadata['tool'] ?? key,
    toolCallId: key,
    purpose: typeof purpose === 'string' && purpose !== '' ? purpose : undefined,
    signal,
  }
  const isError = (metadata['exitCode'] ?? '0') !== '0'
  // The content is already stored as the entry.
  const offloader = new ContextOffloader({ storage: stand(entry), ...settings })
  const { status, content, tokens } =
    size <= MAX_HELD_BYTES && isTextContentType(contentType)
      ? await offloader.offload({ ...call, content: [await blockOf(entry, contentType)], isError })
      : await offloader.offloadStream({ ...call, chunks: chunksOf(entry), contentType, isError: () => isError })
  const isOffloaded = status === 'offloaded'
  const text = isOffloaded
    ? content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
    : ''
  const shown = 'replacement' in tokens ? tokens.replacement : tokens.original
  return { isOffloaded, text, tokens: { original: tokens.original, shown } }
}

function optionalNumber(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number') return value
  throw new TypeError('Each setting must be a number of tokens.')
}

interface StoredEntry {
  readonly storage: Storage
  readonly reference: string
  readonly signal: AbortSignal
}

/** Create a storage that stores nothing and always returns the reference of the entry. */
function stand({ storage, reference }: StoredEntry): Storage {
  return {
    store: async () => reference,
    storeStream: async (_key, chunks) => {
      for await (const _ of chunks);
      return reference
    },
    retrieve: (...call) => storage.retrieve(...call),
    delete: async () => {},
  }
}

async function blockOf({ storage, reference, signal }: StoredEntry, contentType: string): Promise<ContentBlock> {
  const { content } = await storage.retrieve(reference, { signal })
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  if (contentType === 'application/json') {
    const value = parseJsonText(text)
    if (value !== undefined) return { type: 'json', value }
  }
  return { type: 'text', text, mediaType: contentType }
}

async function* chunksOf({ storage, reference, signal }: StoredEntry): AsyncGenerator<Uint8Array> {
  const content = await storage.open!(reference, { signal })
  try {
    for (let offset = 0; offset < content.size; offset += CHUNK_BYTES)
      yield await content.read(offset, Math.min(CHUNK_BYTES, content.size - offset))
  } finally {
    await content.close()
  }
}
