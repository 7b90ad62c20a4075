import type { HistoryFormat } from '../history-format.ts'
import type { HistoryMessage } from '../history-message.ts'
import { patchAnthropicMessage } from './anthropic-patch.ts'
import { ANTHROPIC_MESSAGES, readAnthropicConversation } from './anthropic-read.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeMessages } from './write-messages.ts'

/** What a request to Anthropic's Messages API has of a conversation. */
export interface AnthropicConversation<Message, System> {
  readonly system?: System | undefined
  readonly messages: Message[]
}

/**
 * Read and write conversations of Anthropic's Messages API: the system prompt, which is the first message of the neutral
 * form, and the messages.
 *
 * A message of the user that has results of tools alone has the role `tool`; with text beside them it stays one of the
 * user. What models thought, what tools of the provider did, and blocks of unknown types are kept as they are. Other
 * fields of a request are neither read nor written: `{ ...request, ...format.write(messages) }`.
 *
 * Reading throws a `TypeError` that names message and field where a message is none of the API.
 *
 * @example
 * ```ts
 * import { anthropicMessages } from '@spillway/history'
 *
 * const format = anthropicMessages<{ role: string; content: string }>()
 * const conversation = { system: 'Be brief.', messages: [{ role: 'user', content: 'Why did the build fail?' }] }
 * const messages = format.read(conversation)
 * console.assert(messages.map(({ role }) => role).join() === 'system,user')
 * console.assert(format.write(messages).messages[0] === conversation.messages[0])
 * ```
 */
export function anthropicMessages<Message extends object, System = string | object[]>(): HistoryFormat<
  AnthropicConversation<Message, System>
> {
  return {
    name: ANTHROPIC_MESSAGES,
    read: readAnthropicConversation,
    write: (messages) => writeConversation(messages) as AnthropicConversation<Message, System>,
  }
}

function writeConversation(messages: readonly HistoryMessage[]): unknown {
  const written = writeMessages(messages, {
    format: ANTHROPIC_MESSAGES,
    patch: patchAnthropicMessage,
    makeSystem: (text) => ({ system: text }),
  })
  const prompts = written.filter((message) => !Object.hasOwn(message, 'role')).map(({ system }) => system)
  const spoken = written.filter((message) => Object.hasOwn(message, 'role'))
  return prompts.length === 0 ? { messages: spoken } : { system: joinPrompts(prompts), messages: spoken }
}

/** Make one system prompt of several: a text where all of them are, blocks otherwise. */
function joinPrompts(prompts: readonly unknown[]): unknown {
  if (prompts.length === 1) return prompts[0]
  const texts = prompts.filter((prompt) => typeof prompt === 'string')
  if (texts.length === prompts.length) return texts.filter((text) => text !== '').join('\n\n')
  return prompts.flatMap((prompt): readonly Fields[] => {
    if (typeof prompt === 'string') return prompt === '' ? [] : [{ type: 'text', text: prompt }]
    return Array.isArray(prompt) ? prompt.filter(isFields) : []
  })
}
