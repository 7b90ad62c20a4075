import { expect, test } from 'vitest'
import { readWhoAndWhen } from './who-and-when.ts'

test('consecutive messages of the orchestrator become one message, and agents that act for it become tools', () => {
  const history = [
    { role: 'human', content: 'Find it.' },
    { role: 'Orchestrator (thought)', content: 'Ledger' },
    { role: 'Orchestrator (-> WebSurfer)', content: 'Please search.' },
    { role: 'WebSurfer', content: 'A page.' },
    { role: 'Orchestrator (thought)', content: 'Ask.' },
    { role: 'Assistant', content: 'It is this.' },
    { role: 'Orchestrator (termination condition)', content: 'FINAL ANSWER' },
  ]
  const { messages, steps } = readWhoAndWhen(JSON.stringify({ history }))
  expect(messages).toEqual([
    { role: 'user', content: 'Find it.' },
    {
      role: 'assistant',
      content: 'Ledger\n\nPlease search.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'WebSurfer', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'A page.' },
    { role: 'assistant', content: 'Ask.' },
    { role: 'assistant', content: 'It is this.' },
    { role: 'assistant', content: 'FINAL ANSWER' },
  ])
  expect(steps.map(({ message }) => message)).toEqual([0, 1, 1, 2, 3, 4, 5])
})
