import { expect, it } from 'vitest'
import { defaultModelOutput } from './offload-shown.ts'

it('writes a string as text, and nothing as null', () => {
  expect(defaultModelOutput('')).toEqual({ type: 'text', value: '' })
  for (const nothing of [undefined, null]) expect(defaultModelOutput(nothing)).toEqual({ type: 'json', value: null })
})

it.each([[0], [false], [{ users: 2 }], [['a']]])('writes %o as JSON, as the very value', (output) => {
  const { type, value } = defaultModelOutput(output)
  expect(type).toBe('json')
  expect(value).toBe(output)
})
