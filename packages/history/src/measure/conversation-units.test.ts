import { expect, it } from 'vitest'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { conversationUnits, cutBeforeUnit } from './conversation-units.ts'

const call = (...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: 'read', input: {}, inputIsText: false })),
})
const results = (...ids: string[]): HistoryMessage => ({
  role: 'tool',
  parts: ids.map((callId): HistoryPart => ({ type: 'tool-result', callId, toolName: 'read', content: [] })),
})
const say = (role: 'user' | 'assistant'): HistoryMessage => ({ role, parts: [{ type: 'text', text: 'x' }] })
const thought: HistoryMessage = { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }] }

it.each<[string, HistoryMessage[], [number, number][]]>([
  ['nothing', [], []],
  [
    'messages that stand alone',
    [say('user'), say('assistant'), say('user')],
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
  ],
  [
    'a call with its result',
    [say('user'), call('a'), results('a'), say('assistant')],
    [
      [0, 1],
      [1, 3],
      [3, 4],
    ],
  ],
  ['parallel calls with all results', [call('a', 'b'), results('a'), results('b')], [[0, 3]]],
  ['calls that are items of their own', [call('a'), call('b'), results('a'), results('b')], [[0, 4]]],
  ['results of two calls in one message', [call('a'), call('b'), results('a', 'b')], [[0, 3]]],
  [
    'a thought with what it led to',
    [thought, call('a'), results('a'), thought, say('assistant')],
    [
      [0, 3],
      [3, 5],
    ],
  ],
  ['what stands between a call and its result', [call('a'), say('user'), results('a')], [[0, 3]]],
  [
    'ids that come again with the latest call',
    [call('a'), results('a'), call('a'), results('a')],
    [
      [0, 2],
      [2, 4],
    ],
  ],
  [
    'results without calls, and calls without results',
    [results('x'), call('y'), say('user')],
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
  ],
])('keeps together %s', (_, messages, units) => {
  expect(conversationUnits(messages).map(({ start, end }) => [start, end])).toEqual(units)
})

it('takes any number of calls with one id', () => {
  const messages = Array.from({ length: 200_000 }, () => results('a'))
  expect(conversationUnits(messages)).toEqual([{ start: 0, end: 200_000 }])
})

it('moves a cut to the start of the unit that it would part', () => {
  const units = conversationUnits([say('user'), call('a'), results('a'), say('assistant')])
  expect([0, 1, 2, 3, 4].map((at) => cutBeforeUnit(units, at))).toEqual([0, 1, 1, 3, 4])
})
