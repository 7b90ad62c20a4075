import { StorageError, type StoredContent as RetrievedContent } from '@spillway/core'
import { parseExactJson } from '@spillway/text/internal/json'
import {
  storeItems,
  type ArchivedItem,
  type ArchiveReceipt,
  type HistoryArchive,
  type ParsedReplacement,
  type NewArchivedItem,
} from '../archive/history-archive.ts'
import { decodeConversation, encodeConversation, type HistoryFormat } from '../history-format.ts'
import {
  isEqualValue,
  type HistoryContent,
  type HistoryMessage,
  type HistoryPart,
  type HistoryToolCall,
  type HistoryToolResult,
} from '../history-message.ts'
import {
  corrupt,
  decodeText,
  readStored,
  restoredContent,
  textContent,
  type StorableContent,
} from './archived-content.ts'
import { argumentsOf, findNames, mapTexts, wholeOf, withArguments } from './argument-texts.ts'
import type { CompactedPart, CompactionContext, ContentOrigin, StoredContent } from './write-replaced.ts'

export interface Restoring {
  readonly format: HistoryFormat<unknown>
  readonly archive: Pick<HistoryArchive, 'readReplacement'>
  /** Return stored content. Rejects with a `StorageError`. */
  readonly retrieve: (name: string) => Promise<RetrievedContent>
  /** Receives the error if content cannot be restored, and the part does not change. If absent, the error is thrown. */
  readonly onMissing?: ((error: StorageError) => void) | undefined
}

/** Restore a message. Returns the same object if nothing changes. Rejects with code `corrupt` if content differs. */
export async function restoreMessage(message: HistoryMessage, restoring: Restoring): Promise<HistoryMessage> {
  const [only] = message.parts
  if (message.parts.length === 1 && only !== undefined) {
    const { part, original } = await restoreOrKeep(only, message, restoring)
    // A stored original replaces the whole message.
    return original ?? (part === only ? message : { ...message, parts: [part] })
  }
  const parts: HistoryPart[] = []
  for (const part of message.parts) parts.push((await restoreOrKeep(part, message, restoring)).part)
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts }
}

interface RestoredPart {
  readonly part: HistoryPart
  /** The whole message that was stored with the part, if any. */
  readonly original?: HistoryMessage | undefined
}

async function restoreOrKeep(part: HistoryPart, message: HistoryMessage, restoring: Restoring): Promise<RestoredPart> {
  try {
    return await restorePart(part, message, restoring)
  } catch (error) {
    if (!StorageError.isInstance(error) || restoring.onMissing === undefined) throw error
    restoring.onMissing(error)
    return { part }
  }
}

async function restorePart(part: HistoryPart, message: HistoryMessage, restoring: Restoring): Promise<RestoredPart> {
  if (part.type === 'tool-result') return await restoreResult(part, message, restoring)
  if (part.type === 'tool-call') return await restoreArguments(part, message, restoring)
  if (part.type !== 'text' || message.role !== 'user') return { part }
  const replacement = restoring.archive.readReplacement(part.text)
  if (replacement?.subject !== 'message') return { part }
  return await restoreFrom(part, message, replacement, restoring, async ([item]) =>
    item === undefined ? part : { ...part, text: await restoreText(item, restoring) },
  )
}

async function restoreResult(
  part: HistoryToolResult,
  message: HistoryMessage,
  restoring: Restoring,
): Promise<RestoredPart> {
  const [first, ...retained] = part.content
  const replacement = first?.type === 'text' ? restoring.archive.readReplacement(first.text) : undefined
  if (replacement?.subject !== 'result') return { part }
  return await restoreFrom(part, message, replacement, restoring, async (items) => {
    const content: HistoryContent[] = []
    for (const item of items) content.push(await restoreContent(item, restoring))
    return { ...part, content: [...content, ...retained] }
  })
}

async function restoreArguments(
  part: HistoryToolCall,
  message: HistoryMessage,
  restoring: Restoring,
): Promise<RestoredPart> {
  const value = argumentsOf(part)
  const found = new Map<string, ParsedReplacement>()
  mapTexts(value, (text) => {
    const replacement = restoring.archive.readReplacement(text)
    if (replacement?.subject === 'argument') found.set(text, replacement)
    return text
  })
  const [first] = found.values()
  if (first === undefined) return { part }
  const original = [...found.values()].find(({ items }) => items.some(({ kind }) => kind === 'original'))
  return await restoreFrom(part, message, original ?? first, restoring, async () => {
    const texts = new Map<string, string>()
    for (const [
      text,
      {
        items: [item],
      },
    ] of found)
      if (item !== undefined) texts.set(text, await restoreText(item, restoring))
    const whole = wholeOf(part)
    const text = whole === undefined ? undefined : texts.get(whole)
    if (text === undefined)
      return withArguments(
        part,
        mapTexts(value, (one) => texts.get(one) ?? one),
      )
    if (typeof part.input === 'string') return { ...part, input: text }
    return { ...part, input: readStored(first.items[0]?.name ?? '', () => parseExactJson(text)) }
  })
}

/** Restore a part. Any text can contain a reference, so a stored message replaces only a part of the same call. */
async function restoreFrom(
  part: HistoryPart,
  live: HistoryMessage,
  { items }: ParsedReplacement,
  restoring: Restoring,
  fromPieces: (items: readonly ArchivedItem[]) => Promise<HistoryPart>,
): Promise<RestoredPart> {
  const original = items.find(({ kind }) => kind === 'original')
  if (original === undefined) return { part: await fromPieces(items) }
  const { content } = await restoring.retrieve(original.name)
  const { format } = restoring
  const stored = readStored(original.name, () => decodeConversation(format, decodeText(content)))
  const written = format.read(format.write([{ ...live, parts: [part] }]))
  const [message] = stored
  const found = message?.parts.find(({ type }) => type === part.type)
  if (message === undefined || found === undefined || placeOf(stored, part) !== placeOf(written, part))
    throw corrupt(original.name)
  return { part: found, original: message }
}

const placeOf = (messages: readonly HistoryMessage[], { type }: HistoryPart): string =>
  JSON.stringify(messages.map(({ role, parts }) => [role, parts.map((part) => besideOf(part, part.type === type))]))

function besideOf(part: HistoryPart, isOfType: boolean): unknown {
  if (part.type === 'tool-call') return [part.type, part.id]
  if (part.type === 'tool-result') return [part.type, part.callId]
  return [part.type, !isOfType && part.type === 'text' ? part.text : '']
}

async function restoreContent(item: ArchivedItem, { retrieve }: Restoring): Promise<HistoryContent> {
  const { content } = await retrieve(item.name)
  return readStored(item.name, () => restoredContent(item, content))
}

async function restoreText({ name }: ArchivedItem, { retrieve }: Restoring): Promise<string> {
  return decodeText((await retrieve(name)).content)
}

/**
 * Replace a part by references. If restoring the part would not give the same message, store the whole message too.
 *
 * Content that `redact` removed is never stored. If the function fails, it removes everything that it stored. Returns
 * `undefined` if the written part does not name all stored items.
 */
export async function compactExactly<Part extends HistoryPart>(
  message: HistoryMessage,
  part: Part,
  contents: readonly StorableContent[],
  replacing: Replacing<Part>,
  context: CompactionContext,
): Promise<CompactedPart<Part> | undefined> {
  const orNothing = async (found: CompactedPart<Part>): Promise<CompactedPart<Part> | undefined> => {
    if (namesAll(message, found, context)) return found
    await found.stored.rollback()
    return undefined
  }
  const archive = storingOnce(context.archive)
  const compacted = await replace(contents, archive, replacing, context)
  try {
    if (contents.some(({ isRedacted }) => isRedacted)) return await orNothing(compacted)
    if (await isRestorable(message, part, compacted, contents, context)) return compacted
    const json = encodeConversation(context.format, [{ ...message, parts: [part] }])
    const original = textContent('original', json, context.offloader.options.redact)
    if (original.isRedacted) return await orNothing(compacted)
    const exact = await replace([...contents, original], archive, replacing, context)
    const rollback = async (): Promise<void> => {
      await exact.stored.rollback()
      await compacted.stored.rollback()
    }
    const whole = await orNothing({ part: exact.part, stored: { items: exact.stored.items, rollback } })
    // The original alone is enough if types cannot be parsed, or if the list of references is too long.
    return whole ?? (await orNothing(await replace([original], storingOnce(context.archive), replacing, context)))
  } catch (error) {
    await compacted.stored.rollback()
    throw error
  }
}

/** Functions that replace contents by references. */
export interface Replacing<Part> {
  readonly origin: ContentOrigin
  /** Return the suffix that distinguishes a content from the other contents of the same call. */
  readonly nameOf: (content: StorableContent, index: number) => string
  readonly write: (contents: readonly StoredContent[]) => Promise<Part>
}

async function replace<Part>(
  contents: readonly StorableContent[],
  archive: Pick<HistoryArchive, 'store'>,
  { origin: { callId, toolName }, nameOf, write }: Replacing<Part>,
  { signal }: CompactionContext,
): Promise<CompactedPart<Part>> {
  const items = contents.map((one, index): NewArchivedItem => {
    const { kind, bytes: content, contentType } = one
    return { kind, callId, toolName, part: nameOf(one, index), content, contentType }
  })
  const stored = await storeItems(archive, items, { signal })
  try {
    return { part: await write(contents.map((one, index) => ({ ...one, item: stored.items[index]! }))), stored }
  } catch (error) {
    await stored.rollback()
    throw error
  }
}

/** Store each item only once. Storing it again would count as a use, and then `rollback` could not remove the entry. */
function storingOnce(archive: HistoryArchive): Pick<HistoryArchive, 'store'> {
  const receipts = new Map<string, Promise<ArchiveReceipt>>()
  return {
    store(item, options) {
      const receipt = receipts.get(item.part) ?? archive.store(item, options)
      receipts.set(item.part, receipt)
      return receipt
    },
  }
}

function namesAll(
  message: HistoryMessage,
  { part, stored }: CompactedPart<HistoryPart>,
  { format, archive }: CompactionContext,
): boolean {
  const written = format.read(format.write([{ ...message, parts: [part] }]))
  const names = new Set(written.flatMap((one) => findNames(one, archive).map(({ name }) => name)))
  return stored.items.every(({ name }) => names.has(name))
}

async function isRestorable<Part extends HistoryPart>(
  message: HistoryMessage,
  part: Part,
  { part: compacted, stored }: CompactedPart<Part>,
  contents: readonly StorableContent[],
  { format, archive }: CompactionContext,
): Promise<boolean> {
  const byName = new Map(stored.items.map(({ name }, index) => [name, contents[index]]))
  const retrieve = async (name: string): Promise<RetrievedContent> => {
    const content = byName.get(name)
    if (content === undefined) throw corrupt(name)
    return { content: content.bytes, contentType: content.contentType }
  }
  const written = format.read(format.write([{ ...message, parts: [compacted] }]))
  try {
    const restored = await Promise.all(written.map((one) => restoreMessage(one, { format, archive, retrieve })))
    return isEqualValue(format.write(restored), format.write([{ ...message, parts: [part] }]))
  } catch (error) {
    if (StorageError.isInstance(error) && error.code === 'corrupt') return false
    throw error
  }
}
