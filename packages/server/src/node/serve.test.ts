import { describe, expect, it, onTestFinished } from 'vitest'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileSpool } from './serve.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'spool-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('FileSpool', () => {
  it('gives back what was written, in files without a name', async () => {
    const directory = await folder()
    const spool = new FileSpool({ maxSpoolBytes: 1_000_000, directory })
    const bodies = await Promise.all([spool.open(), spool.open()])
    for (const [index, body] of bodies.entries())
      for (let count = 0; count < 50; count += 1) await body.write(new Uint8Array(1_000).fill(index + count))
    // However the process ends now, nothing is left.
    expect(await readdir(directory)).toEqual([])
    expect(spool.bytes).toBe(100_000)
    const read = await bodies[1]!.read()
    expect([read.length, read[0], read[999], read[1_000], read.at(-1)]).toEqual([50_000, 1, 1, 2, 50])
    for (const body of bodies) await body.remove()
    await bodies[0]!.remove()
    expect(spool.bytes).toBe(0)
    await spool.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('goes on when its folder has been cleaned up, or was not there for a while', async () => {
    const directory = join(await folder(), 'below')
    const spool = new FileSpool({ maxSpoolBytes: 1_000, directory })
    await expect(spool.open()).rejects.toMatchObject({ code: 'ENOENT' })
    await mkdir(directory)
    const body = await spool.open()
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true })
    await body.write(Uint8Array.of(1, 2, 3))
    const next = await spool.open()
    await next.write(Uint8Array.of(4))
    expect([...(await body.read()), ...(await next.read())]).toEqual([1, 2, 3, 4])
    await body.remove()
    await next.remove()
    await spool.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('holds no more than it may', async () => {
    const spool = new FileSpool({ maxSpoolBytes: 1_500, directory: await folder() })
    const [one, two] = [await spool.open(), await spool.open()]
    await one.write(new Uint8Array(1_000))
    await expect(two.write(new Uint8Array(1_000))).rejects.toMatchObject({ code: 'overloaded', status: 503 })
    await one.remove()
    await two.write(new Uint8Array(1_000))
    await two.remove()
    await spool.close()
  })
})
