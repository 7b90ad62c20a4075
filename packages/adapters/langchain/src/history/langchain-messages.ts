import { SystemMessage, type BaseMessage } from '@langchain/core/messages'
import type { HistoryFormat } from '@spillway/history'
import { writeMessages, type Fields } from '@spillway/history/format'
import { decodeMessages, encodeMessages } from './encode-messages.ts'
import { LANGCHAIN_MESSAGES, messageOf, type AnyMessage } from './native-message.ts'
import { patchMessage } from './patch-message.ts'
import { readLangchainMessages } from './read-messages.ts'

/**
 * Read and write messages of LangChain, the instances of its classes.
 *
 * A message that did not change is the very object; of one that did there is a copy of its class with everything else
 * that it had, such as id, name, status, artifact and metadata. Where a provider repeats a call in the content or in the
 * metadata, all places change together. Blocks of unknown types, what providers ran, screenshots of computer tools, calls
 * that are not valid and messages of unknown classes are kept as they are.
 *
 * Reading throws a `TypeError` that names the message where one is no instance.
 *
 * @example
 * ```ts
 * import { HumanMessage } from '@langchain/core/messages'
 * import { langchainMessages } from '@spillway/langchain/history'
 *
 * const format = langchainMessages()
 * const messages = [new HumanMessage('Why did the build fail?')]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function langchainMessages(): HistoryFormat<readonly BaseMessage[]> {
  return {
    name: LANGCHAIN_MESSAGES,
    read: readLangchainMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: LANGCHAIN_MESSAGES,
        patch: (native, message, index) => fieldsOf(patchMessage(messageOf(native) as AnyMessage, message, index)),
        makeSystem: (text) => fieldsOf(new SystemMessage({ content: text })),
      }).map((written) => messageOf(written) ?? (written as unknown as BaseMessage)),
    encode: encodeMessages,
    decode: decodeMessages,
  }
}

/** The classes have no index signature, though every one of them is an object of fields. */
const fieldsOf = (message: BaseMessage): Fields => message as unknown as Fields
