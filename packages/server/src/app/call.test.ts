import { parseExactJson } from '@spillway/core/adapter'
import { expect, it } from 'vitest'
import { Call, jsonResponse } from './call.ts'

const write = async (value: unknown): Promise<string> => (await jsonResponse(new Call(), value)).text()

it.each([
  ['characters of two units', '😀'.repeat(200_000)],
  ['halves of characters', '\ud83d'.repeat(200_000)],
  ['escapes', '\u0000"\\\n'.repeat(100_000)],
])('jsonResponse writes long texts of %s', async (_name, text) => {
  expect((await write({ answer: [text] })) === JSON.stringify({ answer: [text] })).toBe(true)
})

it('jsonResponse writes exact numbers, and lets other work run', async () => {
  const messages = parseExactJson(`[${'{"id":1915883588174806058,"price":10.00},'.repeat(50_000)}1]`)
  let turns = 0
  const timer = setInterval(() => (turns += 1))
  const text = await write({ messages })
  clearInterval(timer)
  expect(text === JSON.stringify({ messages })).toBe(true)
  expect(turns).toBeGreaterThan(1)
})
