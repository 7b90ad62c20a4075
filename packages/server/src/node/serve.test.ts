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
  it('returns the written bytes, from files without a name', async () => {
    const directory = await folder()
    const spool = new FileSpool({ maxSpoolBytes: 1_000_000, directory })
    const bodies = await Promise.all([spool.open('a'), spool.open('a')])
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
    await expect(spool.open('a')).rejects.toMatchObject({ code: 'ENOENT' })
    await mkdir(directory)
    const body = await spool.open('a')
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true })
    await body.write(Uint8Array.of(1, 2, 3))
    const next = await spool.open('a')
    await next.write(Uint8Array.of(4))
    expect([...(await body.read()), ...(await next.read())]).toEqual([1, 2, 3, 4])
    await body.remove()
    await next.remove()
    await spool.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('holds a limited number of bytes, and a quarter of them of one caller', async () => {
    const spool = new FileSpool({ maxSpoolBytes: 2_000, directory: await folder() })
    const bodies = await Promise.all(['a', 'a', 'b', 'c', 'd', 'e'].map((caller) => spool.open(caller)))
    const [one, two, ...others] = bodies
    await one!.write(new Uint8Array(500))
    const full = { code: 'overloaded', status: 503 }
    await expect(two!.write(new Uint8Array(1))).rejects.toMatchObject(full)
    const last = others.pop()
    for (const body of others) await body.write(new Uint8Array(500))
    await expect(last!.write(new Uint8Array(1))).rejects.toMatchObject(full)
    await one!.remove()
    await two!.write(new Uint8Array(500))
    for (const body of bodies) await body.remove()
    expect(spool.bytes).toBe(0)
    await spool.close()
  })
})
