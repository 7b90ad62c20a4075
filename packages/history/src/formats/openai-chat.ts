import type { HistoryFormat } from '../history-format.ts'
import { patchChatMessage } from './openai-chat-patch.ts'
import { OPENAI_CHAT, readChatMessages } from './openai-chat-read.ts'
import { writeMessages } from './write-messages.ts'

/**
 * Read and write messages of OpenAI's Chat Completions API, which many other providers speak as well.
 *
 * Messages of `system` and `developer` become those of the role `system`. Arguments of calls stay the JSON text that the
 * model wrote. Calls of the old `function_call`, which has no ids, are paired with the next message of their function.
 *
 * Reading throws a `TypeError` that names message and field where a message is none of the API; parts of unknown types
 * are kept as they are.
 *
 * @example
 * ```ts
 * import { openAIChat } from '@spillway/history'
 *
 * const format = openAIChat<{ role: string; content: string }>()
 * const messages = [{ role: 'user', content: 'Why did the build fail?' }]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function openAIChat<Message extends object>(): HistoryFormat<Message[]> {
  return {
    name: OPENAI_CHAT,
    read: readChatMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: OPENAI_CHAT,
        patch: patchChatMessage,
        makeSystem: (text) => ({ role: 'system', content: text }),
      }) as Message[],
  }
}
