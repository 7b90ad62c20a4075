import { expect, test } from 'vitest'
import { readSweAgent } from './swe-agent.ts'

test('steps are actions and observations without the prompts, and results have only what the model saw', () => {
  const history = [
    { role: 'system', content: 'You have a shell.' },
    { role: 'user', content: 'Solve it.' },
    { role: 'assistant', content: 'Look.\n```\nls\n```', thought: 'Look.\n', action: 'ls\n' },
    { role: 'user', content: 'README\nbash-$' },
    { role: 'assistant', content: 'Submit.\n```\nsubmit\n```', thought: 'Submit.\n', action: 'submit\n' },
  ]
  const trajectory = [{ observation: 'README' }, { observation: 'submitted' }]
  const { messages, steps } = readSweAgent(JSON.stringify({ history, trajectory }))
  expect(messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'Look.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{"command":"ls\\n"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'README\nbash-$' },
    {
      role: 'assistant',
      content: 'Submit.',
      tool_calls: [
        { id: 'call_2', type: 'function', function: { name: 'shell', arguments: '{"command":"submit\\n"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_2', content: 'submitted' },
  ])
  expect(steps).toEqual([
    { message: 2 },
    { message: 3, result: 'README' },
    { message: 4 },
    { message: 5, result: 'submitted' },
  ])
})
