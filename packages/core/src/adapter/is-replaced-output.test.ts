import { expect, it } from 'vitest'
import { formatReplacement } from '../offload/replacement.ts'
import { isReplacedOutput } from './is-replaced-output.ts'

const block = { reference: 'call_1_0_abc', type: 'text', contentType: 'text/plain', size: 90_000 } as const
const original = { blocks: 1, tokens: 20_000 }
const text = formatReplacement({ blocks: [block], original, isError: false, retrievalTool: undefined })
const image = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' } as const

it.each([
  [{ type: 'text', value: text }],
  [{ type: 'error-text', value: text }],
  [{ type: 'content', value: [{ type: 'text', text }, image] }],
] as const)('knows what was offloaded by the text that comes first: %o', (output) => {
  expect(isReplacedOutput(output as Parameters<typeof isReplacedOutput>[0])).toBe(true)
})

it.each([
  [{ type: 'text', value: 'two users' }],
  [{ type: 'content', value: [] }],
  [{ type: 'content', value: [image, { type: 'text', text }] }],
] as const)('takes %o for an output like any other', (output) => {
  expect(isReplacedOutput(output as Parameters<typeof isReplacedOutput>[0])).toBe(false)
})
