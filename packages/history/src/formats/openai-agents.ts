import type { HistoryFormat } from '../history-format.ts'
import { AGENTS_ITEMS } from './item-dialect.ts'
import { patchItem } from './patch-item.ts'
import { readItems } from './read-items.ts'
import { writeMessages } from './write-messages.ts'

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
