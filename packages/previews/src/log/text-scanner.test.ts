import fc from 'fast-check'
import { propertyRuns } from '@spillway-internal/test-run'
import { describe, expect, it } from 'vitest'
import type { TextScan } from './text-scan.ts'
import { type KeptLine, LinePool, TextScanner } from './text-scanner.ts'

const keptLine = (number: number, rank: number, raw = 'x'): KeptLine => ({
  number,
  raw,
  rawEnd: '',
  hidden: 0,
  blanksBefore: 0,
  template: 1,
  red: false,
  severity: 0,
  errorsBefore: 0,
  warningsBefore: 0,
  rank,
  run: 1,
})

describe('LinePool', () => {
  it('keeps the lines with the highest ranks, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 20_000 }), (ranks) => {
        const pool = new LinePool()
        for (const [index, rank] of ranks.entries()) pool.add(keptLine(index + 1, rank))
        const { lines, floor } = pool
        expect(lines.length).toBeLessThanOrEqual(4_096)
        const numbers = lines.map(({ number }) => number)
        expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
        const above = ranks.filter((rank) => rank > floor).length
        expect(lines.filter(({ rank }) => rank > floor)).toHaveLength(above)
      }),
      { numRuns: 20 },
    )
  })

  it('limits its size for lines of any length', () => {
    const pool = new LinePool()
    for (let number = 1; number <= 3_000; number++) pool.add(keptLine(number, 50, 'y'.repeat(2_500)))
    expect(pool.lines.reduce((sum, { raw }) => sum + raw.length, 0)).toBeLessThanOrEqual(524_288)
    expect(pool.lines[0]!.number).toBe(1)
  })
})

function scan(pieces: readonly string[], readUnits?: number): TextScan {
  const scanner = new TextScanner(undefined, readUnits)
  for (const piece of pieces) scanner.push(piece)
  return scanner.finish()
}

/** All data of a scan, and its scores. */
function keptOf(pieces: readonly string[], readUnits?: number): object {
  const { scores, counts: _, ...kept } = scan(pieces, readUnits)
  return { ...kept, scores: scores() }
}

function split(text: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((one, other) => one - other), text.length]
  return at.slice(1).map((end, index) => text.slice(at[index]!, end))
}

const words = [
  'error: no such file',
  'ok',
  'warning: unused',
  '\u001b[31mFAILED\u001b[0m tests/a.py::b',
  'exited with 1',
  '\r',
  '50%\r',
]
const line = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom(...words),
  fc.constantFrom('', '  ', '\tat a.b(C.java:1)'),
  fc.constantFrom('x'.repeat(3_000), 'é😀'.repeat(20_000), 'é\r'.repeat(30_000)),
)
const texts = fc
  .array(fc.tuple(line, fc.nat(400), fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 14 })
  .map((parts) =>
    parts.map(([text, times, end]) => (text.length > 500 ? text + end : (text + end).repeat(times))).join(''),
  )

describe('TextScanner', () => {
  it('keeps the same lines for any chunks', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(10_000_000), { maxLength: 40 }), (text, cuts) => {
        expect(keptOf(split(text, cuts))).toEqual(keptOf([text]))
        expect(keptOf(split(text, cuts), 500)).toEqual(keptOf([text], 500))
      }),
      propertyRuns(15, 600),
    )
  })

  it('keeps the same lines if each character arrives separately', () => {
    const text = `${'😀 error: one\r\n'.repeat(300)}${'y'.repeat(40_000)}\nlast`
    expect(keptOf([...Array(text.length)].map((_, index) => text[index]!))).toEqual(keptOf([text]))
  })

  it('counts lines like text.split, but without an empty line after the final newline', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const lines = text.split('\n')
        if (lines.at(-1) === '') lines.pop()
        expect(scan([text]).lines).toBe(lines.length)
        expect(scan([text]).length).toBe(text.length)
      }),
      propertyRuns(15, 600),
    )
  })

  it('has the correct number of each kept line', () => {
    const text = Array.from({ length: 60_000 }, (_, index) =>
      index % 97 === 0 ? `error: ${index + 1} broke` : `line ${index + 1}`,
    ).join('\n')
    const { kept } = scan([text])
    expect(kept.length).toBeGreaterThan(1_000)
    for (const { number, text: shown } of kept) expect(shown).toContain(` ${number}`)
    expect(kept.map(({ number }) => number)).toEqual(
      kept.map(({ number }) => number).toSorted((one, other) => one - other),
    )
  })

  it('counts all errors and warnings of a large text without reading every line', () => {
    const words = ['error', 'Failures', 'WARN', 'deprecated', 'HTTPError', '0 errors', 'interrupted', 'done']
    const line = fc.tuple(fc.string({ minLength: 20, maxLength: 60 }), fc.constantFrom(...words), fc.nat(30))
    fc.assert(
      fc.property(fc.array(line, { minLength: 100, maxLength: 300 }), (parts) => {
        const text = parts.map(([start, word, times]) => `${start} ${word} ${times}\n`.repeat(times)).join('')
        const { errors, warnings, kept, lines } = scan([text], 500)
        const all = scan([text])
        expect([errors, warnings, lines]).toEqual([all.errors, all.warnings, all.lines])
        const texts = new Map(all.kept.map((each) => [each.number, each.text]))
        for (const { number, text: shown } of kept) expect(shown).toBe(texts.get(number) ?? shown)
      }),
      propertyRuns(15, 600),
    )
  })

  it('finds the only line of a large text that differs from all others', () => {
    const noise = Array.from({ length: 40_000 }, (_, index) => `12:00:${10 + (index % 50)} step ${index} done`).join(
      '\n',
    )
    const { kept } = scan([`${noise}\nthe ship has sailed, with 3 cats on board\n${noise}`], 10_000)
    expect(kept.map(({ text }) => text)).toContain('the ship has sailed, with 3 cats on board')
  })

  it('distinguishes lines with another color, or with the number zero', () => {
    const noise = Array.from({ length: 4_000 }, (_, index) => `\u001b[32mtests\u001b[0m of suite: ${index + 1} failed`)
    const odd = ['\u001b[31mtests\u001b[0m of suite: 3 failed', '\u001b[32mtests\u001b[0m of suite: 0 failed']
    const { kept, errors } = scan([[...noise, ...odd, ...noise].join('\n')], 1_000)
    expect(kept.find(({ number }) => number === 4_001)).toMatchObject({ red: true })
    expect(errors).toBe(8_001)
  })

  it('counts no error for lines that only mention errors, in a small and in a large text', () => {
    const help = '  --retry-all-errors   Retry on all errors, and on the warning of a proxy\n'
    for (const count of [20, 60_000]) {
      const { errors, warnings, kept } = scan([`error: one\n${help.repeat(count)}`])
      expect([errors, warnings]).toEqual([1, 0])
      expect(kept.at(-1)).toMatchObject({ severity: 0, errorsBefore: 1 })
    }
  })

  it('counts the errors and warnings before each line', () => {
    const text = `start\n${'error: a\nwarning: b\nfine\n'.repeat(20_000)}end\n`
    const { errors, warnings, kept } = scan([text])
    expect([errors, warnings]).toEqual([20_000, 20_000])
    expect(kept.at(-1)).toMatchObject({ text: 'end', errorsBefore: 20_000, warningsBefore: 20_000 })
    expect(kept.at(-3)).toMatchObject({ text: 'warning: b', errorsBefore: 20_000, warningsBefore: 19_999 })
  })

  it('finds one failure in the middle of a long log, with the lines around it', () => {
    const noise = Array.from({ length: 40_000 }, (_, index) => `[info] step ${index} done`).join('\n')
    const { kept } = scan([`${noise}\nbefore\npanic: index out of range\n  at main.go:12\n${noise}`])
    const texts = kept.map(({ text }) => text)
    expect(texts).toEqual(expect.arrayContaining(['before', 'panic: index out of range', '  at main.go:12']))
  })

  it('keeps only a small part of endless text: one long line, many short lines, many different errors', () => {
    const long = new TextScanner()
    for (let index = 0; index < 30; index++) long.push('0123456789'.repeat(10_000))
    const one = long.finish()
    expect(one).toMatchObject({ lines: 1, length: 3_000_000 })
    expect(one.kept).toHaveLength(1)
    expect(one.kept[0]!.text.length + one.kept[0]!.end.length + one.kept[0]!.hidden).toBe(3_000_000)

    const short = new TextScanner()
    for (let index = 0; index < 25; index++) short.push('a\n'.repeat(20_000))
    expect(short.finish().lines).toBe(500_000)

    const errors = new TextScanner()
    for (let index = 0; index < 30_000; index++) {
      errors.push(
        `error: ${String.fromCharCode(97 + (index % 26), 97 + ((index * 7) % 25), 97 + ((index * 3) % 23))} of ${'word '.repeat(8)}\n`,
      )
    }
    const { kept } = errors.finish()
    expect(kept.length).toBeLessThan(12_000)
    expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(2_000_000)
  })

  it('keeps an unusual line with the lines around it, and only a few lines if all are unusual', () => {
    const noise = 'one more step taken\n'.repeat(20_000)
    const { kept } = scan([`${noise}another: thing (quite)\n${noise}`])
    const odd = kept.find(({ number }) => number === 20_001)
    expect(odd).toMatchObject({ text: 'another: thing (quite)', repeats: 1 })
    expect(kept.map(({ number }) => number)).toEqual(expect.arrayContaining([20_000, 20_001, 20_002]))

    const word = (index: number): string =>
      String.fromCharCode(...[0, 1, 2, 3].map((place) => 97 + (Math.floor(index / 23 ** place) % 23)))
    const unlike = scan([
      Array.from({ length: 12_000 }, (_, index) => `${word(index * 7_919)} ${word(index * 104_729)} said`).join('\n'),
    ])
    expect(unlike.kept.length).toBeLessThan(7_000)
  })

  it('shows lines as a terminal would', () => {
    const { kept } = scan([
      '\uFEFF\u001b[1;32mgreen\u001b[0m  \r\n 10%\r 55%\r100% done\r\n\u001b]0;title\u0007plain\u0000\n',
    ])
    expect(kept.map(({ text }) => text)).toEqual(['green', '100% done', 'plain'])
  })

  it('has no lines for an empty text', () => {
    expect(scan([])).toMatchObject({ lines: 0, length: 0, errors: 0, warnings: 0, kept: [] })
  })
})
