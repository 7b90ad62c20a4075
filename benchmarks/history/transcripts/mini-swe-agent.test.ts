import { expect, test } from 'vitest'
import { readMiniSweAgent } from './mini-swe-agent.ts'

const read = (...messages: readonly (readonly [string, string])[]) =>
  readMiniSweAgent(JSON.stringify({ messages: messages.map(([role, content]) => ({ role, content })) }))

test('the only bash block becomes a call, and the message after it the result', () => {
  const { messages, steps } = read(
    ['system', 'You have a shell.'],
    ['user', 'Fix it.'],
    ['assistant', 'THOUGHT: Look.\n\n```bash\nls "a b"\n```'],
    ['user', '<returncode>0</returncode>'],
    ['assistant', 'THOUGHT: Look.\n\n```bash\nls "a b"\n```'],
    ['user', '<returncode>1</returncode>'],
  )
  expect(messages.slice(2, 4)).toEqual([
    {
      role: 'assistant',
      content: 'THOUGHT: Look.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls \\"a b\\""}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '<returncode>0</returncode>' },
  ])
  expect(messages.map(({ role }) => role).slice(4)).toEqual(['assistant', 'tool'])
  expect(steps.map(({ message }) => message)).toEqual([0, 1, 2, 3, 4, 5])
})

test('a text with several bash blocks has no call', () => {
  const text = '```bash\nls\n```\nor\n```bash\npwd\n```'
  const { messages } = read(['system', 's'], ['user', 'u'], ['assistant', text], ['user', 'EXACTLY ONE action'])
  expect(messages.slice(2)).toEqual([
    { role: 'assistant', content: text },
    { role: 'user', content: 'EXACTLY ONE action' },
  ])
})
