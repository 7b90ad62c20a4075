import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { LineFeatures, lineScores, rareNumbers } from './line-features.ts'
import { FEATURE, featureOf } from './line-model.ts'
import { LINE_MODEL } from './line-weights.ts'
import { ERROR, hashWord, WARNING } from './line-words.ts'
import { renderTextPreview } from './render-text-preview.ts'
import type { TextScan } from './text-scan.ts'
import { TextScanner } from './text-scanner.ts'

/** Typical lines that programs print hundreds of times. */
const COMMON: Readonly<Record<string, (index: number) => string>> = {
  progress: (index) => `step ${index}: ok`,
  warnings: (index) => `src/${wordOf(index)}.c:${index}:7: warning: unused variable '${wordOf(index + 3)}'`,
  errors: (index) => `lib/${wordOf(index)}.rb:${index}:3: error: undefined method '${wordOf(index + 2)}' for nil`,
  requests: (index) => `INFO worker-${index % 7} handled request ${wordOf(index)} in ${index % 97} ms`,
  tests: (index) => `test ${wordOf(index)}::${wordOf(index + 5)} ... ok`,
}

/** Lines that differ from all typical lines. */
const ODD = [
  'ERROR disk full',
  'Deployed revision r-4711',
  'OK (610 tests, 1752 assertions)',
  'test store::reads ... FAILED',
  "a.c:88:7: error: 'count' undeclared",
]

function wordOf(index: number): string {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'zeta', 'kappa', 'sigma']
  return `${names[index % 7]}_${names[Math.floor(index / 7) % 7]}`
}

function scanOf(lines: readonly string[]): TextScan {
  const scanner = new TextScanner()
  scanner.push(lines.join('\n'))
  return scanner.finish()
}

function oddOf(lines: readonly string[]): number[] {
  return [...lineScores(scanOf(lines), LINE_MODEL).odd]
}

describe('the unusual lines of a text', () => {
  it('finds one line with failures among lines without failures', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `suite ${index + 1}: ${index === 200 ? 3 : 0} failed`)
    expect(oddOf(lines)).toEqual([201])
  })

  it('finds nothing if all lines are similar, or if all lines are different', () => {
    expect(oddOf(Array.from({ length: 300 }, (_, index) => `step ${index}`))).toEqual([])
    expect(oddOf(Array.from({ length: 300 }, (_, index) => wordOf(index).repeat(1 + (index % 9))))).toEqual([])
  })

  it('finds nothing if a tenth of the lines differ', () => {
    const lines = Array.from({ length: 300 }, (_, index) => (index % 10 === 0 ? wordOf(index) : `step ${index}`))
    expect(oddOf(lines)).toEqual([])
  })

  it('finds a line of another form among lines whose numbers and names vary', () => {
    const lines = Array.from(
      { length: 520 },
      (_, index) =>
        `lb1 haproxy[22]: 10.2.0.${index % 9}:${2_000 + index} ssl~ ${wordOf(index * 3)}/srv${index % 4} ${index % 3}/0/${index % 2}/${index % 170} 200 ${index * 7} ${index % 5}/${index % 4}/${index % 3}/0 "${index % 3 === 0 ? 'POST' : 'GET'} /${wordOf(index * 5)}/${index} HTTP/1.1"`,
    )
    lines[140] = 'lb1 haproxy[22]: backend auth has no server available!'
    expect(oddOf(lines)).toEqual([141])
  })
})

describe('rareNumbers', () => {
  const rareOf = (statusOf: (index: number) => number): number[] => {
    const lines = Array.from({ length: 300 }, (_, index) => `GET /items/${index} ${statusOf(index)} ${index * 7}`)
    return [...rareNumbers(lines.map((text) => ({ text })))]
  }

  it('finds lines with a rare status, but not lines with a number that always differs', () => {
    expect(rareOf((index) => (index === 120 ? 502 : index % 5 === 0 ? 304 : 200))).toEqual([120])
  })

  it('finds nothing if a status is not rare, or if there are many different numbers', () => {
    expect(rareOf((index) => (index % 50 === 0 ? 502 : 200))).toEqual([])
    expect(rareOf((index) => 200 + (index % 40))).toEqual([])
  })
})

describe('a preview of a text with one unusual line', () => {
  const places = [5, 60, 170, 595]

  it.each(Object.keys(COMMON))('shows the unusual line among %s, for any length and position', (common) => {
    for (const line of ODD) {
      for (const place of places) {
        const lines = Array.from({ length: 600 }, (_, index) => COMMON[common]!(index)).toSpliced(place, 0, line)
        const scan = scanOf(lines)
        for (const budgetTokens of [60, 100, 1_000])
          expect(renderTextPreview(scan, { budgetTokens, countTokens })).toContain(line)
      }
    }
  })

  it('shows the unusual line even if neither its position nor a failure word selects it', () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `handled request ${index} in ${index % 97} ms`)
    const scan = scanOf(lines.toSpliced(30_000, 0, 'handled request 88 with WRONG checksum'))
    expect(renderTextPreview(scan, { budgetTokens: 100, countTokens })).toContain('WRONG checksum')
  })
})

class ListedFeatures extends LineFeatures {
  readonly list: number[] = []

  protected override get listsAll(): boolean {
    return true
  }

  protected override found(about: number, value: number, weight: number): void {
    this.list.push(featureOf(about, value))
    super.found(about, value, weight)
  }
}

/** The features of one line of a text, and their total weight. */
function featuresOf(text: string, number: number): { list: number[]; weight: number } {
  const scan = scanOf([text])
  const features = new ListedFeatures(scan, scan.kept, LINE_MODEL)
  const weight = features.weightOf(scan.kept.findIndex((line) => line.number === number))
  return { list: features.list, weight }
}
const has = (text: string, number: number, about: number, value: number): boolean =>
  featuresOf(text, number).list.includes(featureOf(about, value))

describe('lineScores', () => {
  it.each(Object.keys(COMMON))(
    'exist only for a part of many lines: %s, with both ends and the unusual line',
    (kind) => {
      const lines = Array.from({ length: 2_000 }, (_, index) => COMMON[kind]!(index))
      lines[1_000] = 'Killed by the kernel: out of memory'
      const { scores } = lineScores(scanOf(lines), LINE_MODEL)
      expect(scores.size).toBeLessThan(400)
      expect([1, 20, 1_001, 1_980, 2_000].filter((number) => !scores.has(number))).toEqual([])
    },
  )
})

describe('LineFeatures', () => {
  it('include the words of the line, and mark its first and last word', () => {
    const text = 'one\nlinker command failed\nthree'
    for (const word of ['linker', 'command', 'failed']) expect(has(text, 2, FEATURE.word, hashWord(word))).toBe(true)
    expect(has(text, 2, FEATURE.word, hashWord('one'))).toBe(false)
    expect(has(text, 2, FEATURE.first, hashWord('linker'))).toBe(true)
    expect(has(text, 2, FEATURE.last, hashWord('failed'))).toBe(true)
  })

  it('include the words of the lines before and after, unless the lines are far away', () => {
    expect(has('one\ntwo\nthree', 2, FEATURE.before, hashWord('one'))).toBe(true)
    expect(has('one\ntwo\nthree', 2, FEATURE.after, hashWord('three'))).toBe(true)
    expect(has(`one\n${'\n'.repeat(20)}two`, 22, FEATURE.before, hashWord('one'))).toBe(false)
  })

  it('include the number of similar lines in the text, ignoring numbers', () => {
    const text = `${'step 12 done\n'.repeat(7)}alone\n`
    expect(has(text, 1, FEATURE.templates, 6)).toBe(true)
    expect(has(text, 8, FEATURE.templates, 2)).toBe(true)
  })

  it('distinguish a single error among many similar warnings', () => {
    const warning = 'a.c:3: warning: unused\n'
    const text = `${warning.repeat(63)}a.c:9: error: bad\n`
    const oddest = (ERROR << 8) | (6 << 4) | 6
    expect(has(text, 64, FEATURE.odd, oddest)).toBe(true)
    expect(has(text, 1, FEATURE.odd, (WARNING << 8) | 6)).toBe(true)
  })

  it('recognize red lines, positions in source files, and names of exceptions', () => {
    expect(has('\u001b[31mred\u001b[0m', 1, FEATURE.red, 0)).toBe(true)
    expect(has('src/a.c:3: bad', 1, FEATURE.location, 0)).toBe(true)
    expect(has('at 10:30: bad', 1, FEATURE.location, 0)).toBe(false)
    expect(has('KeyError: 3', 1, FEATURE.exception, 0)).toBe(true)
  })

  it('count each feature once, and add the weights to the bias', () => {
    const { list, weight } = featuresOf('error: a a a a a\nerror: a a a\n', 1)
    expect(new Set(list).size).toBe(list.length)
    const sum = list.reduce((total, feature) => total + LINE_MODEL.weightOf(feature), LINE_MODEL.bias)
    expect(weight).toBeCloseTo(sum)
    expect(weight).not.toBe(LINE_MODEL.bias)
  })
})
