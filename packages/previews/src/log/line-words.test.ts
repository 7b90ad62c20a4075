import { describe, expect, it } from 'vitest'
import { LineWords } from './line-words.ts'

function read(line: string, isHit = true): LineWords {
  const words = new LineWords()
  words.read(`\n${line}\n`, 1, line.length + 1, isHit)
  return words
}

describe('LineWords', () => {
  it.each([
    ['[info] took 3 ms', '[info] took 4096 ms'],
    ['2024-05-17T10:21:33.4820000Z Compiling a file error', '2025-01-01T00:00:00.0010000Z Compiling a file other'],
    ['09:15:02,120 worker 4 went on well', '23:59:59,001 worker 5 went on badly'],
    ['\u001b[32mok\u001b[0m 1 of us', 'ok 2 of us'],
  ])('gives %j and %j the same kind', (one, other) => {
    expect(read(one).kind).toBe(read(other).kind)
  })

  it.each([
    ['PASS src/a.test.ts', 'FAIL src/a.test.ts'],
    ['ok 3 - a', 'not ok 3 - a'],
    ['[info] done', '[warn] done'],
  ])('gives %j and %j kinds of their own', (one, other) => {
    expect(read(one).kind).not.toBe(read(other).kind)
  })

  it('gives lines that look alike one shape, whatever their words are', () => {
    expect(read('PASS src/cart/total.test.ts').shape).toBe(read('FAIL src/user/login.test.ts').shape)
    expect(read('lib/Cart.pm source OK').shape).not.toBe(read('lib/Cart.pm: Loop iterator is not lexical').shape)
  })

  it.each([
    ['error: 3 of 4', 'error: 9 of 17', true],
    ['error in 3f2a9c of a1b2', 'error in 7e11 of c9d8e7', true],
    ['error: 0 failed', 'error: 3 failed', false],
    ['error: one', 'error: two', false],
    ['error: 漢', 'error: 字', false],
  ])('tells whether %j and %j have one template', (one, other, same) => {
    expect(read(one).template === read(other).template).toBe(same)
  })

  it.each([
    'an error',
    'TypeError',
    'the JSONDecodeError',
    'it FAILED',
    '  ✕ rejects',
    '1) rejects',
    'src/a.c:3:5: x',
    'a/b.cs(3,5) x',
    '___ test ___',
    '[!] no',
    '<11>1 x',
    'E0303 x',
    '{"level":50}',
    '"GET / HTTP/1.1" 502',
    'E   assert',
  ])('finds what tells something in %j', (line) => {
    expect(read(line).telling).toBe(true)
  })

  it.each([
    'stderr',
    'test_error_message',
    'src/errors/a.ts',
    'terrible',
    '<14>1 x',
    '{"level":30}',
    '"GET / HTTP/1.1" 200',
    'I0303 x',
    'a note',
    '漢字',
  ])('finds nothing telling in %j', (line) => {
    expect(read(line).telling).toBe(false)
  })

  it('knows lines of blanks', () => {
    for (const line of ['', '   ', '\t', '\u001b[0m', '\r']) expect(read(line).blank).toBe(true)
    for (const line of ['x', '  .', '漢', '7', ' '.repeat(3_000) + 'x']) expect(read(line).blank).toBe(false)
  })

  it('reads no further than the start of a line without a hit', () => {
    expect(read('one two three four five six an error', false).telling).toBe(false)
  })
})
