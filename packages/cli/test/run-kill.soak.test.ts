import { isFull } from '@spillway-internal/test-run'
import type { StoredInfo } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BIN, start, temporaryFolder } from './spillway.ts'
import { waitFor } from './wait-for.ts'

const KILLS = isFull ? 200 : 4
const LONGEST_RUN_MS = 4_000
const AFTER_LEASE_MS = 31_000

/** A program that always writes the same lines, and writes its process id into a file. */
const WRITER = `
  require('node:fs').writeFileSync('pid', String(process.pid))
  let line = 0
  const write = () => {
    let text = ''
    for (let count = 0; count < 2_000; count++) text += 'line ' + (line += 1) + ' of a long output\\n'
    process.stdout.write(text, () => setTimeout(write, 40))
  }
  write()`

it(`all committed output of ${KILLS} runs killed at random moments is kept`, { timeout: 3_600_000 }, async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'writer.cjs'), WRITER)
  const directory = join(cwd, '.spillway')
  let kept = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    writeFileSync(join(cwd, 'pid'), '')
    const { child, end } = start(process.execPath, [BIN, 'run', '--', process.execPath, 'writer.cjs'], { cwd })
    const pid = await waitFor(() => Number(readFileSync(join(cwd, 'pid'), 'utf8')) || undefined)
    const killsCommand = kill % 4 === 3
    await setTimeout(Math.random() * LONGEST_RUN_MS)
    const committed = (await entryIn(new FileStorage({ directory })))?.size ?? 0
    if (killsCommand) process.kill(pid, 'SIGKILL')
    else child.kill('SIGKILL')
    const { signal, code } = await end
    expect({ signal, code }).toEqual(killsCommand ? { signal: null, code: 137 } : { signal: 'SIGKILL', code: null })
    const later = new FileStorage({ directory, now: () => Date.now() + AFTER_LEASE_MS })
    const entry = await entryIn(later)
    if (entry === undefined) expect(committed).toBe(0)
    else {
      kept += 1
      expect(entry.size).toBeGreaterThanOrEqual(committed)
      expect(entry.state).toBe(killsCommand ? 'aborted' : 'lost')
      const { content } = await later.retrieve(entry.reference)
      expectWhole(Buffer.from(content).toString())
    }
    rmSync(directory, { recursive: true, force: true })
  }
  console.log(`${kept} of ${KILLS} killed runs had an entry; no line of it was missing`)
  expect(kept).toBeGreaterThan(0)
})

async function entryIn(storage: FileStorage): Promise<StoredInfo | undefined> {
  for await (const info of storage.list()) return info
  return undefined
}

/** Require that the text has all lines from the first one on, without a gap. */
function expectWhole(text: string): void {
  const lines = text.split('\n').slice(0, -1)
  expect(lines.findIndex((line, index) => line !== `line ${index + 1} of a long output`)).toBe(-1)
}
