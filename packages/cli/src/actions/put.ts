import { createReadStream } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Readable } from 'node:stream'
import { contentTypeForExtension, StorageError, sniffContentType } from '@spillway/core'
import { isTextContentType, textOfDocument } from '@spillway/core/adapter'
import type { Invocation } from '../commands/command.ts'
import { unreadable } from '../cli-error.ts'
import { noteLine, printJson, printLine } from '../output.ts'
import { programName } from '../program-name.ts'
import { storeArguments, type StoreOptions } from '../store/store-options.ts'
import { withStore, type Store } from '../store/with-store.ts'

/** Content up to this size has a deterministic reference. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024

interface PutOptions extends StoreOptions {
  readonly type?: string
  readonly name?: string
  readonly quiet?: boolean
}

export async function put({ args: [file = '-'], options, command }: Invocation<PutOptions>): Promise<void> {
  const fromStdin = file === '-'
  const key = options.name ?? (fromStdin ? 'stdin' : basename(file))
  const use = async (storage: Store): Promise<void> => {
    // The file is opened only now, because an error of an unread stream would end the process.
    if (fromStdin && process.stdin.isTTY) await noteLine('reading standard input; Ctrl-D ends it.')
    const source: Readable = fromStdin ? process.stdin : createReadStream(file)
    const { head, rest } = await splitHead(source, file)
    const contentType = options.type ?? typeOf(head, extname(file))
    const { reference, size } = await store(storage, key, head, rest, contentType)
    const text = rest === undefined ? await storeText(storage, { key, reference }, head, contentType) : undefined
    if (options.json === true) await printJson({ reference, key, contentType, size, ...(text && { text }) })
    else {
      await printLine(reference)
      if (text !== undefined && options.quiet !== true) await noteLine(`its text: ${text}`)
      if (process.stdout.isTTY && options.quiet !== true && isTextContentType(contentType)) {
        await noteLine(`search it: ${programName()} get ${reference}${storeArguments(command)} --pattern REGEX`)
      }
    }
  }
  return withStore(options, use, { writes: true })
}

/** Return the content type. If only one of bytes and extension indicates text, the bytes decide. */
function typeOf(head: Uint8Array, extension: string): string {
  const sniffed = sniffContentType(head)
  const named = contentTypeForExtension(extension) ?? sniffed
  return isTextContentType(named) === isTextContentType(sniffed) ? named : sniffed
}

async function splitHead(
  source: Readable,
  name: string,
): Promise<{ readonly head: Uint8Array; readonly rest: AsyncIterable<Uint8Array> | undefined }> {
  const chunks = readAll(source, name)
  const parts: Uint8Array[] = []
  let size = 0
  while (size <= MAX_WHOLE_BYTES) {
    const next = await chunks.next()
    if (next.done === true) return { head: Buffer.concat(parts, size), rest: undefined }
    parts.push(next.value)
    size += next.value.byteLength
  }
  return { head: Buffer.concat(parts, size), rest: chunks }
}

async function* readAll(source: Readable, name: string): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of source) yield chunk as Uint8Array
  } catch (error) {
    throw unreadable(error, name, 'Nothing was stored.')
  }
}

async function store(
  storage: Store,
  key: string,
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array> | undefined,
  contentType: string,
): Promise<{ readonly reference: string; readonly size: number }> {
  let size = head.byteLength
  if (rest === undefined) return { reference: await storage.store(key, head, contentType), size }
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield head
    for await (const chunk of rest) {
      size += chunk.byteLength
      yield chunk
    }
  }
  return { reference: await storage.storeStream(key, chunks(), contentType), size }
}

async function storeText(
  storage: Store,
  document: { readonly key: string; readonly reference: string },
  data: Uint8Array,
  contentType: string,
): Promise<string | undefined> {
  if (contentType !== 'application/pdf') return undefined
  const { corePreviewers } = await import('@spillway/previews')
  const call = { toolName: 'put', input: undefined, intent: { paths: [], words: [] } }
  const subject = { ...call, type: 'document', mediaType: contentType, size: data.byteLength } as const
  // The reader is present if the package that reads PDFs is installed.
  const reader = corePreviewers.find((one) => one.previews === 'media' && one.name === 'pdf')
  if (reader?.previews !== 'media' || reader.recognize(subject) === 0) return undefined
  try {
    const preview = await reader.read(data, subject)
    if (preview?.text === undefined) return undefined
    const { key, metadata } = textOfDocument(document.key, document.reference)
    return await storage.store(key, new TextEncoder().encode(preview.text), 'text/markdown', { metadata })
  } catch (error) {
    if (StorageError.isInstance(error)) throw error
    // Content is stored even if its text cannot be extracted.
    await noteLine(`the text of the file cannot be searched: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}
