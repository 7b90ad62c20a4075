import { expect, test } from 'vitest'
import { toolCall, type ChatMessage } from '../chat/chat-message.ts'
import { findLine } from './find-lines.ts'

const use = { callId: 'a', line: 'name "x" is set', usedAt: 9 }
const result = (content: string, id = 'a'): ChatMessage => ({ role: 'tool', tool_call_id: id, content })
const stored = new Map([['ref_1', 'first\n  name   "x" is\tset\n']])

test('a line is visible even if the blanks around it or within it differ', () => {
  const sent = { messages: [result('1\tname "x"  is set\r\n')], stored: new Map<string, string>() }
  expect(findLine(use, sent, 'result')).toBe('visible')
})

test('a line in another message or in arguments of a call is visible, but not in its result', () => {
  for (const message of [
    result('name "x" is set', 'b'),
    { role: 'assistant', content: null, tool_calls: [toolCall('c', 'edit', { old: ['name "x" is set'] })] } as const,
  ]) {
    const sent = { messages: [result('[cleared]'), message], stored }
    expect(findLine(use, sent, 'anywhere')).toBe('visible')
    expect(findLine(use, sent, 'result')).toBe('lost')
  }
})

test('a stored line counts as stored only if its reference is in the context', () => {
  expect(findLine(use, { messages: [result('see ref_1')], stored }, 'anywhere')).toBe('stored')
  expect(findLine(use, { messages: [result('see ref_2')], stored }, 'anywhere')).toBe('lost')
  expect(findLine({ ...use, line: 'another' }, { messages: [result('see ref_1')], stored }, 'anywhere')).toBe('lost')
})
