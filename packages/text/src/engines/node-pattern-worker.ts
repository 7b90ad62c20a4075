import { LONG_LINE_LENGTH } from '../platform/platform.ts'
import type { Re2Expression } from './re2-expression.ts'

/** Lines with a match that the memory shared with a worker has room for, at most: progress is known as far as that. */
const MAX_SHARED_HITS = 32_768
/** UTF-16 units of a text for each line with a match that there is room for. */
const UNITS_OF_A_HIT = 8

/** Make the memory in which a worker tells how far it has come in a text, also where it is terminated. */
export function createSharedProgress(textLength: number): Int32Array<SharedArrayBuffer> {
  const hits = Math.min(MAX_SHARED_HITS, Math.ceil(textLength / UNITS_OF_A_HIT))
  return new Int32Array(new SharedArrayBuffer((1 + 3 * hits) * Int32Array.BYTES_PER_ELEMENT))
}

/** What a worker has told: how many lines it has matched, and what it found in them. */
export interface SharedProgress {
  readonly lines: number
  readonly hits: Uint32Array
}

/** Read how far a worker came; it may still be at work. */
export function readSharedProgress(shared: Int32Array): SharedProgress {
  const lines = Atomics.load(shared, 0)
  let end = 1
  // The index of a line is kept plus one, so that 0 is where nothing is yet.
  while (end < shared.length && shared[end] !== 0 && shared[end]! <= lines) end += 3
  const hits = Uint32Array.from(shared.subarray(1, end), (value, at) => (at % 3 === 0 ? value - 1 : value))
  return { lines, hits }
}

/** How RE2 is used for a pattern, where the user has installed it. */
export interface WorkerRe2 {
  /** The module to import. */
  readonly url: string
  readonly expression: Re2Expression
}

/** What the worker is asked. */
export interface WorkerQuestion {
  readonly pattern: string
  readonly flags: string
  readonly text: string
  readonly from: number
  readonly shared: Int32Array
  readonly re2: WorkerRe2 | undefined
}

/** What the worker answers: what it found, or why the engine refuses the pattern. */
export interface WorkerAnswer {
  readonly hits?: Uint32Array
  readonly milliseconds?: number
  readonly error?: string
  /** Why RE2 could not be used; the answer is V8's then. */
  readonly re2Failure?: string
}

/**
 * RE2 cannot be interrupted: a line that would take it more steps, of some 25 ns each, is left to V8, which can.
 */
const MAX_STEPS_OF_RE2 = 40_000_000

/**
 * The program of the worker that patterns run in.
 *
 * It is text, so that no bundler, loader or test runner has to find a file. It answers each {@link WorkerQuestion} with a
 * {@link WorkerAnswer}. Line by line it tells in `shared` how far it is: first the number of lines, then its hits, until
 * there is no more room. It says `ready` first. `import()` works whether the text is taken for a script or for a module.
 */
export const PATTERN_WORKER_SOURCE: string = `
import('node:worker_threads').then(({ parentPort }) => {
  let key, regex, linear
  async function compile(pattern, flags, re2) {
    linear = undefined
    key = undefined
    regex = new RegExp(pattern, flags + 'g')
    key = flags + pattern
    if (re2 === undefined) return
    try {
      const { default: RE2 } = await import(re2.url)
      linear = new RE2(re2.expression.source, 'g')
    } catch (error) {
      return String(error)
    }
  }
  function nextMatch(engine, line, { index, 0: { length } }) {
    if (line.length <= ${LONG_LINE_LENGTH}) return null
    for (let from = Math.max(index + length, index + 1); from <= line.length; from++) {
      engine.lastIndex = from
      const match = engine.exec(line)
      if (match === null || match[0] !== '') return match
      from = match.index
    }
    return null
  }
  parentPort.on('message', async ({ pattern, flags, text, from, shared, re2 }) => {
    const begin = performance.now()
    const hits = []
    let re2Failure
    try {
      if (key !== flags + pattern) re2Failure = await compile(pattern, flags, re2)
      const foreign = re2?.expression.asciiOnly ? /[^\\x00-\\x7f]/ : /[\\ud800-\\udfff]/
      const isPlain = !foreign.test(text)
      const engineOf = (line) =>
        re2 === undefined ||
        linear === undefined ||
        line.length * re2.expression.size > ${MAX_STEPS_OF_RE2} ||
        !isPlain && foreign.test(line) ? regex : linear
      for (let start = 0, index = 0; start < text.length; index++) {
        let end = text.indexOf('\\n', start)
        const next = end < 0 ? text.length : end + 1
        if (end < 0) end = text.length
        else if (end > start && text.charCodeAt(end - 1) === 13) end--
        const line = text.slice(start, end)
        const engine = engineOf(line)
        engine.lastIndex = index === 0 ? from : 0
        for (let match = engine.exec(line); match !== null; match = nextMatch(engine, line, match)) {
          const at = 1 + hits.length
          hits.push(index, match.index, match.index + match[0].length)
          if (at < shared.length) {
            shared[at + 1] = match.index
            shared[at + 2] = match.index + match[0].length
            shared[at] = index + 1
          }
        }
        if (hits.length < shared.length) Atomics.store(shared, 0, index + 1)
        start = next
      }
    } catch (error) {
      parentPort.postMessage({ error: String(error), re2Failure })
      return
    }
    const answer = Uint32Array.from(hits)
    parentPort.postMessage({ hits: answer, milliseconds: performance.now() - begin, re2Failure }, [answer.buffer])
  })
  parentPort.postMessage('ready')
})
`
