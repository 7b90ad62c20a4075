import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isFull } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { BIN, start, temporaryFolder, type Ended } from './spillway.ts'

const BYTES = isFull ? 200_000_000 : 12_000_000
/** Limit of the heap, including the memory that the program needs without a transcript. */
const MAX_HEAP_MB = Math.ceil((BYTES * 2.5) / 1_048_576) + 60

it(`a transcript of ${BYTES / 1e6} MB is compacted in ${MAX_HEAP_MB} MB, and expanded byte for byte`, async () => {
  const cwd = temporaryFolder()
  const whole = join(cwd, 'whole.jsonl')
  await pipeline(transcript(BYTES), createWriteStream(whole))
  const spillway = (...args: string[]): Promise<Ended> =>
    start(process.execPath, [`--max-old-space-size=${MAX_HEAP_MB}`, BIN, 'history', ...args], { cwd }).end

  const compacted = await spillway('compact', 'whole.jsonl', '--mode', 'compact', '--output', 'smaller.jsonl')
  // Even with all results replaced by references, the many calls exceed the limit.
  expect(compacted).toMatchObject({ code: 1, stderr: '' })
  const expanded = await spillway('expand', 'smaller.jsonl', '--output', 'back.jsonl')
  expect(expanded).toMatchObject({ code: 0, stderr: '' })
  expect(await digestOf(join(cwd, 'back.jsonl'))).toEqual(await digestOf(whole))
})

/** Yield lines of a transcript with many calls, until it has this many bytes. Each result is one line, which is quickly previewed. */
function* transcript(bytes: number): Generator<string> {
  const start = `${JSON.stringify({ role: 'user', content: 'Read all of the logs.' })}\n`
  yield start
  for (let written = start.length, call = 0; written < bytes; call++) {
    const lines = Array.from(
      { length: 2_000 },
      (_, line) => `${call} line ${line} took ${(line * 7_919 + call) % 1_000} ms`,
    )
    const id = `call_${call}`
    const pair = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: lines.join(' ') },
    ]
    const text = pair.map((message) => `${JSON.stringify(message)}\n`).join('')
    written += text.length
    yield text
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
