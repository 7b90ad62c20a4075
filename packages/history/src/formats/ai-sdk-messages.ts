import type { HistoryFormat } from '../history-format.ts'
import { patchAiSdkMessage } from './ai-sdk-patch.ts'
import { AI_SDK_MESSAGES, readAiSdkMessages } from './ai-sdk-read.ts'
import { writeMessages } from './write-messages.ts'

/**
 * Read and write model messages of the AI SDK, versions 6 and 7.
 *
 * What providers executed, approvals, denials and parts of unknown types are kept as they are. Where the output of a tool
 * was JSON, a text in its place is written as text, and JSON in the place of a text as JSON; an error stays one.
 *
 * Reading throws a `TypeError` that names message and field where a message is none of the SDK.
 *
 * @example
 * ```ts
 * import { aiSdkMessages } from '@spillway/history'
 *
 * const format = aiSdkMessages<{ role: string; content: string }>()
 * const messages = [{ role: 'user', content: 'Why did the build fail?' }]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function aiSdkMessages<Message extends object>(): HistoryFormat<Message[]> {
  return {
    name: AI_SDK_MESSAGES,
    read: readAiSdkMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: AI_SDK_MESSAGES,
        patch: patchAiSdkMessage,
        makeSystem: (text) => ({ role: 'system', content: text }),
      }) as Message[],
  }
}
