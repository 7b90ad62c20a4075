import { expect, it } from 'vitest'
import type { HistoryMessage } from '../history-message.ts'
import { recentStart } from './recent-start.ts'

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
  ['counts no system messages', [say('user'), say('assistant'), say('system')], 1, 1],
  ['keeps nothing where nothing shall be kept', [say('user'), call('a'), result('a')], 0, 3],
  ['keeps all where there are fewer', [say('user'), say('assistant')], 9, 0],
  ['begins with the call of a result', [say('user'), call('a'), result('a')], 1, 1],
  ['begins with the calls of all results', [say('user'), call('a', 'b'), result('a'), result('b')], 1, 1],
  ['does not reach back behind an answered step', [call('a'), result('a'), say('assistant')], 1, 2],
  ['keeps results that no model has seen', [call('a'), result('a'), call('b'), result('b'), say('user')], 1, 2],
])('%s', (_, messages, keepRecent, start) => {
  expect(recentStart(messages, keepRecent)).toBe(start)
})
