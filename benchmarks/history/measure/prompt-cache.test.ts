import { expect, test } from 'vitest'
import type { ChatMessage } from '../chat/chat-message.ts'
import { countMessageTokens } from '../chat/count-tokens.ts'
import { compareWithLast } from './prompt-cache.ts'

const [a, b, c, d] = ['first', 'second thing', 'a third', 'fourth and last'].map((content): ChatMessage => ({
  role: 'user',
  content,
}))
const messages = (...list: (ChatMessage | undefined)[]): ChatMessage[] =>
  list.filter((message) => message !== undefined)
const tokens = (...list: (ChatMessage | undefined)[]): number =>
  messages(...list).reduce((sum, message) => sum + countMessageTokens(message), 0)

test('a prompt that continues the previous prompt breaks no cache', () => {
  const use = compareWithLast(messages(a, b), messages(a, b, c))
  expect(use).toEqual({ cached: tokens(a, b), isBroken: false, readAgain: 0 })
})

test('messages after a changed message count as read again, but not the changed message and new messages', () => {
  const use = compareWithLast(messages(a, b, c), messages(a, { role: 'user', content: 'short' }, c, d))
  expect(use).toEqual({ cached: tokens(a), isBroken: true, readAgain: tokens(c) })
})

test('a prompt without its last message breaks the cache, even if nothing follows', () => {
  expect(compareWithLast(messages(a, b), messages(a))).toEqual({ cached: tokens(a), isBroken: true, readAgain: 0 })
})

test('a message that is removed and added again is read again once', () => {
  expect(compareWithLast(messages(a, b), messages(b, b)).readAgain).toBe(tokens(b))
})
