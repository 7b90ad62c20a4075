import { LONG_LINE_LENGTH } from '../platform/platform.ts'

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

/** What the worker is asked. */
export interface WorkerQuestion {
  readonly pattern: string
  readonly flags: string
  readonly text: string
  readonly from: number
  readonly shared: Int32Array
}

/** What the worker answers: what it found, or why the engine refuses the pattern. */
export interface WorkerAnswer {
  readonly hits?: Uint32Array
  readonly milliseconds?: number
  readonly error?: string
}

/**
 * The program of the worker that patterns run in.
 *
 * It is text, so that no bundler, loader or test runner has to find a file. It answers each {@link WorkerQuestion} with a
 * {@link WorkerAnswer}. Line by line it tells in `shared` how far it is: first the number of lines, then its hits, until
 * there is no more room. It says `ready` first. `import()` works whether the text is taken for a script or for a module.
 */
export const PATTERN_WORKER_SOURCE: string = `
import('node:worker_threads').then(({ parentPort }) => {
  let key, regex
  function nextMatch(line, { index, 0: { length } }) {
    if (line.length <= ${LONG_LINE_LENGTH}) return null
    for (let from = Math.max(index + length, index + 1); from <= line.length; from++) {
      regex.lastIndex = from
      const match = regex.exec(line)
      if (match === null || match[0] !== '') return match
      from = match.index
    }
    return null
  }
  parentPort.on('message', ({ pattern, flags, text, from, shared }) => {
    const begin = performance.now()
    const hits = []
    try {
      if (key !== flags + pattern) {
        regex = new RegExp(pattern, flags + 'g')
        key = flags + pattern
      }
      for (let start = 0, index = 0; start < text.length; index++) {
        let end = text.indexOf('\\n', start)
        const next = end < 0 ? text.length : end + 1
        if (end < 0) end = text.length
        else if (end > start && text.charCodeAt(end - 1) === 13) end--
        const line = text.slice(start, end)
        regex.lastIndex = index === 0 ? from : 0
        for (let match = regex.exec(line); match !== null; match = nextMatch(line, match)) {
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
      parentPort.postMessage({ error: String(error) })
      return
    }
    const answer = Uint32Array.from(hits)
    parentPort.postMessage({ hits: answer, milliseconds: performance.now() - begin }, [answer.buffer])
  })
  parentPort.postMessage('ready')
})
`
