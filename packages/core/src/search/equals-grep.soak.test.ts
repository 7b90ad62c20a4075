import { isFull } from '@spillway-internal/test-run'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parseSearchPattern } from '@spillway/text/internal/patterns'
import { memorySource } from '../../test/memory-source.ts'
import type { ContentSource } from '../content/content-source.ts'
import { findLineSpan } from './line-finder.ts'
import { viewHits } from './view-hits.ts'
import { searchLines } from './search-lines.ts'

/**
 * Generated questions that GNU grep and sed also answer, in the syntax that `grep -E` and JavaScript share.
 *
 * Not generated, because the two programs differ:
 * - which part of a line matches: POSIX takes the longest alternative, JavaScript the first; the matching lines are the
 *   same
 * - `\d`, `\t`, look-around, lazy quantifiers, back-references: not in POSIX, or not the same there
 * - `\w`, `\W`, `\b`, `\B`, `\s`, `\S` in texts beyond ASCII: grep asks the locale
 * - `.`, negated sets and counts in texts beyond the BMP: JavaScript without `u` counts halves of characters
 * - `[]a]`, a backslash in brackets, `^*`, `{,n}`: other syntax
 * - CR before LF, a byte order mark and invalid UTF-8, which belong to the line for grep: CRLF is compared with the
 *   same text as grep reads it without CR
 * - `^`, `$`, `\b` and `\B` in repeated groups, such as `(a|^b){0,2}`: grep 3.8 gives wrong lines there
 * - ranges beyond ASCII: the C.UTF-8 of some systems has no order for them
 * - cases that one-to-one folding does not know (ß, ſ, K): grep -i folds them by the locale
 */
const COUNT = isFull ? 10_000 : 200
const QUESTIONS_OF_A_TEXT = 10
const SEED = Number(process.env['SPILLWAY_SEED'] ?? 20_260_101)
type Kind = 'ascii' | 'bmp' | 'astral'

interface Question {
  readonly pattern: string
  readonly ignoreCase: boolean
  readonly context: number
  readonly range: readonly [number, number]
}

interface Subject {
  readonly text: string
  /** The text for grep, with LF only. */
  readonly plain: string
  readonly blockBytes: number
  readonly questions: readonly Question[]
}

const LETTERS: Readonly<Record<Kind, readonly string[]>> = {
  ascii: ['a', 'b', 'c', 'A', 'B', '1', '2', ' ', '_', '.', '-', '\t'],
  bmp: ['a', 'b', 'A', 'é', 'É', 'ж', 'Ж', '中', '1', ' ', '.', '\u00a0'],
  astral: ['a', 'b', 'é', '中', '😀', '😁', ' '],
}

const escaped = (character: string): string => character.replace(/[.]/, '\\.')

function patternsOf(kind: Kind): fc.Arbitrary<string> {
  const literal = fc.constantFrom(...LETTERS[kind].filter((letter) => letter !== '\t')).map(escaped)
  const word = fc.array(literal, { minLength: 1, maxLength: 4 }).map((letters) => letters.join(''))
  const sets: Readonly<Record<Kind, readonly string[]>> = {
    ascii: [
      '.',
      '[ab]',
      '[^ab]',
      '[a-c]',
      '[^a-c ]',
      '[0-9]',
      '[A-Z1]',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '[[:digit:]]',
      '[^[:space:]b]',
    ],
    bmp: ['.', '[ab]', '[^ab]', '[éж]', '[^é]', '[^ж1]', '[a-c]', '[[:digit:]]'],
    astral: ['[ab]', '[é中]', 'a'],
  }
  const atom = fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: fc.constantFrom(...sets[kind]) })
  const simple = kind === 'astral' ? ['*', '+', '?'] : ['*', '+', '?', '{2}', '{1,3}', '{2,}', '{0,2}']
  const repeats = fc.constantFrom('', '', ...simple)
  const edge = fc.constantFrom(...(kind === 'ascii' ? ['', '\\b', '\\B'] : ['']))
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      atom,
      fc.tuple(fc.constantFrom(...sets[kind], 'a', 'b'), repeats).map(([set, repeat]) => set + repeat),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), repeats).map(([inner, repeat]) => `(${inner})${repeat}`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
    ),
  }))
  // The parts are simple, because grep takes hours for some nested repeats beside a word boundary.
  const part = fc.oneof(
    word,
    fc.tuple(fc.constantFrom(...sets[kind]), repeats).map(([set, repeat]) => set + repeat),
  )
  const edged = fc.tuple(edge, part, edge, part, edge).map((parts) => parts.join(''))
  const inner = fc.oneof(pattern, edged)
  const whole = fc.tuple(fc.constantFrom('', '', '^'), inner, fc.constantFrom('', '', '$'))
  const anchored = fc
    .tuple(fc.constantFrom('', '^'), inner, fc.constantFrom('$|', '|^', '|'), inner, fc.constantFrom('', '$'))
    .map((parts) => `(${parts.join('')})`)
  return fc.oneof(
    { weight: 1, arbitrary: word },
    { weight: 1, arbitrary: fc.tuple(word, word).map((words) => words.join('|')) },
    { weight: 4, arbitrary: whole.map((parts) => parts.join('')) },
    { weight: 1, arbitrary: anchored },
    { weight: 1, arbitrary: fc.constantFrom('^$', '^', '$', 'a*', '^ *$', '^.*$', 'a|^$', '^a|b$', '(a|b)*c') },
  )
}

function linesOf(kind: Kind): fc.Arbitrary<readonly string[]> {
  const short = fc.array(fc.constantFrom(...LETTERS[kind]), { maxLength: 12 }).map((letters) => letters.join(''))
  // Some lines are longer than a block, and some are long enough to have several hits.
  const long = fc.tuple(short, fc.integer({ min: 1, max: 500 })).map(([line, times]) => line.repeat(times))
  const line = fc.oneof({ weight: 30, arbitrary: short }, { weight: 1, arbitrary: long })
  const few = fc.array(line, { maxLength: 40 })
  // Of a few lines, hardly a question matches one.
  const usual = fc.array(line, { minLength: 16, maxLength: 40 })
  const many = fc.tuple(few, fc.integer({ min: 10, max: 80 }))
  return fc.oneof(
    { weight: 16, arbitrary: usual },
    { weight: 4, arbitrary: few },
    { weight: 1, arbitrary: many.map(([lines, times]) => Array.from({ length: times }, () => lines).flat()) },
  )
}

function subjectsOf(kind: Kind): fc.Arbitrary<Subject> {
  const question = fc.record({
    pattern: patternsOf(kind),
    ignoreCase: fc.boolean(),
    context: fc.constantFrom(0, 0, 1, 3),
    range: fc.tuple(fc.integer({ min: 1, max: 45 }), fc.nat(20)).map(([from, more]) => [from, from + more] as const),
  })
  return fc
    .record({
      lines: linesOf(kind),
      lineEnd: fc.constantFrom('\n', '\n', '\r\n'),
      ended: fc.boolean(),
      blockBytes: fc.constantFrom(5, 64, 1_000, 65_536),
      questions: fc.array(question, { minLength: QUESTIONS_OF_A_TEXT, maxLength: QUESTIONS_OF_A_TEXT }),
    })
    .map(({ lines, lineEnd, ended, blockBytes, questions }) => {
      const write = (end: string): string => lines.join(end) + (ended && lines.length > 0 ? end : '')
      return { text: write(lineEnd), plain: write('\n'), blockBytes, questions }
    })
}

const subject = fc.oneof(
  { weight: 5, arbitrary: subjectsOf('ascii') },
  { weight: 4, arbitrary: subjectsOf('bmp') },
  { weight: 1, arbitrary: subjectsOf('astral') },
)

/** The answer of grep to one question. */
interface Expected {
  readonly lines: readonly number[]
  /** Line numbers of the output, including context. */
  readonly shown: readonly number[]
  /** The output of sed for the range. */
  readonly range: string
}

function run(script: string): string {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' }
  const { stdout, status } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8', maxBuffer: 1 << 30 })
  return status === 0 ? stdout : ''
}

const isGnu = (): boolean =>
  /^grep \(GNU[^]*^sed \(GNU[^]*^4$/m.test(run('grep --version; sed --version; printf "ÉA" | grep -i é | wc -c'))

const folder = mkdtempSync(join(tmpdir(), 'equals-grep-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Run grep and sed for all texts in one process that starts the others. */
function askGrep(subjects: readonly Subject[]): readonly (readonly Expected[])[] {
  const script = subjects.flatMap(({ plain, questions }, index) => {
    const file = join(folder, `${index}`)
    writeFileSync(file, plain)
    return questions.map(({ pattern, ignoreCase, context, range }) => {
      const options = `-a -n -E ${ignoreCase ? '-i' : ''} -C ${context}`
      const ask = `grep ${options} -e '${pattern}' '${file}'; [ $? -lt 2 ] || exit 9`
      return `${ask}; printf '\\0'; sed -n '${range[0]},${range[1]}p' '${file}'; printf '\\0'`
    })
  })
  writeFileSync(join(folder, 'script'), script.join('\n'))
  const parts = run(`. '${join(folder, 'script')}'`).split('\0')
  let at = 0
  return subjects.map(({ questions }) =>
    questions.map(() => {
      const numbered = parts[at++]!.matchAll(/^(\d+)([:-])/gm)
      const all = [...numbered].map(([, number, kind]) => ({ number: Number(number), matches: kind === ':' }))
      const lines = all.filter(({ matches }) => matches).map(({ number }) => number)
      return { lines, shown: all.map(({ number }) => number), range: parts[at++]! }
    }),
  )
}

function lineNumbers(content: Uint8Array, offsets: readonly number[]): readonly number[] {
  let line = 1
  let at = 0
  return offsets.map((offset) => {
    for (let next = content.indexOf(10, at); next >= 0 && next < offset; next = content.indexOf(10, at)) {
      line++
      at = next + 1
    }
    return line
  })
}

async function askSearch(source: ContentSource, bytes: Uint8Array, question: Question): Promise<Expected> {
  const { pattern, ignoreCase, context, range } = question
  const parsed = parseSearchPattern(pattern, { ignoreCase })
  const all = { skip: 0, limit: 1_000_000, fromEnd: false, deadlineMs: 20_000 }
  const result = await searchLines(source, parsed, all)
  const numbers = [
    ...new Set(
      lineNumbers(
        bytes,
        result.hits.map(({ start }) => start),
      ),
    ),
  ]
  expect(result, 'the counts agree with the hits').toMatchObject({
    lines: numbers.length,
    total: result.hits.length,
    searchedTo: bytes.length,
  })
  expect(result.stopped).toBeUndefined()
  // A search for some hits, from the start or the end, returns a part of all hits.
  const first = await searchLines(source, parsed, { ...all, skip: 2, limit: 3 })
  expect(first).toEqual({ ...result, hits: result.hits.slice(2, 5) })
  const last = await searchLines(source, parsed, { ...all, skip: 1, limit: 2, fromEnd: true })
  expect(last).toEqual({ ...first, hits: result.hits.slice(0, Math.max(0, result.hits.length - 1)).slice(-2) })
  expect(await searchLines(source, parsed, { ...all, limit: 0 })).toEqual({ ...first, hits: [] })
  const { views, shown } = await viewHits(source, result.hits, { contextLines: context, keep: 1_000, limit: 1e9 })
  expect(shown).toBe(result.hits.length)
  expect([...new Set(views.filter(({ match }) => match !== undefined).map(({ number }) => number))]).toEqual(numbers)
  const text = new TextDecoder().decode(bytes).split(/\r?\n/)
  for (const view of views) {
    const rest = new TextEncoder().encode(text[view.number - 1]).subarray(view.start - view.line.start)
    expect(view.text).toBe(new TextDecoder().decode(rest).slice(0, view.text.length))
  }
  const span = await findLineSpan(source, { start: range[0], end: range[1] })
  const lines = span === undefined ? '' : new TextDecoder().decode(await source.read(span.start, span.end - span.start))
  return { lines: numbers, shown: [...new Set(views.map(({ number }) => number))], range: lines.replaceAll('\r', '') }
}

const brief = (answer: unknown): string => JSON.stringify(answer).slice(0, 300)

describe.skipIf(!isGnu())('the search compared with GNU grep and sed (skipped without GNU grep or UTF-8)', () => {
  it(
    `finds the same lines, counts and line numbers for ${COUNT} generated questions`,
    { timeout: COUNT * 200 },
    async () => {
      const subjects = fc.sample(subject, { numRuns: COUNT / QUESTIONS_OF_A_TEXT, seed: SEED })
      const different: unknown[] = []
      let matching = 0
      for (let first = 0; first < subjects.length; first += 50) {
        const batch = subjects.slice(first, first + 50)
        const expected = askGrep(batch)
        for (const [index, { text, blockBytes, questions }] of batch.entries()) {
          const bytes = new TextEncoder().encode(text)
          const source = await memorySource(bytes, blockBytes)
          for (const [number, question] of questions.entries()) {
            const grep = expected[index]![number]!
            if (grep.lines.length > 0) matching++
            const ours = await askSearch(source, bytes, question).catch(String)
            if (isDeepStrictEqual(ours, grep)) continue
            different.push({
              ...question,
              text: text.slice(0, 300),
              blockBytes,
              ours: brief(ours),
              grep: brief(grep),
            })
          }
          await source.close()
        }
      }
      expect(different.slice(0, 5), `${different.length} of ${COUNT} differ`).toEqual([])
      // Guards against useless questions: many match something, and many do not match everything.
      expect(matching).toBeGreaterThan(COUNT / 4)
    },
  )
})
