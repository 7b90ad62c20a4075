import { parseExactJson } from '@spillway/core/adapter'
import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { writeJson } from './write-json.ts'

const write = async (value: unknown): Promise<string> => Buffer.from(await writeJson(value)).toString()

it('writeJson equals JSON.stringify', async () => {
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 9, stringUnit: 'binary' }),
    fc.dictionary(fc.string(), fc.option(fc.string(), { nil: undefined })),
    fc.array(fc.option(fc.string(), { nil: undefined })),
  )
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      expect(await write(value)).toBe(JSON.stringify(value))
    }),
    propertyRuns(200, 2_000),
  )
})

it.each([
  ['characters of two units', '😀'.repeat(200_000)],
  ['characters of two units after one', `a${'😀'.repeat(200_000)}`],
  ['halves of characters', '\ud83d'.repeat(200_000)],
  ['escapes', '\u0000"\\\n'.repeat(100_000)],
])('writeJson writes long texts of %s', async (_name, text) => {
  expect((await write({ answer: [text] })) === JSON.stringify({ answer: [text] })).toBe(true)
})

it('writeJson writes exact numbers, and lets other work run', async () => {
  const messages = parseExactJson(`[${'{"id":1915883588174806058,"price":10.00},'.repeat(50_000)}1]`)
  let turns = 0
  const timer = setInterval(() => (turns += 1))
  const text = await write({ messages })
  clearInterval(timer)
  expect(text === JSON.stringify({ messages })).toBe(true)
  expect(turns).toBeGreaterThan(1)
})
