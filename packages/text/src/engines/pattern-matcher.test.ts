import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PatternError } from '../platform/platform.ts'
import fc from 'fast-check'
import * as node from './node.ts'
import * as web from './web.ts'

const run = promisify(execFile)
const NODE_ENTRY = new URL('node.ts', import.meta.url).href
const CASE_SENSITIVE = { ignoreCase: false, unicode: false }

function matchLines(pattern: string, flags: string, text: string): number[] {
  // Only LF ends a line. A dot matches every other character, even CR.
  const regex = new RegExp(pattern, `${flags}s`)
  const lines = text.split('\n')
  const ended = lines.length - 1
  if (lines.at(-1) === '') lines.pop()
  return lines.flatMap((line, index) => {
    const match = regex.exec(index < ended ? line.replace(/\r$/, '') : line)
    return match === null ? [] : [index, match.index, match.index + match[0].length]
  })
}

async function failure(promise: Promise<unknown>): Promise<PatternError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof PatternError)) throw new Error(`expected a PatternError, got ${String(error)}`)
  return error
}

const { createPatternMatcher } = node

describe('the pattern matcher', () => {
  it('finds each match in a very long line, and the first match in other lines', async () => {
    const matcher = createPatternMatcher('b|$', CASE_SENSITIVE, { deadlineMs: 10_000 })
    const long = `${'a'.repeat(5_000)}bab`
    const found = [...(await matcher.match(`bab\n${long}\nbb\n`))]
    expect(found).toEqual([0, 0, 1, 1, 5_000, 5_001, 1, 5_002, 5_003, 2, 0, 1])
  })

  it('finds the first match of each line, the same as a loop over the lines', async () => {
    const line = fc.array(fc.constantFrom('a', 'b', 'A', ' ', '\r', 'é', '.', '1'), { maxLength: 8 })
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.map((l) => l.join('')).join('\n'))
    const pattern = fc.constantFrom(
      'a',
      '^a',
      'b$',
      'a.*b',
      '[ab]+',
      '\\d',
      'a|b1',
      '^$',
      'x*',
      '\\bA',
      '(a)(b)?',
      '\\.',
    )
    await fc.assert(
      fc.asyncProperty(text, pattern, fc.boolean(), async (content, source, ignoreCase) => {
        const matcher = createPatternMatcher(source, { ignoreCase, unicode: false }, { deadlineMs: 10_000 })
        expect([...(await matcher.match(content))]).toEqual(matchLines(source, ignoreCase ? 'i' : '', content))
      }),
    )
  })

  it('starts at an offset in the first line, and uses the text before the offset only as context', async () => {
    const matches = async (source: string, text: string, from: number): Promise<number[]> => [
      ...(await createPatternMatcher(source, CASE_SENSITIVE, { deadlineMs: 10_000 }).match(text, from)),
    ]
    expect(await matches('a', 'aba\na', 1)).toEqual([0, 2, 3, 1, 0, 1])
    expect(await matches('^a', 'aaa\na', 1)).toEqual([1, 0, 1])
    expect(await matches('\\ba', 'xa a', 1)).toEqual([0, 3, 4])
    expect(await matches('$', 'ab', 2)).toEqual([0, 2, 2])
    expect(await matches('a', 'ab\r\na', 3)).toEqual([1, 0, 1])
  })

  it('matches by code points if `unicode` is set', async () => {
    const match = async (source: string, text: string): Promise<number[]> => [
      ...(await createPatternMatcher(source, { ignoreCase: false, unicode: true }, { deadlineMs: 10_000 }).match(text)),
    ]
    expect(await match('^.$', '😀\r\n😀😀')).toEqual([0, 0, 2])
    expect(await match('\\p{Lu}+', 'abÉÀ\nÇa')).toEqual([0, 2, 4, 1, 0, 1])
    expect(await match('\\u{1F600}', 'a😀')).toEqual([0, 1, 3])
  })

  it('rejects with the reason of a signal that is aborted before or during matching', async () => {
    const matcher = createPatternMatcher('(b|bb)+$', CASE_SENSITIVE, { deadlineMs: 60_000 })
    const reason = new Error('enough')
    await expect(matcher.match('abb', 0, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const matching = matcher.match(`${'b'.repeat(1_000)}!\n`.repeat(1_000), 0, controller.signal)
    setTimeout(() => controller.abort(reason), 20)
    await expect(matching).rejects.toBe(reason)
    expect([...(await matcher.match('abb'))]).toEqual([0, 1, 3])
  })

  it('matches texts one after another and in parallel', async () => {
    const matcher = createPatternMatcher('e+', CASE_SENSITIVE, { deadlineMs: 10_000 })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => matcher.match(`${'x'.repeat(index)}ee`)))
    expect(answers.map((hits) => [...hits])).toEqual(answers.map((_, index) => [0, index, index + 2]))
  })
})

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

/** Takes exponential time in a backtracking engine. */
const HOSTILE = '(a|aa)+$'
const HOSTILE_TEXT = `${'a'.repeat(100_000)}!`

describe('the pattern matcher in Node.js', () => {
  it('stops a hostile pattern at its deadline while timers run, and matches the next pattern', async () => {
    let ticks = 0
    const interval = setInterval(() => ticks++, 5)
    const error = await failure(
      node.createPatternMatcher(HOSTILE, CASE_SENSITIVE, { deadlineMs: 300 }).match(HOSTILE_TEXT),
    )
    clearInterval(interval)
    expect(error.code).toBe('timeout')
    expect(ticks).toBeGreaterThan(2)
    expect([
      ...(await node.createPatternMatcher('a!', CASE_SENSITIVE, { deadlineMs: 10_000 }).match(HOSTILE_TEXT)),
    ]).toEqual([0, 99_999, 100_001])
  })

  it('applies one deadline to all calls of a matcher together', async () => {
    const matcher = node.createPatternMatcher(HOSTILE, CASE_SENSITIVE, { deadlineMs: 200 })
    expect((await failure(matcher.match(HOSTILE_TEXT))).code).toBe('timeout')
    expect((await failure(matcher.match('a'))).code).toBe('timeout')
  })

  it('answers a quick pattern while hostile patterns wait', async () => {
    const { signal, abort } = abortable()
    const hostile = Array.from({ length: 6 }, () =>
      node.createPatternMatcher(HOSTILE, CASE_SENSITIVE, { deadlineMs: 600_000 }).match(HOSTILE_TEXT, 0, signal),
    )
    const quick = node.createPatternMatcher('b.?', CASE_SENSITIVE, { deadlineMs: 10_000 }).match('ab')
    expect([...(await quick)]).toEqual([0, 1, 2])
    abort()
    for (const { status } of await Promise.allSettled(hostile)) expect(status).toBe('rejected')
  })

  it('answers normal patterns while more hostile patterns run than there are workers', async () => {
    const hostile = Array.from({ length: 9 }, () =>
      failure(node.createPatternMatcher(HOSTILE, CASE_SENSITIVE, { deadlineMs: 50 }).match(HOSTILE_TEXT)),
    )
    const honest = node.createPatternMatcher('b.?', CASE_SENSITIVE, { deadlineMs: 10_000 }).match('ab\nbc')
    expect([...(await honest)]).toEqual([0, 1, 2, 1, 0, 2])
    expect((await Promise.all(hostile)).map((error) => error.code)).toEqual(hostile.map(() => 'timeout'))
  })

  it('reports a pattern as too complex if the engine rejects it', async () => {
    const matcher = node.createPatternMatcher('(?:x?){99999999}', CASE_SENSITIVE, { deadlineMs: 5_000 })
    expect((await failure(matcher.match('xxxx'))).code).toBe('too-complex')
  })

  it('lets the process exit immediately while a worker is idle', async () => {
    const script = `
      const { createPatternMatcher } = await import(${JSON.stringify(NODE_ENTRY)})
      const hits = await createPatternMatcher('b+', { ignoreCase: false, unicode: false }, { deadlineMs: 5000 }).match('abb')
      console.log(JSON.stringify([...hits]))
      setTimeout(() => console.log('kept alive'), 5000).unref()`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toBe('[0,1,3]\n')
  })

  it('rejects patterns if workers are not permitted', async () => {
    const script = `
      const { createPatternMatcher } = await import(${JSON.stringify(NODE_ENTRY)})
      const matcher = createPatternMatcher('(?=a)', { ignoreCase: true, unicode: false }, { deadlineMs: 5000 })
      await matcher.match('aBb').catch(({ code, message }) => console.log(code, message))`
    const permission = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', script]
    const { stdout } = await run(process.execPath, permission)
    expect(stdout).toBe(
      'unsupported This runtime cannot start workers, so look-around and backreferences must be fast on every line.\n',
    )
  })
})

describe('the pattern matcher on the web', () => {
  it('rejects patterns, because there are no workers', async () => {
    const { code } = await failure(web.createPatternMatcher('(?=a)', CASE_SENSITIVE, { deadlineMs: 1_000 }).match('a'))
    expect(code).toBe('unsupported')
  })
})
