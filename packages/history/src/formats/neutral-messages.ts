import type { HistoryFormat } from '../history-format.ts'
import type { HistoryMessage } from '../history-message.ts'
import { checkObjects, fieldError } from './check-fields.ts'

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

/**
 * Create the format of neutral messages, which are written unchanged.
 *
 * Reading throws a `TypeError` if a message has no role or parts.
 *
 * @example
 * ```ts
 * import { neutralMessages, type HistoryMessage } from '@spillway/history'
 *
 * const messages: HistoryMessage[] = [{ role: 'user', parts: [{ type: 'text', text: 'Why did the build fail?' }] }]
 * console.assert(neutralMessages().read(messages)[0] === messages[0])
 * ```
 */
export function neutralMessages(): HistoryFormat<HistoryMessage[]> {
  return {
    name: 'neutral',
    read: (conversation) => {
      for (const [index, { role, parts }] of checkObjects(conversation).entries()) {
        if (ROLES.has(role) && Array.isArray(parts)) continue
        const { message } = ROLES.has(role)
          ? fieldError(`messages[${index}].parts`, 'an array', parts)
          : fieldError(`messages[${index}].role`, 'system, user, assistant or tool', role)
        throw new TypeError(`${message} For messages of an API, pass their format, such as format: openAIChat().`)
      }
      return [...conversation]
    },
    write: (messages) => [...messages],
  }
}
