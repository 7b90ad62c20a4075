import { expect, test } from 'vitest'
import { readTauBench } from './tau-bench.ts'

test('messages stay unchanged, and each result follows its own call even if an id occurs twice', () => {
  const call = (reservation: string) => [
    { id: 'call_x', type: 'function', function: { name: 'get', arguments: `{"reservation": "${reservation}"}` } },
  ]
  const traj = [
    { role: 'system', content: 'You book.' },
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: null, tool_calls: call('A') },
    { role: 'tool', tool_call_id: 'call_x', name: 'get', content: 'is A' },
    { role: 'assistant', content: 'And B.', tool_calls: call('B') },
    { role: 'tool', tool_call_id: 'call_x', name: 'get', content: 'is B' },
  ]
  const { messages, steps } = readTauBench(JSON.stringify({ traj }))
  expect(messages.map(({ role, content }) => [role, content])).toEqual(traj.map(({ role, content }) => [role, content]))
  expect(messages[4]).toMatchObject({ tool_calls: [{ function: { name: 'get', arguments: '{"reservation":"B"}' } }] })
  expect(steps.map(({ message }) => message)).toEqual([0, 1, 2, 3, 4, 4, 5])
})
