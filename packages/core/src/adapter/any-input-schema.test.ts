import { expect, it } from 'vitest'
import { anyInputSchema } from './any-input-schema.ts'

const SCHEMA = { type: 'object', properties: { reference: { type: 'string' } }, required: ['reference'] }

it('tells models what the schema says', () => {
  const { jsonSchema } = anyInputSchema(SCHEMA)['~standard']
  expect(jsonSchema.input()).toEqual(SCHEMA)
  expect(jsonSchema.output()).toEqual(SCHEMA)
})

it('gives each reader a copy of its own', () => {
  const { jsonSchema } = anyInputSchema(Object.freeze(SCHEMA))['~standard']
  const first = jsonSchema.input()
  first['additionalProperties'] = false
  expect(jsonSchema.input()).toEqual(SCHEMA)
})

it.each([[undefined], [null], ['text'], [{ unknown: 1 }]])('takes %o', (value) => {
  expect(anyInputSchema(SCHEMA)['~standard'].validate(value)).toEqual({ value })
})
