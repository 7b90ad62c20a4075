import { describe, expect, it } from 'vitest'
import { cutPrefixes } from './line-prefixes.ts'
import { TextScanner } from './text-scanner.ts'

function cut(text: string): { texts: string[]; note: string } {
  const scanner = new TextScanner()
  scanner.push(text)
  const { lines, note } = cutPrefixes(scanner.finish().kept)
  return { texts: lines.map((line) => line.text), note }
}

const lines = Array.from({ length: 12 }, (_, index) => `text ${index}`)

describe('cutPrefixes', () => {
  it.each([
    '2024-05-17T10:21:33.4820000Z ',
    '2024-05-17 10:21:33,482 ',
    '[2024-05-17 10:21:33] ',
    '2024/05/17 10:21:33 ',
  ])('removes the time %j from lines and mentions it', (time) => {
    expect(cut(lines.map((line) => time + line).join('\n'))).toEqual({ texts: lines, note: ', times cut' })
  })

  it('removes the job and the step before a time, and mentions them', () => {
    expect(cut(lines.map((line) => `build\trun tests\t2024-05-17T10:21:33.4820000Z ${line}`).join('\n'))).toEqual({
      texts: lines,
      note: ', job, step and time cut',
    })
  })

  it('removes line numbers that are correct', () => {
    expect(cut(lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n'))).toEqual({
      texts: lines,
      note: ', numbers cut',
    })
    expect(cut(lines.map((line, index) => `${index + 1}→${line}`).join('\n'))).toEqual({
      texts: lines,
      note: ', numbers cut',
    })
  })

  it('keeps other numbers, prefixes that only some lines have, and times after cells of a table', () => {
    expect(cut(lines.map((line, index) => `${index + 100}: ${line}`).join('\n')).note).toBe('')
    expect(cut(lines.map((line, index) => `${index}\tAnn ${line}\t2024-05-17 10:21:33`).join('\n')).note).toBe('')
    expect(cut(lines.map((line, index) => (index < 4 ? `2024-05-17T10:21:33Z ${line}` : line)).join('\n')).note).toBe(
      '',
    )
  })

  it('treats lines that have only a time as blank', () => {
    const { texts } = cut(lines.map((line, index) => `2024-05-17T10:21:33Z ${index % 3 === 0 ? '' : line}`).join('\n'))
    expect(texts).toHaveLength(8)
  })
})
