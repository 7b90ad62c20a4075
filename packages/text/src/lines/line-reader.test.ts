import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanLine } from './clean-line.ts'
import { LongLine } from './line-reader.ts'

const frames = (count: number, state = (at: number) => `Receiving objects: ${at} of ${count}`): string[] =>
  Array.from({ length: count }, (_, index) => state(index + 1))

function read(...pieces: readonly string[]): { start: string; end: string; hidden: number } {
  const line = new LongLine()
  for (const piece of pieces) line.add(piece)
  const parts = { start: '', end: '', hidden: 0 }
  line.finish((start, end, hidden) => Object.assign(parts, { start, end, hidden }))
  return parts
}

describe('LongLine', () => {
  it.each([
    ['progress', `${frames(3_000).join('\r')}\r`, 'Receiving objects: 3000 of 3000'],
    [
      'a message before progress',
      `E: no such package in the list\r${frames(9_000, (at) => `${at}`).join('\r')}`,
      'E: no such package in the list 9000',
    ],
    [
      'progress before a message',
      `${frames(3_000).join('\r')}\rfatal: the remote end hung up unexpectedly`,
      'fatal: the remote end hung up unexpectedly',
    ],
    [
      'states that begin with an escape sequence',
      frames(3_000).join('\u001b[2K\u001b[1G'),
      'Receiving objects: 3000 of 3000',
    ],
    ['backspaces', `${frames(9_000, (at) => `${String(at).padStart(4)}${'\b'.repeat(4)}`).join('')}done`, 'done'],
  ])('keeps the start and the end of %s', (_name, line, shown) => {
    expect(read(line)).toEqual({ start: shown, end: '', hidden: 0 })
  })

  it('keeps the start and the end of any other line', () => {
    const line = `${'a'.repeat(50_000)}${'z'.repeat(50_000)}\r`
    const { start, end, hidden } = read(line)
    expect(line.startsWith(start) && line.endsWith(end)).toBe(true)
    expect(start.length + end.length + hidden).toBe(line.length)
    expect(hidden).toBeGreaterThan(50_000)
  })

  it('keeps the same text of progress output as cleanLine, for any chunks', () => {
    const piece = fc.constantFrom('\r', '\b', 'a', 'bc', ' 10%', '\u001b[K', '\u001b[31m', 'a longer message')
    const pieces = fc.array(fc.array(piece, { maxLength: 9 }).map((parts) => parts.join('')))
    fc.assert(
      fc.property(pieces, (split) => {
        const line = `x\ry\r${split.join('')}`
        expect(read(`x\r`, 'y\r', ...split).start.trimEnd()).toBe(cleanLine(line))
      }),
      propertyRuns(200, 4_000),
    )
  })
})
