import { createRetrievalTool, StorageError, type RetrievalTool, type Storage, type StoredInfo } from '@spillway/core'
import { formatRetrievalCall, recordRetrieval, retrievalToolNameOf, toolMetadata } from '@spillway/core/internal'
import { isMiss, type ArchivedItem, type HistoryArchive } from './archive/history-archive.ts'
import { decodeText, readStored } from './compact/archived-content.ts'
import { findNames } from './compact/argument-texts.ts'
import { expandHistory, type ExpandedHistory, type ExpandOptions } from './expand-history.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import { decodeConversation, type HistoryFormat } from './history-format.ts'
import type { HistoryMessage, HistoryPart } from './history-message.ts'
import { resolveHistoryOptions, type ResolvedHistoryOptions } from './history-options.ts'

/** The references of a history, and ways to use them. */
export interface HistoryReload<Conversation> {
  /** In the order of the messages; references inside summaries come last. */
  readonly references: readonly HistoryReference[]
  /**
   * The retrieval tool over these references.
   *
   * A search without a reference covers only them; other entries of the scope need a reference. Its answers are events
   * of the offloader.
   */
  readonly retrievalTool: RetrievalTool
  /**
   * Restore these names, or all, as {@link expandHistory} does. A name inside a summary restores the summarized
   * messages.
   */
  restore(names?: readonly string[]): Promise<ExpandedHistory<Conversation>>
}

/**
 * Find the stored references of a history, to list, search, read or restore them.
 *
 * References inside summaries are included if they are still stored. The history is not changed.
 *
 * @throws TypeError if an option or the conversation is invalid.
 * @throws StorageError if storage is unavailable.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { compactHistory, openAIChat, reloadHistory } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const options = { offloader: new ContextOffloader({ storage }).forScope('session-1'), format: openAIChat() }
 * const log = Array.from({ length: 9_000 }, (_, line) => `step ${line} ${line === 4_000 ? 'FAILED' : 'ok'}`).join('\n')
 * const { messages } = await compactHistory(
 *   [
 *     { role: 'user', content: 'Why did the build fail?' },
 *     { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_log', arguments: '{}' } }] },
 *     { role: 'tool', tool_call_id: 'call_1', content: log },
 *     { role: 'assistant', content: 'Step 4000 failed.' },
 *   ],
 *   options,
 * )
 *
 * const { references, retrievalTool, restore } = await reloadHistory(messages, options)
 * console.assert(references[0]?.toolName === 'read_log' && references[0].index === 2)
 * const { content } = await retrievalTool.execute({ pattern: 'FAILED' })
 * console.assert(content[0]?.type === 'text' && content[0].text.includes('> 4001| step 4000 FAILED'))
 * const restored = await restore([references[0]?.name ?? ''])
 * console.assert((restored.messages[2] as { content: string }).content === log)
 * ```
 */
export async function reloadHistory<Conversation = readonly HistoryMessage[]>(
  conversation: Conversation,
  options: Omit<ExpandOptions<Conversation>, 'only'>,
): Promise<HistoryReload<Conversation>> {
  const resolved = resolveHistoryOptions(options)
  const format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  const { offloader } = resolved
  const { storage, maxRetrievalTokens, countTokens } = offloader.options
  const references = await findReferences(format.read(conversation), format, resolved)
  return {
    references,
    retrievalTool: createRetrievalTool({
      storage: referenceView(storage, references, options.archive),
      // The history names these references anyway.
      scoped: true,
      maxRetrievalTokens,
      countTokens,
      formatCall: (call) => formatRetrievalCall(call, retrievalToolNameOf(offloader)),
      onRetrieve: (event) => recordRetrieval(offloader, event),
    }),
    restore: async (names) => {
      const only = Array.isArray(names) ? withAround(names, references) : names
      return await expandHistory(conversation, { ...options, only })
    },
  }
}

function withAround(names: readonly string[], references: readonly HistoryReference[]): readonly string[] {
  const around = new Map<string, Set<string>>()
  for (const { name, inside } of references) {
    if (inside !== undefined) around.set(name, (around.get(name) ?? new Set()).add(inside))
  }
  const visible = new Set(references.filter(({ inside }) => inside === undefined).map(({ name }) => name))
  const all = new Set(names)
  // The loop also visits names that are added during it.
  for (const name of all) {
    if (visible.has(name)) continue
    for (const outer of around.get(name) ?? []) all.add(outer)
  }
  return [...all]
}

interface Naming {
  readonly messages: readonly HistoryMessage[]
  readonly index?: number
  readonly inside?: string
}

async function findReferences(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  { archive, signal }: ResolvedHistoryOptions,
): Promise<readonly HistoryReference[]> {
  const found: HistoryReference[] = []
  const seen = new Set<string>()
  const looked = new Set<string>()
  const waiting: Naming[] = [{ messages }]
  for (let naming = waiting.shift(); naming !== undefined; naming = waiting.shift()) {
    for (const [position, message] of naming.messages.entries()) {
      const index = naming.index ?? position
      for (const reference of referencesOf(message, index, naming.inside, archive)) {
        const { name, kind, callId = '' } = reference
        const key = JSON.stringify([name, index, callId])
        if (!seen.has(key)) found.push(reference)
        seen.add(key)
        if (kind !== 'messages' || looked.has(name)) continue
        looked.add(name)
        const inside = await readGroup(name)
        if (inside !== undefined) waiting.push({ messages: inside, index, inside: name })
      }
    }
  }
  return found

  async function readGroup(name: string): Promise<readonly HistoryMessage[] | undefined> {
    try {
      const { content } = await archive.retrieve(name, { signal })
      return readStored(name, () => decodeConversation(format, decodeText(content)))
    } catch (error) {
      if (isMiss(error) || (StorageError.isInstance(error) && error.code === 'corrupt')) return undefined
      throw error
    }
  }
}

function referencesOf(
  { role, parts }: HistoryMessage,
  index: number,
  inside: string | undefined,
  archive: ResolvedHistoryOptions['archive'],
): readonly HistoryReference[] {
  return parts.flatMap((part) => {
    const items = findNames({ role, parts: [part] }, archive)
    return items.map((item): HistoryReference => ({
      ...itemOf(item),
      index,
      ...toolOf(part),
      ...(inside && { inside }),
    }))
  })
}

const itemOf = ({ name, kind, contentType, size }: ArchivedItem): ArchivedItem => ({ name, kind, contentType, size })

function toolOf(part: HistoryPart): Pick<HistoryReference, 'toolName' | 'callId'> {
  if (part.type === 'tool-call') return { toolName: part.name, callId: part.id }
  if (part.type !== 'tool-result') return {}
  return { ...(part.toolName !== '' && { toolName: part.toolName }), callId: part.callId }
}

const CONCURRENT_LOOKS = 8

/** Other entries of the scope can be read by reference. */
function referenceView(
  storage: Storage,
  references: readonly HistoryReference[],
  archive: HistoryArchive | undefined,
): Storage {
  const byName = new Map(references.map((reference) => [reference.name, reference]))
  const describe = async (
    reference: HistoryReference,
    signal: AbortSignal | undefined,
  ): Promise<StoredInfo | undefined> => {
    try {
      if (archive !== undefined) {
        return (await archive.has?.(reference.name, { signal })) === false ? undefined : infoOf(reference)
      }
      return storage.stat === undefined ? infoOf(reference) : await storage.stat(reference.name, { signal })
    } catch (error) {
      if (isMiss(error)) return undefined
      throw error
    }
  }
  async function* list({ signal }: { readonly signal?: AbortSignal | undefined } = {}): AsyncGenerator<StoredInfo> {
    const all = [...byName.values()]
    for (let start = 0; start < all.length; start += CONCURRENT_LOOKS) {
      const batch = all.slice(start, start + CONCURRENT_LOOKS)
      for (const info of await Promise.all(batch.map((one) => describe(one, signal))))
        if (info !== undefined) yield info
    }
  }
  const store: Storage['store'] = (...input) => storage.store(...input)
  if (archive !== undefined) return { store, retrieve: (name, options) => archive.retrieve(name, options), list }
  const { stat, retrieveRange, open } = storage
  return {
    store,
    retrieve: (reference, options) => storage.retrieve(reference, options),
    ...(stat === undefined ? {} : { stat: stat.bind(storage) }),
    ...(retrieveRange === undefined ? {} : { retrieveRange: retrieveRange.bind(storage) }),
    ...(open === undefined ? {} : { open: open.bind(storage) }),
    list,
  }
}

/** Unknown times are NaN, and so are not shown. */
const infoOf = ({ name, contentType, size, toolName }: HistoryReference): StoredInfo => ({
  reference: name,
  key: name,
  contentType,
  size,
  storedAt: Number.NaN,
  lastUsedAt: Number.NaN,
  metadata: toolName === undefined ? {} : toolMetadata(toolName),
  state: 'complete',
})

/** A stored item that a history names. */
export interface HistoryReference extends ArchivedItem {
  /** The position of the message that names it, or of the summary that contains it. */
  readonly index: number
  /** Absent if no tool returned it. */
  readonly toolName?: string | undefined
  readonly callId?: string | undefined
  /** The name of the summarized messages that name it; absent outside summaries. */
  readonly inside?: string | undefined
}
