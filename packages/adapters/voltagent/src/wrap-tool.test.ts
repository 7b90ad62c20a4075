import type { ToolExecuteOptions } from '@voltagent/core'
import { expect, it } from 'vitest'
import { findCall, inputOfCall, startCall } from './wrap-tool.ts'

const optionsOf = (conversationId: string): ToolExecuteOptions => ({ conversationId })

it('finds a call by the very object of its input', () => {
  const [input, options] = [{ path: 'a' }, optionsOf('a')]
  startCall(input, options)
  startCall(input, options)
  expect(findCall(input)?.options).toBe(options)
  expect(findCall({ path: 'a' })).toBeUndefined()
  expect(inputOfCall(options)).toBe(input)
  expect(inputOfCall(optionsOf('a'))).toBeUndefined()
})

it('finds no call by an input that several calls have in common, however often they start', () => {
  const input = {}
  const [a, b] = [optionsOf('a'), optionsOf('b')]
  for (const options of [a, b, a, a]) startCall(input, options)
  expect(findCall(input)).toBeUndefined()
  expect([inputOfCall(a), inputOfCall(b)]).toEqual([input, input])
})

it.each([['text'], [7], [null], [undefined]])('finds no call by %j, which many calls may have', (input) => {
  const options = optionsOf('a')
  startCall(input, options)
  expect(findCall(input)).toBeUndefined()
  expect(inputOfCall(options)).toBe(input)
})
