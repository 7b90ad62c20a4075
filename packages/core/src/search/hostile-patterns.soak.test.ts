import { isFull } from '@spillway-internal/test-run'
import { Script } from 'node:vm'
import { expect, it } from 'vitest'
import { hostilePatterns } from '@spillway-internal/test-inputs'
import { PatternError, LONG_LINE_LENGTH } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import { HOSTILE_INPUTS } from '../../test/hostile-inputs.ts'
import { memorySource } from '../../test/memory-source.ts'
import { searchLines } from './search-lines.ts'
import type { SearchResult } from './search-lines.ts'

const COUNT = isFull ? 500 : 24
const SEED = Number(process.env['SPILLWAY_SEED'] ?? 20_260_101)
const DEADLINE_MS = isFull ? 200 : 50
const SIZES = [2_000, 50_000, isFull ? 1_000_000 : 250_000]
/** Milliseconds of the reference, which blocks the event loop. */
const REFERENCE_MS = isFull ? 300 : 100
const LIMIT = 2_000

/** A search, its duration, and the longest delay of a 5 ms timer. */
interface Watched {
  readonly outcome: SearchResult | PatternError
  readonly milliseconds: number
  readonly longestGap: number
}

async function watch(work: () => Promise<SearchResult>): Promise<Watched> {
  const begin = performance.now()
  let last = begin
  let longestGap = 0
  const tick = (): void => {
    const now = performance.now()
    longestGap = Math.max(longestGap, now - last)
    last = now
  }
  const interval = setInterval(tick, 5)
  try {
    const outcome = await work().catch((error: unknown) => {
      if (error instanceof PatternError) return error
      throw error
    })
    tick()
    return { outcome, milliseconds: performance.now() - begin, longestGap }
  } finally {
    clearInterval(interval)
  }
}

const search = async (content: string | Uint8Array, pattern: SearchPattern): Promise<Watched> => {
  const source = await memorySource(content, 100_000)
  const options = { skip: 0, limit: LIMIT, fromEnd: false, deadlineMs: DEADLINE_MS }
  const watched = await watch(() => searchLines(source, pattern, options))
  await source.close()
  return watched
}

/** Matching lines in V8, and the range of bytes of the first match of each. */
interface Reference {
  readonly lines: number
  readonly hits: readonly { readonly start: number; readonly end: number }[]
}

/** Runs in a context of its own, so that a match can be interrupted. */
const REFERENCE = new Script(`(() => {
  const regex = new RegExp(expression, flags)
  const found = []
  for (let index = 0; index < lines.length; index++) {
    const match = regex.exec(lines[index])
    if (match !== null) found.push([index, match.index, match.index + match[0].length])
  }
  return found
})()`)

/** Search with V8 alone. Returns `undefined` after a timeout or an error of V8. */
function askReference(content: Uint8Array, { expression, flags }: SearchPattern): Reference | undefined {
  const lines: string[] = []
  const starts: number[] = []
  for (let at = 0; at < content.length;) {
    const lineFeed = content.indexOf(10, at)
    const end = lineFeed < 0 ? content.length : lineFeed
    const line = new TextDecoder('utf-8', { ignoreBOM: at > 0 }).decode(content.subarray(at, end))
    lines.push(lineFeed < 0 ? line : line.replace(/\r$/, ''))
    starts.push(at)
    at = end + 1
  }
  try {
    const options = { timeout: REFERENCE_MS, contextName: 'reference' }
    const found = REFERENCE.runInNewContext({ expression, flags, lines }, options) as [number, number, number][]
    const bytes = (text: string): number => new TextEncoder().encode(text).length
    const hits = found.slice(0, LIMIT).map(([index, start, end]) => {
      const mark = index === 0 && content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0
      const from = starts[index]! + mark + bytes(lines[index]!.slice(0, start))
      return { start: from, end: from + bytes(lines[index]!.slice(start, end)) }
    })
    return { lines: found.length, hits }
  } catch (error) {
    const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' || name === 'SyntaxError' || name === 'RangeError') return undefined
    throw error
  }
}

/** Whether bytes of a match follow from its characters, and each line has at most one hit. */
function isPlain(content: Uint8Array): boolean {
  const text = new TextDecoder().decode(content)
  return (
    !/\uFFFD|\p{Surrogate}|[\u{10000}-\u{10FFFF}]/u.test(text) &&
    text.split('\n').every((line) => line.length <= LONG_LINE_LENGTH / 4)
  )
}

it(
  `the search stops ${COUNT} hostile patterns at their deadline while timers fire, and finds what V8 finds`,
  { timeout: COUNT * 5_000 },
  async () => {
    const inputs = Object.entries(HOSTILE_INPUTS).flatMap(([name, make]) =>
      SIZES.map((size) => {
        const made = make(size)
        return { name: `${name}, ${size}`, content: typeof made === 'string' ? new TextEncoder().encode(made) : made }
      }),
    )
    // The longest delay of timers on this machine during harmless searches.
    const honest = parseSearchPattern('needle', { ignoreCase: false })
    let control = 0
    for (const { content } of inputs) control = Math.max(control, (await search(content, honest)).longestGap)
    const longestGap = 1_000 + 10 * control

    const outcomes = new Map<string, number>()
    const count = (outcome: string): Map<string, number> => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    const failures: unknown[] = []
    for (const [index, text] of hostilePatterns(COUNT, SEED).entries()) {
      // Each pattern is searched in a small, a middle and a large input.
      const pattern = parseSearchPattern(text, { ignoreCase: index % 5 === 0 })
      for (const [size] of SIZES.entries()) {
        const { name, content } = inputs[(index * SIZES.length + size) % inputs.length]!
        const fail = (what: string): number => failures.push({ text, name, ignoreCase: index % 5 === 0, what })
        const latest = 2 * (DEADLINE_MS + content.length / 5e4) + 20_000
        let watched = await search(content, pattern)
        // A busy machine may delay one search, but hardly the same search twice.
        if (watched.longestGap > longestGap || watched.milliseconds > latest) watched = await search(content, pattern)
        if (watched.longestGap > longestGap) fail(`timers waited for ${watched.longestGap} ms, not ${longestGap}`)
        if (watched.milliseconds > latest) fail(`took ${watched.milliseconds} ms, not ${latest}`)
        const { outcome } = watched
        count(outcome instanceof PatternError ? outcome.code : (outcome.stopped ?? 'answer'))
        if (outcome instanceof PatternError || outcome.stopped !== undefined) continue
        const reference = askReference(content, pattern)
        if (reference === undefined) continue
        count('compared')
        if (outcome.lines !== reference.lines) fail(`found ${outcome.lines} lines, V8 ${reference.lines}`)
        else if (isPlain(content)) {
          const hits = outcome.hits.map(({ start, end }) => ({ start, end }))
          const at = hits.findIndex(({ start, end }, hit) => {
            const expected = reference.hits[hit]
            return start !== expected?.start || end !== expected.end
          })
          if (at >= 0) fail(`hit ${at} is ${JSON.stringify(hits[at])}, for V8 ${JSON.stringify(reference.hits[at])}`)
        }
      }
    }
    expect(failures.slice(0, 20), `${failures.length} failures`).toEqual([])
    expect(outcomes.get('deadline') ?? 0).toBeGreaterThan(COUNT / 10)
    expect(outcomes.get('compared') ?? 0).toBeGreaterThan(COUNT / 2)
  },
)
