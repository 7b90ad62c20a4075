import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { describeHistoryLaws } from '@spillway-internal/adapter-suite/history-laws'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { histories } from '../../test/history/generated-messages.ts'
import { langchainMessages } from './langchain-messages.ts'

describeHistoryLaws('langchain', {
  format: langchainMessages(),
  histories: histories(),
  problemOf,
  isAnswer: AIMessage.isInstance,
  expectSame,
})

/** Expect equal messages, of the same classes and with the same fields. */
function expectSame(actual: readonly BaseMessage[], expected: readonly BaseMessage[]): void {
  const describe = (messages: readonly BaseMessage[]): unknown =>
    messages.map((message) => [message.constructor.name, Object.entries(message)])
  if (!isDeepStrictEqual(describe(actual), describe(expected))) expect(describe(actual)).toEqual(describe(expected))
}

/** Return why providers refuse the messages: a call without its result right after it, or a result without its call. */
function problemOf(messages: readonly BaseMessage[]): string {
  let open = new Set<string | undefined>()
  for (const [index, message] of messages.entries()) {
    if (ToolMessage.isInstance(message)) {
      if (!open.delete(message.tool_call_id)) return `a result of no call at ${index}`
      continue
    }
    if (open.size > 0) return `a call without a result before ${index}`
    if (AIMessage.isInstance(message)) open = new Set(message.tool_calls?.map(({ id }) => id))
  }
  return open.size > 0 ? 'a call without a result at the end' : ''
}
