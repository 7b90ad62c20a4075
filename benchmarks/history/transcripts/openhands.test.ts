import { expect, test } from 'vitest'
import { readOpenHands } from './openhands.ts'

const metadata = {
  tool_call_id: 'toolu_1',
  model_response: {
    id: 'gen-1',
    choices: [
      {
        message: {
          content: 'I look.',
          tool_calls: [{ id: 'toolu_1', function: { name: 'execute_bash', arguments: '{"command": "ls"}' } }],
        },
      },
    ],
  },
}

test('actions become calls and observations become results, without parts that no model saw', () => {
  const history = [
    { source: 'agent', action: 'system', message: 'short', args: { content: 'You act.' } },
    { source: 'user', action: 'message', message: 'short', args: { content: 'Fix it.' } },
    { source: 'user', action: 'recall', message: 'Retrieving', args: { query: 'Fix it.' } },
    { source: 'environment', observation: 'recall', content: 'Added' },
    { source: 'agent', action: 'run', tool_call_metadata: metadata },
    { source: 'agent', observation: 'run', content: 'README.md', tool_call_metadata: metadata },
    { source: 'agent', observation: 'error', content: 'No such tool.' },
    { source: 'agent', action: 'message', message: 'Done.' },
  ]
  const { messages, steps } = readOpenHands(JSON.stringify({ history }))
  expect(messages).toEqual([
    { role: 'system', content: 'You act.' },
    { role: 'user', content: 'Fix it.' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'execute_bash', arguments: '{"command":"ls"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'README.md' },
    { role: 'user', content: 'No such tool.' },
    { role: 'assistant', content: 'Done.' },
  ])
  expect(steps.map(({ message }) => message)).toEqual([0, 1, undefined, undefined, 2, 3, 4, 5])
})
