import { describe, expect, it } from 'vitest'
import { TextCodes } from '@spillway/text/internal'
import { ERROR, hashWord, INFO, LineWords, OK, severityOfLine, WARNING } from './line-words.ts'

function read(line: string): LineWords {
  const words = new LineWords()
  const text = `before\n${line}\nafter`
  words.read(text, 7, 7 + line.length, new TextCodes().of(text))
  return words
}
const wordsOf = (line: string): number[] => {
  const { words, count } = read(line)
  return [...words.subarray(0, count)]
}

describe('LineWords', () => {
  it.each([
    ['TypeError in HTTPServer', 'type error in http server'],
    ['src/main.c', 'src main c'],
    ['test_error_message', 'test error message'],
    ['\u001b[1;31mfailed\u001b[0m', 'failed'],
    ['2024-03-03T09:15:02.120Z went on', 'went on'],
    ['09:15:02,120 went on', 'went on'],
    ['Übergröße überschritten', 'Übergröße überschritten'],
  ])('reads the words of %j', (line, expected) => {
    expect(wordsOf(line)).toEqual(expected.split(' ').map((word) => hashWord(word)))
  })

  it.each([
    ['error: no space', true],
    ['::error::no space', true],
    ['3 errors found', true],
    ['0000a8090 T std::exception::what() const', false],
    ['e867a docs/0079-errors-link.md', false],
  ])('says whether %j reports an error', (line, reports) => {
    const words = read(line)
    expect(words.reports && words.severity === ERROR).toBe(reports)
  })

  it('treats all numbers except zero as equal', () => {
    expect(wordsOf('took 12')).toEqual(wordsOf('took 3'))
    expect(wordsOf('took 12')).not.toEqual(wordsOf('took 0'))
    expect(wordsOf('id 3f2a')).toEqual(wordsOf('id a77b'))
  })

  it('reads punctuation at the start of a line, and marks of test runners, as words', () => {
    expect(wordsOf('===== test')).toHaveLength(2)
    expect(wordsOf('===== test')).not.toEqual(wordsOf('= test'))
    expect(wordsOf('a ✗ b')).toHaveLength(3)
  })

  it.each([
    ['error: no such file', ERROR],
    ['FAILED tests/a.py::b', ERROR],
    ['TypeError: x', ERROR],
    ['warning: unused', WARNING],
    ['INFO started', INFO],
    ['ok 3 - reads', OK],
    ['0 errors', 0],
    ['errors: 0', 0],
    ['src/errors/a.ts', 0],
    ['test_error_message', 0],
    ['step 3', 0],
  ])('finds the severity of %j', (line, severity) => {
    expect(severityOfLine(line)).toBe(severity)
  })

  it.each([
    'error: no such file',
    'src/a.ts(3,4): error TS2307: Cannot find module',
    '2024-03-03T09:15:02.120Z worker 3 ERROR no space',
    'time=09:15 level=error msg="no space"',
    '{"level":"error","msg":"no space"}',
    '  4:27   error    eval can be harmful',
    'make: *** [Makefile:4: net9.o] Error 1',
    'Tests:       4 failed, 164 passed',
    'java.lang.IllegalStateException: pool is empty',
    'error[E0382]: use of moved value',
    '✖ Failed to compile',
  ])('says that %j reports an error', (line) => {
    expect(read(line)).toMatchObject({ severity: ERROR, reports: true })
  })

  it.each([
    '  --retry-all-errors      Retry on all errors (use with --retry)',
    'X509v3 Basic Constraints: critical',
    '    The error for content that is no array of blocks shows a block',
    'M packages/core/src/storage/storage-error.test.ts',
    '    Error replies to the request with the given message',
    'func Error(w ResponseWriter, error string, code int)',
    'Downloading django-error-report-0.2.0.tar.gz (3.4 kB)',
  ])('says that %j only mentions an error', (line) => {
    expect(read(line).reports).toBe(false)
  })

  it('finds the position of the severity word', () => {
    expect(read('some error').at).toBe(5)
  })

  it('gives the same template to lines that differ only in numbers', () => {
    expect(read('worker 12 died').template).toBe(read('worker 7 died').template)
    expect(read('worker 12 died').template).not.toBe(read('worker 12 left').template)
  })

  it('gives the same kind and shape to lines with the same first words', () => {
    expect(read('GET the page one').kind).toBe(read('GET the page two').kind)
    const start = 'a b c d e f g h i j k l'
    expect(read(`${start} m`).shape).toBe(read(`${start} n`).shape)
  })

  it('gives the same punctuation hash to lines of the same form', () => {
    expect(read('src/a.c:3:5: error: bad').skeleton).toBe(read('lib/x/b.c:14:1: warning: odd').skeleton)
    expect(read('src/a.c:3:5: error: bad').skeleton).not.toBe(read('[error] bad').skeleton)
  })

  it.each(['\u001b[31mx', '\u001b[1;91mx', '\u001b[38;5;9mx'])('detects the red part of %j', (line) => {
    expect(read(line).red).toBe(true)
    expect(read(line.replace(/\d+m/, '32m')).red).toBe(false)
  })

  it('treats a line that has only blanks and escape sequences as blank', () => {
    expect(read('  \t').blank).toBe(true)
    expect(read('  .').blank).toBe(false)
  })

  it('reads the start and the end of a long line', () => {
    const filler = 'word '.repeat(30)
    const line = `error ${filler}${' '.repeat(5_000)}end`
    expect(wordsOf(line).at(-1)).toBe(hashWord('end'))
  })
})
