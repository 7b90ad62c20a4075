import type { HistoryFormat } from '@spillway/history'
import { writeMessages } from '@spillway/history/format'
import type { MessageData } from 'genkit'
import { patchMessage } from './patch-message.ts'
import { GENKIT_MESSAGES, readGenkitMessages } from './read-messages.ts'

/**
 * Read and write messages of Genkit.
 *
 * A message that did not change is the very object; of one that did everything else stays, with the metadata of its parts. A
 * response is paired with its request by the ref; where there is none, by the name and the order in the turn before. Where
 * the output of a tool is an object whose only long field is a text, it is read as that text. Data, custom parts and
 * resources are kept as they are.
 *
 * Reading throws a `TypeError` that names message and field where a message is none of Genkit.
 *
 * @example
 * ```ts
 * import { genkitMessages } from '@spillway/genkit/history'
 * import type { MessageData } from 'genkit'
 *
 * const format = genkitMessages()
 * const messages: MessageData[] = [{ role: 'user', content: [{ text: 'Why did the build fail?' }] }]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function genkitMessages(): HistoryFormat<MessageData[]> {
  return {
    name: GENKIT_MESSAGES,
    read: readGenkitMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: GENKIT_MESSAGES,
        patch: patchMessage,
        makeSystem: (text) => ({ role: 'system', content: [{ text }] }),
      }) as unknown as MessageData[],
  }
}
