import { recordRetrieval, retrievalToolNameOf, formatRetrievalCall } from '@spillway/core/internal'
import { createRetrievalTool, type RetrievalTool } from '@spillway/core'
import { expandHistory, type ExpandedHistory, type ExpandOptions } from './expand-history.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions } from './history-options.ts'
import { findReferences } from './reload/find-references.ts'
import type { HistoryReference } from './reload/history-reference.ts'
import { referenceView } from './reload/reference-view.ts'

/** What a history names, and ways to it. */
export interface HistoryReload<Conversation> {
  /** In the order of the messages that name it, and behind that what the messages name that a summary stands for. */
  readonly references: readonly HistoryReference[]
  /**
   * The retrieval tool over what the history names: a search without a reference looks into just that. What else is in the
   * scope of the offloader can be read, by its reference. Its answers are events of the offloader, and count in its meter.
   */
  readonly retrievalTool: RetrievalTool
  /**
   * Put back what is stored under these names, or all of it, as {@link expandHistory} does. A name that is inside a summary
   * brings back the messages of the summary.
   */
  restore(names?: readonly string[]): Promise<ExpandedHistory<Conversation>>
}

/**
 * Find what a history names that is stored, to list it, search it, read parts of it, or put it back.
 *
 * Also what the messages name is found that a summary stands for, as far as they are still stored. The history is not
 * changed. Call it again where the history has changed.
 *
 * @throws TypeError where an option is not usable, or the conversation is none of its format.
 * @throws StorageError where messages of a summary are to be read, and storage cannot be asked.
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
      // It lists what the history shows anyway.
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

/** Add to names those of the stored messages that they are inside of, as these have to come back first. */
function withAround(names: readonly string[], references: readonly HistoryReference[]): readonly string[] {
  const around = new Map<string, Set<string>>()
  for (const { name, inside } of references) {
    if (inside !== undefined) around.set(name, (around.get(name) ?? new Set()).add(inside))
  }
  const visible = new Set(references.filter(({ inside }) => inside === undefined).map(({ name }) => name))
  const all = new Set(names)
  // A set that grows while it is gone through is gone through to its new end.
  for (const name of all) {
    if (visible.has(name)) continue
    for (const outer of around.get(name) ?? []) all.add(outer)
  }
  return [...all]
}
