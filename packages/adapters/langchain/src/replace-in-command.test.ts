import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { Command, Send } from '@langchain/langgraph'
import { expect, it } from 'vitest'
import { isCommand, replaceInCommand } from './replace-in-command.ts'

const message = (content: string): ToolMessage => new ToolMessage({ content, tool_call_id: content })
const large = message('large')
const small = message('small')
const replaced = message('replaced')
const ai = new AIMessage('not of a tool')
const replace = async (one: ToolMessage): Promise<ToolMessage> => (one === large ? replaced : one)

it.each<[form: string, update: unknown, expected: unknown]>([
  [
    'messages',
    { messages: [ai, large, small, large], files: { a: 1 } },
    { messages: [ai, replaced, small, replaced], files: { a: 1 } },
  ],
  ['one message', { messages: large }, { messages: replaced }],
  [
    'pairs',
    [
      ['files', [large]],
      ['messages', [large]],
    ],
    [
      ['files', [large]],
      ['messages', [replaced]],
    ],
  ],
  ['a state that is the messages', [ai, large], [ai, replaced]],
  ['a state that is a message', large, replaced],
])('replaces tool messages in an update of %s', async (_form, update, expected) => {
  const command = new Command({ update: update as Record<string, unknown>, goto: ['a', new Send('b', {})], resume: 1 })
  const result = await replaceInCommand(command as Command & { lg_name: 'Command' }, replace)
  expect(result).toBeInstanceOf(Command)
  expect(isCommand(result)).toBe(true)
  expect(result.update).toEqual(expected)
  expect(result).toMatchObject({ goto: ['a', expect.any(Send)], resume: 1, graph: undefined })
  expect(JSON.stringify(command.update)).toBe(JSON.stringify(update))
})

it('keeps the graph that a command goes to', async () => {
  const command = new Command({ graph: Command.PARENT, goto: 'a', update: { messages: [large] } })
  expect(await replaceInCommand(command as Command & { lg_name: 'Command' }, replace)).toMatchObject({
    graph: Command.PARENT,
    goto: ['a'],
  })
})

it.each<unknown>([
  undefined,
  null,
  'text',
  { messages: [ai, small] },
  { messages: small },
  { messages: 'text' },
  { other: [large] },
  [['other', [large]]],
  [],
])('returns the very command where none is replaced: %j', async (update) => {
  const command = new Command({ update: update as Record<string, unknown> })
  expect(await replaceInCommand(command as Command & { lg_name: 'Command' }, replace)).toBe(command)
})
