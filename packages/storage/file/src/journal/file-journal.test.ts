import type { JournalEvent } from '@spillway/core'
import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/temporary-directory.ts'
import { FileJournal } from './file-journal.ts'

const event = (time: number): JournalEvent => ({ type: 'retrieval', time, scope: 'a', mode: 'lines', tokens: 10 })

async function times(journal: FileJournal, since?: number): Promise<number[]> {
  const found: number[] = []
  for await (const { time } of journal.read(since)) found.push(time)
  return found
}

const folder = async (): Promise<string> => join(await temporaryDirectory(), 'new', '.journal')

describe('FileJournal', () => {
  it.each([undefined, null, 5, '', {}, 'file:./a', '~/a'])('refuses %o instead of a directory', (directory) => {
    expect(() => new FileJournal(directory as never)).toThrow('directory must be a path')
  })

  it.each([0, '100', 5n, null])('refuses %o as its size', (maxBytes) => {
    expect(() => new FileJournal('a', { maxBytes } as never)).toThrow('maxBytes must be a positive number')
  })

  it('yields appended events in order, even in later instances, and only since a given time', async () => {
    const directory = await folder()
    const journal = new FileJournal(directory)
    expect(await times(journal)).toEqual([])
    await Promise.all([1, 2, 3].map((time) => journal.append(event(time))))
    void journal.append(event(4))
    expect(await times(journal)).toEqual([1, 2, 3, 4])
    await journal.close()
    await journal.append(event(5))
    await journal.close()
    expect(await times(new FileJournal(directory), 3)).toEqual([3, 4, 5])
    expect((await stat(join(directory, 'events-1.jsonl'))).mode & 0o777).toBe(0o600)
  })

  it('skips an incomplete record, and reads all other records', async () => {
    const directory = await folder()
    const journal = new FileJournal(directory)
    await journal.append(event(1))
    const path = join(directory, 'events-1.jsonl')
    const whole = JSON.stringify(event(2))
    for (let length = 1; length < whole.length; length += 7) await appendFile(path, `\n${whole.slice(0, length)}`)
    await journal.append(event(3))
    await appendFile(path, '\n{"type":"of a later version","time":1}\n[]\nnull\n')
    await appendFile(path, `\n${whole.slice(0, -1)}`)
    expect(await times(journal)).toEqual([1, 3])
    await new FileJournal(directory).append(event(4))
    expect(await times(journal)).toEqual([1, 3, 4])
    await journal.close()
  })

  it('starts a new file at a size limit, and keeps the latest two files', async () => {
    const directory = await folder()
    const journal = new FileJournal(directory, { maxBytes: 500 })
    for (let time = 0; time < 40; time += 1) await journal.append(event(time))
    expect((await readdir(directory)).length).toBe(2)
    const kept = await times(journal)
    expect(kept.at(-1)).toBe(39)
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 40 - kept.length + index))
    for (const name of await readdir(directory)) expect((await stat(join(directory, name))).size).toBeLessThan(700)
    await journal.close()
  })

  it.each([
    ['one file', 1e9],
    ['files that are rotated meanwhile', 40_000],
  ])('writes events of several processes into %s without mixing records', async (_, maxBytes) => {
    const directory = await folder()
    const script = fileURLToPath(new URL('../../test/scripts/append-events.ts', import.meta.url))
    const run = promisify(execFile)
    const tools = ['one', 'two', 'three']
    await Promise.all(tools.map((tool) => run(process.execPath, [script, directory, tool, '400', String(maxBytes)])))
    for (const name of await readdir(directory))
      for (const line of (await readFile(join(directory, name), 'utf8')).split('\n'))
        if (line !== '') expect(JSON.parse(line)).toMatchObject({ references: ['r'.repeat(60)] })
    const events = await Array.fromAsync(new FileJournal(directory).read())
    const written = events.map((one) => (one.type === 'offload' ? one.tool : one.type))
    if (maxBytes === 1e9)
      expect(tools.map((tool) => written.filter((one) => one === tool).length)).toEqual([400, 400, 400])
    // The last two of five files are kept, for 1,200 records of 150 bytes.
    else expect(written.length).toBeGreaterThan(250)
  })

  it('rejects if it cannot write, and if its options are invalid', async () => {
    const directory = await temporaryDirectory()
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'file'), '')
    const journal = new FileJournal(join(directory, 'file'))
    const appended = journal.append(event(1))
    await Promise.all([expect(appended).rejects.toMatchObject({ code: 'EEXIST' }), journal.close()])
    expect(() => new FileJournal('x', { maxByte: 0 } as object)).toThrow('maxByte')
  })
})
