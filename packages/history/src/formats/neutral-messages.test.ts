import { expect, it } from 'vitest'
import { isAsRead, type HistoryMessage } from '../history-message.ts'
import { neutralMessages } from './neutral-messages.ts'

const messages: HistoryMessage[] = [
  { role: 'system', parts: [] },
  { role: 'user', parts: [{ type: 'text', text: 'Why?' }] },
]

it('the neutral format returns the same messages', () => {
  const format = neutralMessages()
  const written = format.write(format.read(messages))
  expect(written).toHaveLength(2)
  for (const [index, message] of messages.entries()) expect(written[index]).toBe(message)
})

it('the neutral format never reports messages of another format as unchanged', () => {
  const changed = [...messages]
  for (const message of neutralMessages().read(changed)) expect(isAsRead(message)).toBe(false)
})

const FORMAT = ' For messages of an API, pass their format, such as format: openAIChat().'

it.each([
  ['a value that is not an array', {}, 'messages must be an array, not an object.'],
  ['a message that is not an object', ['x'], "messages[0] must be an object, not 'x'."],
  [
    'an unknown role',
    [{ role: 'model', parts: [] }],
    `messages[0].role must be system, user, assistant or tool, not 'model'.${FORMAT}`,
  ],
  ['a message without parts', [{ role: 'user' }], `messages[0].parts must be an array, not undefined.${FORMAT}`],
])('the neutral format rejects %s', (_what, conversation, error) => {
  expect(() => neutralMessages().read(conversation as HistoryMessage[])).toThrow(new TypeError(error))
})
