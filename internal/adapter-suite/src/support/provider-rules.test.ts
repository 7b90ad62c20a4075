import { expect, it } from 'vitest'
import { assertTaken, PROVIDER_RULES, type Provider } from './provider-rules.ts'

const text = { type: 'string' }
const object = { type: 'object', properties: { text, count: { type: 'integer' } } }
const closed = { ...object, required: ['text', 'count'], additionalProperties: false }

it.each<[Provider, object]>([
  ['any', { ...object, required: ['text'] }],
  ['anthropic', closed],
  ['openai', closed],
  ['openai', { ...closed, properties: { text, count: { anyOf: [closed, { type: 'null' }] } } }],
  ['openai', { ...closed, properties: { text, count: { type: ['array', 'null'], items: text } } }],
  ['gemini', { type: 'OBJECT', properties: { text: { type: 'ARRAY', items: { type: 'STRING', nullable: true } } } }],
])('%s accepts %j', (provider, schema) => {
  expect(() => assertTaken(schema, provider)).not.toThrow()
})

it.each<[Provider, unknown]>([
  ['any', undefined],
  ['any', text],
  ['any', { type: 'object', properties: {} }],
  ['any', { ...object, required: [] }],
  ['any', { ...object, required: ['other'] }],
  ['any', { ...object, properties: { text: { type: ['string', 'null'] } } }],
  ['any', { ...object, properties: { list: { type: 'array' } } }],
  ['any', { ...object, properties: { list: { type: 'array', items: { ...text, minLength: 1 } } } }],
  ['anthropic', { ...object, properties: { count: { type: 'integer', minimum: 0 } } }],
  ['anthropic', { ...object, anyOf: [closed] }],
  ['openai', object],
  ['openai', { ...closed, required: ['text'] }],
  ['openai', { ...closed, additionalProperties: true }],
  ['openai', { ...closed, properties: { text, count: object } }],
  ['openai', { ...closed, properties: { text, count: { anyOf: [object, { type: 'null' }] } } }],
  ['gemini', object],
  ['gemini', { type: 'OBJECT', properties: { text: { type: 'STRING' } }, additionalProperties: false }],
])('%s refuses %j', (provider, schema) => {
  expect(() => assertTaken(schema, provider)).toThrow(provider)
})

it('every rule has a published source', () => {
  for (const { sources } of Object.values(PROVIDER_RULES)) expect(sources.join()).toMatch(/https:\/\//)
})
