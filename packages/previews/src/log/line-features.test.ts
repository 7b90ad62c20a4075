import { describe, expect, it } from 'vitest'
import { hashWord } from './hash-word.ts'
import { LineFeatures } from './line-features.ts'
import { FEATURE, featureOf } from './line-model.ts'
import { ERROR, WARNING } from './severity.ts'
import { readLines } from './read-line.ts'
import { TextScanner } from './text-scanner.ts'

/** The features of one line of a text. */
function featuresOf(text: string, number: number): Set<number> {
  const scanner = new TextScanner()
  scanner.push(text)
  const scan = scanner.finish()
  const index = scan.kept.findIndex((line) => line.number === number)
  return new Set(new LineFeatures(scan, scan.kept, readLines(scan.kept)).of(index))
}
const has = (text: string, number: number, about: number, value: number): boolean =>
  featuresOf(text, number).has(featureOf(about, value))

describe('LineFeatures', () => {
  it('has the words of the line, and which are the first and the last', () => {
    const text = 'one\nlinker command failed\nthree'
    for (const word of ['linker', 'command', 'failed']) expect(has(text, 2, FEATURE.word, hashWord(word))).toBe(true)
    expect(has(text, 2, FEATURE.word, hashWord('one'))).toBe(false)
    expect(has(text, 2, FEATURE.first, hashWord('linker'))).toBe(true)
    expect(has(text, 2, FEATURE.last, hashWord('failed'))).toBe(true)
  })

  it('has the words of the lines before and after, unless they stand far away', () => {
    expect(has('one\ntwo\nthree', 2, FEATURE.before, hashWord('one'))).toBe(true)
    expect(has('one\ntwo\nthree', 2, FEATURE.after, hashWord('three'))).toBe(true)
    expect(has(`one\n${'\n'.repeat(20)}two`, 22, FEATURE.before, hashWord('one'))).toBe(false)
  })

  it('tells how often a line stands in the text, numbers aside', () => {
    const text = `${'step 12 done\n'.repeat(7)}alone\n`
    expect(has(text, 1, FEATURE.templates, 6)).toBe(true)
    expect(has(text, 8, FEATURE.templates, 2)).toBe(true)
  })

  it('tells the one error among many warnings of its form', () => {
    const warning = 'a.c:3: warning: unused\n'
    const text = `${warning.repeat(63)}a.c:9: error: bad\n`
    const oddest = (ERROR << 8) | (6 << 4) | 6
    expect(has(text, 64, FEATURE.odd, oddest)).toBe(true)
    expect(has(text, 1, FEATURE.odd, (WARNING << 8) | 6)).toBe(true)
  })

  it('tells red lines, places in source files, and names of exceptions', () => {
    expect(has('\u001b[31mred\u001b[0m', 1, FEATURE.red, 0)).toBe(true)
    expect(has('src/a.c:3: bad', 1, FEATURE.location, 0)).toBe(true)
    expect(has('at 10:30: bad', 1, FEATURE.location, 0)).toBe(false)
    expect(has('KeyError: 3', 1, FEATURE.exception, 0)).toBe(true)
  })

  it('has each feature once', () => {
    const scanner = new TextScanner()
    scanner.push('a a a a a\na a a\n')
    const scan = scanner.finish()
    const features = [...new LineFeatures(scan, scan.kept, readLines(scan.kept)).of(0)]
    expect(new Set(features).size).toBe(features.length)
  })
})
