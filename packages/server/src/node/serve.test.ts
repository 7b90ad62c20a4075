import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileSpool, serve } from './serve.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'spool-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('FileSpool', () => {
  it('returns the written bytes from a file that was unlinked', async () => {
    const directory = await folder()
    const spool = new FileSpool({ maxSpoolBytes: 1_000_000, directory })
    const bodies = await Promise.all([spool.open('a'), spool.open('a')])
    for (const [index, body] of bodies.entries())
      for (let count = 0; count < 50; count += 1) await body.write(new Uint8Array(1_000).fill(index + count))
    // Nothing would be left behind, even if the process were killed now.
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

  it('works again after its folder was removed or missing', async () => {
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

  it('limits the bytes that it holds, and gives one caller at most a quarter of them', async () => {
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

describe('serve', () => {
  it('sends requests for a path and everything below it to a mounted app', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const mount = { path: '/page', fetch: async () => new Response('mounted') }
    const service = await serve(offloader, { port: 0, mount })
    onTestFinished(() => service.close({ graceMs: 1 }))
    const ask = async (path: string): Promise<string> => await (await fetch(service.url + path)).text()
    expect(await Promise.all(['/page', '/page?a', '/page/a/b'].map(ask))).toEqual(['mounted', 'mounted', 'mounted'])
    expect(await ask('/health')).toContain('healthy')
    expect(await ask('/pages')).toContain('no-such-endpoint')
  })

  it.each([
    [{ token: [] }, 'Unknown option "token"'],
    [{ silenceTimeoutMs: '5' }, 'silenceTimeoutMs must be a positive number'],
    [{ maxConnections: 0 }, 'maxConnections must be a positive number'],
  ])('refuses the options %j', async (options, message) => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    await expect(serve(offloader, options as never)).rejects.toThrow(message)
  })

  it('serves the storage itself if the scope is empty', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('key', new TextEncoder().encode('text'))
    const service = await serve(new ContextOffloader({ storage }), { port: 0, scope: [] })
    onTestFinished(() => service.close({ graceMs: 1 }))
    expect(await (await fetch(`${service.url}/v1/entries/${reference}/content`)).text()).toBe('text')
  })
})
