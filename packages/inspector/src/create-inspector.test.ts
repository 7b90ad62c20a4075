import { InMemoryStorage } from '@spillway/memory'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { bytesOf, ListJournal, numbered, offload, serveInspector } from '../test/served.ts'
import type { EntryPage } from './entry-snapshot.ts'
import { createInspector } from './create-inspector.ts'

interface Failure {
  readonly error?: { readonly code: string; readonly message: string }
}

/** Send a request whose `Host` header differs from the host of its URL. Returns the status. */
function withHost(url: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request(url, { headers: { host } }, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
  sent.on('error', reject).end()
  return promise
}

/** Source code with a function that the purpose of a call names. */
const source = Array.from(
  { length: 800 },
  (_, index) =>
    `function compute_${index}(value) {\n  const part = value * ${index}\n  return part + setting_${index}\n}\n`,
).join('\n')

describe('access to the inspector', () => {
  it('needs the token, which becomes a cookie that scripts and other sites cannot use', async () => {
    const { url, page, send } = await serveInspector({ storage: new InMemoryStorage(), path: '/inspector' })
    for (const path of ['', 'main.js', 'api/entries', '?token=', `?token=${'0'.repeat(48)}`])
      expect((await fetch(page + path)).status, path).toBe(401)
    const opened = await fetch(url, { redirect: 'manual' })
    expect(opened.status).toBe(303)
    expect(opened.headers.get('location')).toBe('/inspector/')
    expect(opened.headers.get('set-cookie')).toMatch(/; Path=\/inspector\/; HttpOnly; SameSite=Strict$/)
    expect((await send('api/info')).status).toBe(200)
  })

  it('is refused for other hosts, origins, sites, and proxies', async () => {
    const { url, page, send } = await serveInspector({ storage: new InMemoryStorage() })
    expect(await withHost(url, 'elsewhere.example')).toBe(403)
    const { port } = new URL(page)
    const refused = [
      { origin: 'http://elsewhere.example' },
      { origin: 'null' },
      { origin: `http://localhost:${Number(port) + 1}` },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'x-forwarded-for': '10.0.0.1' },
    ]
    for (const headers of refused)
      expect((await send('api/entries', { headers })).status, JSON.stringify(headers)).toBe(403)
    expect((await send('api/entries', { headers: { origin: new URL(page).origin } })).status).toBe(200)
  })

  it('always has a content security policy that allows only files of the page, even in failed responses', async () => {
    const { send, page } = await serveInspector({ storage: new InMemoryStorage() })
    for (const response of [await send('api/info'), await send('api/none'), await fetch(page)]) {
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe|data:|\*/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('requires the header of the page for requests that change something', async () => {
    const storage = new InMemoryStorage()
    const { send } = await serveInspector({ storage, allowDelete: true })
    await storage.store('a', bytesOf('a'))
    const headers = { 'x-spillway-inspector': '' }
    expect((await send('api/entries', { method: 'DELETE', headers })).status).toBe(403)
    expect(await Array.fromAsync(storage.list())).toHaveLength(1)
  })

  it('cannot read files outside the page', async () => {
    const { send } = await serveInspector({ storage: new InMemoryStorage() })
    for (const path of ['../index.js', '..%2findex.js', '%2e%2e/package.json', 'page/', '.tsbuildinfo'])
      expect((await send(path)).status, path).toBe(404)
  })

  it('refuses unknown options, and a scope that is a text', () => {
    const storage = new InMemoryStorage()
    expect(() => createInspector({ storage, scopes: [] } as never)).toThrow('Unknown option "scopes"')
    expect(() => createInspector({ storage, scope: 'tenant' } as never)).toThrow('A scope must be an array of segments')
  })

  it('needs a storage that lists its entries', () => {
    const storage = {
      store: async () => 'a',
      retrieve: async () => ({ content: new Uint8Array(), contentType: 'a/b' }),
    }
    expect(() => createInspector({ storage })).toThrow('storage must have list()')
  })
})

describe('entries in the inspector', () => {
  it('are listed in pages of one list, which does not change while entries are added', async () => {
    const storage = new InMemoryStorage()
    for (let index = 0; index < 25; index++) await storage.store(`key ${index}`, bytesOf('x'.repeat(index)))
    const { ask } = await serveInspector({ storage })
    const first = await ask<EntryPage>('api/entries?sort=size&order=ascending&limit=10')
    expect(first).toMatchObject({ total: 25, bytes: 300, types: ['text/plain'] })
    await storage.store('later', bytesOf(''))
    const rest = await ask<EntryPage>(`api/entries?cursor=${first.view}&offset=10&limit=100`)
    expect([...first.entries, ...rest.entries].map(({ size }) => size)).toEqual(Array.from({ length: 25 }, (_, i) => i))
    expect(await ask<Failure>('api/entries?cursor=unknown')).toMatchObject({ error: { code: 'evicted' } })
  })

  it('are filtered by tool, type, text, time, and scope', async () => {
    const storage = new InMemoryStorage()
    await storage.store('first', bytesOf('a'), 'text/html', { metadata: { tool: 'fetch', lines: '1' } })
    await storage.scope('a', 'b c').store('second', bytesOf('b'))
    await storage.scope('ab').store('third', bytesOf('c'))
    const { ask } = await serveInspector({ storage })
    const keys = async (query: string): Promise<string[]> =>
      (await ask<EntryPage>(`api/entries?sort=reference&order=ascending&${query}`)).entries.map(({ key }) => key)
    expect(await keys('')).toEqual(['first', 'second', 'third'])
    expect(await keys('tool=fetch')).toEqual(['first'])
    expect(await keys('type=text/html')).toEqual(['first'])
    expect(await keys('text=SECO')).toEqual(['second'])
    expect(await keys('scope=a')).toEqual(['second'])
    expect(await keys(`since=${Date.now() + 60_000}`)).toEqual([])
  })

  it('of scopes outside the given scope are not shown', async () => {
    const storage = new InMemoryStorage()
    const inside = await storage.scope('tenant', 'session').store('inside', bytesOf('inside'))
    const outside = await storage.scope('tenant-2').store('outside', bytesOf('outside'))
    const { ask, send } = await serveInspector({ storage, scope: ['tenant'], allowDelete: true })
    expect((await ask<EntryPage>('api/entries')).entries).toMatchObject([{ reference: inside, scope: 'session' }])
    expect(await (await send(`api/content?scope=session&reference=${inside}`)).text()).toBe('inside')
    for (const scope of ['', 'session', 'tenant-2', '../tenant-2', '..%2Ftenant-2', '/tenant-2', 'session/..'])
      for (const path of ['content', 'entry', 'lines', 'history'])
        expect(await (await send(`api/${path}?scope=${scope}&reference=${outside}`)).text()).not.toContain('outside"')
    await send('api/entries', { method: 'DELETE' })
    expect((await Array.fromAsync(storage.list())).map(({ reference }) => reference)).toEqual([outside])
  })

  it('show and find the segments of their scope, or the path of the scope if a segment is too long', async () => {
    const storage = new InMemoryStorage()
    await storage.scope('Tenant 1', 'a/b').store('short', bytesOf('short'))
    await storage.scope('x'.repeat(49)).store('long', bytesOf('long'))
    const { ask } = await serveInspector({ storage })
    const { entries, scopes } = await ask<EntryPage>('api/entries')
    const longPath = entries.find(({ key }) => key === 'long')?.scope
    expect(longPath).toMatch(/^x+__[0-9a-f]+$/)
    expect(scopes).toEqual({ '_54enant_201/a_2fb': 'Tenant 1 / a/b', [longPath!]: longPath })
    const found = (await ask<EntryPage>('api/entries?text=tenant%201')).entries
    expect(found).toMatchObject([{ key: 'short', scopeTitle: 'Tenant 1 / a/b' }])
  })

  it('show the tokens and evictions that the journal recorded', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: 1 })
    const journal = new ListJournal()
    const { offloader, reference } = await offload(storage.scope('a'), numbered(3_000), { journal })
    const { ask } = await serveInspector({ storage, journal })
    const [row] = (await ask<EntryPage>('api/entries')).entries
    expect(row).toMatchObject({
      reference,
      scope: 'a',
      tool: 'read_log',
      tokens: expect.any(Number),
      state: 'complete',
    })
    await offloader.endTurn()
    await offloader.endTurn()
    const evicted = (await (await serveInspector({ storage, journal })).ask<EntryPage>('api/entries')).entries
    expect(evicted).toMatchObject([{ reference, scope: 'a', state: 'evicted', reason: 'turns', tool: 'read_log' }])
  })
})

describe('an entry in the inspector', () => {
  it('has the preview that the offloader made, and previews for other settings', async () => {
    const storage = new InMemoryStorage()
    const { reference, replacement } = await offload(storage, source)
    const { ask } = await serveInspector({ storage })
    const preview = (body: object): Promise<{ text: string; isOffloaded: boolean; tokens: { shown: number } }> =>
      ask('api/preview', { reference, ...body })
    const usual = await preview({})
    expect(usual.text).toBe(replacement)
    const small = await preview({ maxResultTokens: 2_500, previewTokens: 100 })
    expect(small.tokens.shown).toBeLessThan(usual.tokens.shown)
    const purposeful = await preview({ previewTokens: 100, purpose: 'Where is setting_500 used?' })
    expect([purposeful, small].map(({ text }) => text.includes('setting_500'))).toEqual([true, false])
    expect(await preview({ maxResultTokens: 30_000, previewTokens: 100 })).toMatchObject({
      isOffloaded: false,
      text: '',
    })
    expect(await Array.fromAsync(storage.list())).toHaveLength(1)
  })

  it('can be searched with the answers of the retrieval tool, their tokens, and the command', async () => {
    const storage = new InMemoryStorage()
    const journal = new ListJournal()
    const { reference, offloader } = await offload(storage, numbered(3_000), { journal })
    const formatCommand = ({ pattern }: { readonly pattern?: string | undefined }): string => `get ${pattern}`
    const { ask } = await serveInspector({ storage, journal, formatCommand })
    const input = { reference, pattern: 'FAILED' }
    const { content } = await offloader.retrievalTool.execute(input)
    const events = journal.events.length
    const answer = await ask<{ text: string; tokens: number }>('api/retrieve', input)
    expect(answer).toMatchObject({ isError: false, command: 'get FAILED', tokens: expect.any(Number) })
    expect([{ type: 'text', text: answer.text }]).toEqual(content)
    expect(await ask('api/retrieve', { reference, json_path: '$.a' })).toMatchObject({ isError: true })
    const csv = await storage.store('table', bytesOf('id,name\n1,"one, 1"\n2,\n'), 'text/csv')
    const { table } = await ask<{ table: object }>('api/retrieve', { reference: csv, sql: 'SELECT * FROM t' })
    expect(table).toMatchObject({
      columns: ['id', 'name'],
      rows: [
        ['1', 'one, 1'],
        ['2', null],
      ],
    })
    expect(journal.events).toHaveLength(events)
    const { retrievals } = await ask<{ retrievals: object[] }>(`api/history?reference=${reference}`)
    expect(retrievals).toMatchObject([{ type: 'retrieval', reference }])
  })

  it('can be downloaded as an attachment, in whole or in ranges of bytes', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('page', bytesOf('<script>alert(1)</script>'), 'text/html')
    const { send } = await serveInspector({ storage })
    const response = await send(`api/content?reference=${reference}`, { headers: { range: 'bytes=1-6' } })
    expect([response.status, await response.text()]).toEqual([206, 'script'])
    expect(response.headers.get('content-disposition')).toBe('attachment')
    expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
  })

  it('is removed only if allowDelete is set', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.scope('a').store('key', bytesOf('text'))
    const path = `api/entry?scope=a&reference=${reference}`
    const refused = await (await serveInspector({ storage })).send(path, { method: 'DELETE' })
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('--allow-delete')])
    expect(await Array.fromAsync(storage.list())).toHaveLength(1)
    const { send, ask } = await serveInspector({ storage, allowDelete: true })
    expect((await ask<EntryPage>('api/entries')).total).toBe(1)
    expect(await (await send(path, { method: 'DELETE' })).json()).toEqual({ removed: 1 })
    expect((await ask<EntryPage>('api/entries')).total).toBe(0)
  })
})

describe('the meter in the inspector', () => {
  it('sums up the journal of the scope, and simulates other limits', async () => {
    const storage = new InMemoryStorage()
    const journal = new ListJournal()
    const { reference, offloader } = await offload(storage.scope('a'), numbered(3_000), { journal })
    await offload(storage.scope('b'), numbered(4_000), { journal, toolName: 'other' })
    for (const pattern of ['ok', 'line', '1', '2', '3', '4'])
      await offloader.retrievalTool.execute({ reference, pattern })
    const { ask } = await serveInspector({ storage, journal, scope: ['a'] })
    const { total, tools, others } = await ask<{
      total: { offloaded: number; tokensNet: number; bounceRate: number }
      tools: { name: string; advice: string }[]
      others: { setting: string; value: number; tokensNet: number }[]
    }>('api/meter')
    expect(total).toMatchObject({ offloaded: 1, bounceRate: 1 })
    expect(tools).toMatchObject([{ name: 'read_log', advice: expect.stringContaining('previewTokens') }])
    expect(others.find(({ value }) => value === 2_500)?.tokensNet).toBe(total.tokensNet)
    const none = await (await serveInspector({ storage })).ask<Failure>('api/meter')
    expect(none).toMatchObject({ error: { code: 'unsupported' } })
  })
})
