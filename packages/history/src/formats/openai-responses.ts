import type { HistoryFormat } from '../history-format.ts'
import { writeMessages } from './check-fields.ts'
import { AGENTS_ITEMS, patchItem, readItems, RESPONSES_ITEMS } from './read-items.ts'

/**
 * Create the format for items of OpenAI's Responses API, in `input` and `output`.
 *
 * Each item is one message. Calls of functions, custom tools, shells and patches are tool calls. Built-in tools,
 * references, screenshots, program outputs and unknown items stay unchanged. Reasoning stays before its item, as the
 * API requires.
 *
 * Reading throws a `TypeError` that names item and field if an item is invalid.
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
 * Create the format for items of the OpenAI Agents SDK.
 *
 * They are items of the Responses API in the SDK's own form, see {@link openAIResponses}.
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
