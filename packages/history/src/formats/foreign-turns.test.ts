import { expect, it } from 'vitest'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { foreignTurns } from './foreign-turns.ts'

const text = (value: string): HistoryPart => ({ type: 'text', text: value })
const call = (id: string): HistoryPart => ({ type: 'tool-call', id, name: 'read', input: {}, inputIsText: false })
const result = (callId: string): HistoryPart => ({ type: 'tool-result', callId, toolName: 'read', content: [] })
const assistant = (...parts: HistoryPart[]): HistoryMessage => ({ role: 'assistant', parts })
const user = (...parts: HistoryPart[]): HistoryMessage => ({ role: 'user', parts })
const tool = (...parts: HistoryPart[]): HistoryMessage => ({ role: 'tool', parts })

const turnsOf = (messages: HistoryMessage[], skipsEmpty = false): string[] =>
  foreignTurns(messages, 0, { skipsEmpty }).map(({ role, parts }) => {
    const names = parts.map(({ part }) =>
      part.type === 'text' ? part.text : 'id' in part ? part.id : 'callId' in part ? part.callId : part.type,
    )
    return `${role}: ${names.join(' ')}`
  })

it('puts calls that stand in several messages into one turn, and their results after it', () => {
  const messages = [
    assistant(text('Two.')),
    assistant(call('a')),
    assistant(call('b')),
    tool(result('b')),
    tool(result('a')),
    assistant(text('Done.')),
  ]
  expect(turnsOf(messages)).toEqual(['assistant: Two. a b', 'tool: b a', 'assistant: Done.'])
})

it('puts a result after its call, wherever it stands', () => {
  const messages = [
    assistant(call('a')),
    user(text('Hurry!'), result('a')),
    assistant(call('b')),
    assistant(text('So.')),
    user(text('Yes?')),
    tool(result('b')),
  ]
  expect(turnsOf(messages)).toEqual([
    'assistant: a',
    'tool: a',
    'user: Hurry!',
    'assistant: b So.',
    'tool: b',
    'user: Yes?',
  ])
})

it('takes the newest call where ids come again', () => {
  expect(turnsOf([assistant(call('a')), tool(result('a')), assistant(call('a')), tool(result('a'))])).toEqual([
    'assistant: a',
    'tool: a',
    'assistant: a',
    'tool: a',
  ])
})

it('keeps results of no call, and calls without results, where they are', () => {
  expect(turnsOf([user(text('Why?')), tool(result('x')), assistant(call('a')), user(text('So?'))])).toEqual([
    'user: Why?',
    'tool: x',
    'assistant: a',
    'user: So?',
  ])
})

it('leaves out thoughts, and empty texts where they are refused', () => {
  const messages = [
    user(text('')),
    assistant({ type: 'reasoning', text: 'hm' }),
    assistant(text(' ')),
    user(text('Why?')),
  ]
  expect(turnsOf(messages)).toEqual(['user: ', 'assistant:  ', 'user: Why?'])
  expect(turnsOf(messages, true)).toEqual(['user: Why?'])
})

it('says where parts stand', () => {
  expect(
    foreignTurns([user(), user(text('a'), text('b'))], 4).flatMap(({ parts }) => parts.map(({ place }) => place)),
  ).toEqual(['messages[5].parts[0]', 'messages[5].parts[1]'])
})
