import type { ToolExecuteOptions } from '@voltagent/core'
import { expect, it } from 'vitest'
import { findCall, inputOfCall, startCall } from './wrap-tool.ts'

const optionsOf = (conversationId: string): ToolExecuteOptions => ({ conversationId })

it('a call is found by its input if the input is the same object', () => {
  const [input, options] = [{ path: 'a' }, optionsOf('a')]
  startCall(input, options)
  startCall(input, options)
  expect(findCall(input)?.options).toBe(options)
  expect(findCall({ path: 'a' })).toBeUndefined()
  expect(inputOfCall(options)).toBe(input)
  expect(inputOfCall(optionsOf('a'))).toBeUndefined()
})

it('an input that several calls share finds none of these calls', () => {
  const input = {}
  const [a, b] = [optionsOf('a'), optionsOf('b')]
  for (const options of [a, b, a, a]) startCall(input, options)
  expect(findCall(input)).toBeUndefined()
  expect([inputOfCall(a), inputOfCall(b)]).toEqual([input, input])
})

it.each([['text'], [7], [null], [undefined]])(
  'the input %j finds no call, because many calls may have this input',
  (input) => {
    const options = optionsOf('a')
    startCall(input, options)
    expect(findCall(input)).toBeUndefined()
    expect(inputOfCall(options)).toBe(input)
  },
)
