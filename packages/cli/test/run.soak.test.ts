import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFull } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { BIN, referenceIn, start, temporaryFolder } from './spillway.ts'

/** More than the 10 MiB that are retained in memory, and several times the 4 MiB that are read at a time. */
const BYTES = isFull ? 1_000_000_000 : 13_000_000
const MAX_MEMORY_ABOVE_IDLE = 150_000_000
const WRITE_LOG = fileURLToPath(new URL('write-log.ts', import.meta.url))
const RECORD_PEAK = new URL('record-peak-memory.ts', import.meta.url).href

it(`run keeps little of ${BYTES / 1e6} MB of output in memory, and get returns the output byte for byte`, async () => {
  const cwd = temporaryFolder()
  const command = [process.execPath, WRITE_LOG, String(BYTES), '7']
  const idle = await peakOfRun(cwd, 'true')
  const loaded = await peakOfRun(cwd, ...command)
  expect(loaded.code).toBe(7)
  console.log(
    `peak memory: ${Math.round((loaded.peak - idle.peak) / 1e6)} MB above an idle run's ${Math.round(idle.peak / 1e6)} MB`,
  )
  expect(loaded.peak - idle.peak).toBeLessThan(MAX_MEMORY_ABOVE_IDLE)

  const reference = referenceIn(loaded.stdout)
  const [stored, written] = await Promise.all([
    digestOf(cwd, process.execPath, BIN, 'get', reference),
    digestOf(cwd, ...command),
  ])
  expect(stored).toEqual(written)
  expect(stored.bytes).toBeGreaterThanOrEqual(BYTES)
})

async function peakOfRun(
  cwd: string,
  ...command: string[]
): Promise<{ peak: number; code: number | null; stdout: string }> {
  const file = join(cwd, 'peak')
  // This measures `spillway` only: the command does not import the recorder.
  const args = ['--import', RECORD_PEAK, BIN, 'run', '--', ...command]
  const { code, stdout } = await start(process.execPath, args, { cwd, env: { PEAK_MEMORY_FILE: file } }).end
  return { peak: Number(readFileSync(file, 'utf8')), code, stdout }
}

async function digestOf(cwd: string, program = '', ...args: string[]): Promise<{ digest: string; bytes: number }> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { digest: hash.digest('hex'), bytes }
}
