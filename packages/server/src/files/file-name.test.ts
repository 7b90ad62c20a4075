import { expect, it } from 'vitest'
import { fileNamePart } from './file-name.ts'

it('keeps an id that can stand in a name, and keeps apart those that cannot', async () => {
  expect(await fileNamePart('call_1.b')).toBe('call_1.b')
  const ids = [
    '',
    '../../x',
    '/../x',
    'a/b',
    'a b',
    'a_b',
    'é',
    'è',
    'a'.repeat(80),
    'a'.repeat(81),
    'a'.repeat(82),
    '\0',
  ]
  const parts = await Promise.all(ids.map(fileNamePart))
  expect(new Set(parts).size).toBe(ids.length)
  for (const part of parts) {
    expect(part).toMatch(/^[A-Za-z0-9_.]+$/)
    expect(part.length).toBeLessThanOrEqual(93)
  }
})
