import { describe, expect, it } from 'vitest'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { conversationUnits, cutBeforeUnit, recentStart } from './recent-start.ts'

const call = (...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: 'read', input: {}, inputIsText: false })),
})

const result = (callId: string): HistoryMessage => ({
  role: 'tool',
  parts: [{ type: 'tool-result', callId, toolName: 'read', content: [] }],
})

const say = (role: 'user' | 'assistant' | 'system'): HistoryMessage => ({ role, parts: [{ type: 'text', text: 'x' }] })

it.each<[string, HistoryMessage[], number, number]>([
  ['counts messages from the end', [say('user'), say('assistant'), say('user')], 1, 2],
  ['does not count system messages', [say('user'), say('assistant'), say('system')], 1, 1],
  ['is the end if keepRecent is 0', [say('user'), call('a'), result('a')], 0, 3],
  ['is 0 if there are fewer messages', [say('user'), say('assistant')], 9, 0],
  ['is the call if its result is recent', [say('user'), call('a'), result('a')], 1, 1],
  [
    'is the first of the calls if their results are recent',
    [say('user'), call('a', 'b'), result('a'), result('b')],
    1,
    1,
  ],
  ['is after an answered step', [call('a'), result('a'), say('assistant')], 1, 2],
  ['is before results that no model has seen', [call('a'), result('a'), call('b'), result('b'), say('user')], 1, 2],
])('the start of the recent messages %s', (_, messages, keepRecent, start) => {
  expect(recentStart(messages, keepRecent)).toBe(start)
})

describe('a unit of messages', () => {
  const results = (...ids: string[]): HistoryMessage => ({
    role: 'tool',
    parts: ids.map((callId): HistoryPart => ({ type: 'tool-result', callId, toolName: 'read', content: [] })),
  })

  const say = (role: 'user' | 'assistant'): HistoryMessage => ({ role, parts: [{ type: 'text', text: 'x' }] })

  const thought: HistoryMessage = { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }] }

  it.each<[string, HistoryMessage[], [number, number][]]>([
    ['nothing', [], []],
    [
      'single messages',
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
    ['calls in separate messages', [call('a'), call('b'), results('a'), results('b')], [[0, 4]]],
    ['results of two calls in one message', [call('a'), call('b'), results('a', 'b')], [[0, 3]]],
    [
      'reasoning and its message',
      [thought, call('a'), results('a'), thought, say('assistant')],
      [
        [0, 3],
        [3, 5],
      ],
    ],
    ['messages between a call and its result', [call('a'), say('user'), results('a')], [[0, 3]]],
    [
      'results and the latest call with their id',
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
  ])('keeps %s together', (_, messages, units) => {
    expect(conversationUnits(messages).map(({ start, end }) => [start, end])).toEqual(units)
  })

  it('may have several calls with the same id', () => {
    const messages = Array.from({ length: 200_000 }, () => results('a'))
    expect(conversationUnits(messages)).toEqual([{ start: 0, end: 200_000 }])
  })

  it('is never split: a cut within the unit moves to its start', () => {
    const units = conversationUnits([say('user'), call('a'), results('a'), say('assistant')])
    expect([0, 1, 2, 3, 4].map((at) => cutBeforeUnit(units, at))).toEqual([0, 1, 1, 3, 4])
  })
})
