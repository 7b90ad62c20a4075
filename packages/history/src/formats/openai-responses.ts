import type { HistoryFormat } from '../history-format.ts'
import { writeMessages } from './check-fields.ts'
import { AGENTS_ITEMS, patchItem, readItems, RESPONSES_ITEMS } from './read-items.ts'

/**
 * Read and write items of OpenAI's Responses API: what stands in `input`, and what a response has in `output`.
 *
 * There is one message for each item. Calls of functions, custom tools, shells and patches are calls; what tools of the
 * provider did, references to items, and items of unknown types are kept as they are, as are screenshots and what a
 * program of the provider gets. What a model thought must stay before the item that follows it: the API refuses one
 * without the other.
 *
 * Reading throws a `TypeError` that names item and field where an item is none of the API.
 *
 * @example
 * ```ts
 * import { openAIResponses } from '@spillway/history'
 *
 * const format = openAIResponses<{ type: string }>()
 * const items = [{ type: 'function_call', call_id: 'call_1', name: 'read_log', arguments: '{}' }]
 * console.assert(format.read(items)[0]?.parts[0]?.type === 'tool-call')
 * console.assert(format.write(format.read(items))[0] === items[0])
 * ```
 */
export function openAIResponses<Item extends object>(): HistoryFormat<Item[]> {
  return {
    name: RESPONSES_ITEMS.format,
    read: (items) => readItems(items, RESPONSES_ITEMS),
    write: (messages) =>
      writeMessages(messages, {
        format: RESPONSES_ITEMS.format,
        patch: (native, message, index) => patchItem(native, message, index, RESPONSES_ITEMS),
        makeSystem: (text) => ({ type: 'message', role: 'system', content: text }),
      }) as Item[],
  }
}

/**
 * Read and write items of the OpenAI Agents SDK: those of its sessions, and the input of its models.
 *
 * They are those of the Responses API in the SDK's own form, and everything that `openAIResponses` says holds for them.
 *
 * @example
 * ```ts
 * import { openAIAgents } from '@spillway/history'
 *
 * const format = openAIAgents<{ type: string }>()
 * const items = [{ type: 'function_call', callId: 'call_1', name: 'read_log', arguments: '{}' }]
 * console.assert(format.read(items)[0]?.parts[0]?.type === 'tool-call')
 * console.assert(format.write(format.read(items))[0] === items[0])
 * ```
 */
export function openAIAgents<Item extends object>(): HistoryFormat<Item[]> {
  return {
    name: AGENTS_ITEMS.format,
    read: (items) => readItems(items, AGENTS_ITEMS),
    write: (messages) =>
      writeMessages(messages, {
        format: AGENTS_ITEMS.format,
        patch: (native, message, index) => patchItem(native, message, index, AGENTS_ITEMS),
        makeSystem: (text) => ({ type: 'message', role: 'system', content: text }),
      }) as Item[],
  }
}
