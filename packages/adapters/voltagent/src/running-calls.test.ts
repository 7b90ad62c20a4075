import type { ToolExecuteOptions } from '@voltagent/core'
import { expect, it } from 'vitest'
import { inputOfCall, optionsOfCall, rememberCall } from './running-calls.ts'

const optionsOf = (callId: string): ToolExecuteOptions => ({ toolContext: { name: 'read', callId, messages: [] } })

it('finds what a call runs with by its input and its id', () => {
  const options = optionsOf('call_0')
  const input = {}
  rememberCall(input, options)
  rememberCall(input, options)
  expect(optionsOfCall(input, 'call_0')).toBe(options)
  expect(optionsOfCall(input, 'call_1')).toBeUndefined()
  expect(optionsOfCall({}, 'call_0')).toBeUndefined()
  expect(inputOfCall(options)).toBe(input)
})

it('finds nothing once several calls have one input, even with one id, as they may be of different users', () => {
  const input = {}
  const options = [optionsOf('call_0'), optionsOf('call_0')]
  for (const one of options) rememberCall(input, one)
  expect(optionsOfCall(input, 'call_0')).toBeUndefined()
  expect(options.map(inputOfCall)).toEqual([input, input])
})

it.each([['text'], [7], [null], [undefined]])('finds nothing by %j', (input) => {
  const options = optionsOf('call_0')
  rememberCall(input, options)
  expect(optionsOfCall(input, 'call_0')).toBeUndefined()
  expect(inputOfCall(options)).toBe(input)
})

it('takes a call outside of an agent, which runs with nothing', () => {
  const input = {}
  rememberCall(input, undefined)
  expect(optionsOfCall(input, '')).toBeUndefined()
})
