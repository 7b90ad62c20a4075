import { describeHistoryLaws } from '@spillway-internal/adapter-suite/history-laws'
import type { MessageData } from 'genkit'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { histories } from '../../test/history/generated-messages.ts'
import { genkitMessages } from './genkit-messages.ts'

describeHistoryLaws('genkit', {
  format: genkitMessages(),
  histories: histories(),
  problemOf,
  isAnswer: ({ role }) => role === 'model',
  expectSame,
})

/** Expect equal messages, with their fields in the same order. */
function expectSame(actual: readonly MessageData[], expected: readonly MessageData[]): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
}

/** Return why plugins of models refuse the messages: a request without its response right after it, or the reverse. */
function problemOf(messages: readonly MessageData[]): string {
  let open: string[] = []
  for (const [index, { content }] of messages.entries()) {
    const names = (key: 'toolRequest' | 'toolResponse'): string[] =>
      content.flatMap((part) => part[key] ?? []).map(({ name, ref = '' }) => `${name} ${ref}`)
    if (names('toolResponse').join() !== open.join()) return `requests and responses differ at ${index}`
    open = names('toolRequest')
  }
  return open.length > 0 ? 'requests without responses at the end' : ''
}
