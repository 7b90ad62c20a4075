import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { showLine } from './choose-lines.ts'
import type { ScannedLine } from './text-scan.ts'

const line = (text: string): ScannedLine => ({
  number: 1,
  blanksBefore: 0,
  text,
  end: '',
  hidden: 0,
  red: false,
  severity: 0,
  template: 1,
  repeats: 1,
  run: 1,
  errorsBefore: 0,
  warningsBefore: 0,
  rank: 0,
})

describe('showLine', () => {
  it('does not change a line that fits', () => {
    expect(showLine(line('short'), 5, 0.2)).toBe('short')
  })

  it('shows the start and end of a longer line, and the length of the hidden part', () => {
    expect(showLine(line(`start${'x'.repeat(2_000)}end`), 100, 0.2)).toMatch(
      /^startx+\[… 1,908 more characters …\]x+end$/,
    )
  })

  it('shows important text after the start', () => {
    const text = `${'a'.repeat(700)} error: here ${'b'.repeat(900)}`
    const shown = showLine(line(text), 200, 0.2)
    expect(shown).toMatch(/^a+\[… [\d,]+ more characters …\]a* error: here b*\[… [\d,]+ more characters …\]b+$/)
  })

  it('shows or counts every character of the line', () => {
    fc.assert(
      fc.property(
        fc.nat(3_000),
        fc.integer({ min: 1, max: 600 }),
        fc.nat(3_000),
        fc.constantFrom(0.2, 0.5),
        (length, cap, at, share) => {
          const start = Math.min(at, length - 8)
          const text = start < 0 ? 'x'.repeat(length) : `${'x'.repeat(start)} error: ${'x'.repeat(length - start - 8)}`
          const shown = showLine(line(text), cap, share)
          const hidden = [...shown.matchAll(/\[… ([\d,]+) more characters …\]/g)].map((match) =>
            Number(match[1]!.replaceAll(',', '')),
          )
          const plain = shown.replace(/\[… [\d,]+ more characters …\]/g, '')
          expect(plain.length + hidden.reduce((sum, count) => sum + count, 0)).toBe(length)
          expect(plain.length).toBeLessThanOrEqual(cap * 1.25)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
