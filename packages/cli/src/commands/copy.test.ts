import { postgresSchema } from '@spillway/postgres'
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { numbered, put, spillway, temporaryFolder } from '../../test/spillway.ts'
import { TEST_STORES } from '../../test/stores.ts'

describe('copy', () => {
  it.each(TEST_STORES.filter(({ available }) => available))(
    'copies entries from a folder to $name and back, with their references',
    async ({ create }) => {
      const cwd = temporaryFolder()
      const { url, env } = await create()
      const from = url === 'file:./store' ? 'sqlite:./from.db' : 'file:./from'
      const one = await put(numbered(200_000), cwd, ['--store', from])
      const two = await put('two\n', cwd, ['--store', from, '--scope', 'tenant/a'])
      const copied = await spillway(['copy', from, url], { cwd, env })
      expect(copied).toMatchObject({ code: 0, stderr: '' })
      expect(copied.stdout).toMatch(/^copied 2 entries, 4\.7 MB\n$/)
      const again = await spillway(['copy', from, url, '--json'], { cwd, env })
      expect(JSON.parse(again.stdout)).toEqual({ schema: 1, copied: 0, bytes: 0, skipped: 2, failed: [] })
      const back = await spillway(['copy', url, 'file:./back', '--scope', 'tenant'], { cwd, env })
      expect(back.stdout).toBe('copied 1 entry, 4 B\n')
      for (const [store, reference, scope, text] of [
        [url, one, [], numbered(200_000)],
        ['file:./back', two, ['--scope', 'tenant/a'], 'two\n'],
      ] as const) {
        const got = await spillway(['get', reference, '--store', store, ...scope], { cwd, env })
        expect(got.stdout === text).toBe(true)
      }
      const checked = await spillway(['check', '--store', url], { cwd, env })
      expect(checked).toMatchObject({ code: 0, stdout: 'read 2 entries, 4.7 MB: nothing is wrong\n' })
    },
  )

  it('is refused without a store to copy, and for stores in memory', async () => {
    const cwd = temporaryFolder()
    const missing = await spillway(['copy', 'file:./typo', 'file:./to', '--json'], { cwd })
    expect(missing.code).toBe(3)
    expect(JSON.parse(missing.stdout).error.code).toBe('no-store')
    expect(await spillway(['copy', 'memory:', 'file:./to'], { cwd })).toMatchObject({ code: 2 })
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('check', () => {
  it('reports changed and truncated files, and repairs those that it can', async () => {
    const cwd = temporaryFolder()
    const [good, changed, cut] = [await put('good', cwd), await put('first', cwd), await put('second', cwd)]
    const store = join(cwd, '.spillway')
    writeFileSync(join(store, `${changed}.txt`), 'FIRST')
    writeFileSync(join(store, `${cut}.txt`), 'sec')
    const found = await spillway(['check'], { cwd })
    expect(found.code).toBe(3)
    expect(found.stdout).toContain(`${changed}\tchanged\t`)
    expect(found.stdout).toContain(`${cut}\tunreadable\t`)
    expect(found.stdout).toMatch(/\nread 2 entries, 9 B: 2 problems\n$/)
    const repaired = await spillway(['check', '--repair', '--json'], { cwd })
    expect(repaired.code).toBe(3)
    expect(JSON.parse(repaired.stdout)).toMatchObject({ entries: 2, unproven: 0 })
    await spillway(['rm', changed], { cwd })
    expect(await spillway(['check'], { cwd })).toMatchObject({ code: 0 })
    expect(await put('second', cwd)).toBe(cut)
    expect((await spillway(['get', good], { cwd })).stdout).toBe('good')
  })
})

describe('rm --all', () => {
  it('erases a scope and its child scopes, and nothing else', async () => {
    const cwd = temporaryFolder()
    for (const scope of ['tenant', 'tenant/a', 'tenant-2']) await put(scope, cwd, ['--scope', scope])
    await put('none', cwd)
    expect(await spillway(['rm', '--all', '--scope', 'tenant'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'removed 2 entries\n',
    })
    expect((await spillway(['ls', '--below'], { cwd })).stdout.trim().split('\n')).toHaveLength(2)
    expect(await spillway(['rm', '--all'], { cwd })).toMatchObject({ code: 2 })
    expect(await spillway(['rm'], { cwd })).toMatchObject({ code: 2 })
    expect(await spillway(['rm', 'x', '--all', '--scope', 'a'], { cwd })).toMatchObject({ code: 2 })
  })
})

describe('the default store', () => {
  it('evicts entries unused for 30 days, unlike other stores', async () => {
    const cwd = temporaryFolder()
    for (const args of [[], ['--store', 'file:./named']]) {
      const old = await put('old', cwd, [...args, '--name', 'old', '--scope', 'session'])
      const folder = join(cwd, args.length === 0 ? '.spillway' : 'named')
      const longAgo = new Date(Date.now() - 31 * 86_400_000)
      utimesSync(join(folder, '.metadata', 'session', `${old}.metadata.json`), longAgo, longAgo)
      rmSync(join(folder, '.tidied'), { force: true })
      await put('new', cwd, args)
      expect(existsSync(join(folder, 'session', `${old}.txt`))).toBe(args.length > 0)
    }
    const { stdout } = await spillway(['stats'], { cwd })
    expect(stdout).toMatch(/^limits: unused for 30 d, or least recently used beyond 1\.0 GB in total$/m)
    expect((await spillway(['stats', '--store', 'file:./named'], { cwd })).stdout).not.toContain('limits')
    expect(JSON.parse((await spillway(['stats', '--json'], { cwd })).stdout)).toMatchObject({
      limits: { ttlMs: 2_592_000_000, maxBytes: 1e9 },
    })
  })

  it('is checked once an hour', async () => {
    const cwd = temporaryFolder()
    await put('new', cwd)
    const old = await put('old', cwd, ['--scope', 'session'])
    const longAgo = new Date(Date.now() - 31 * 86_400_000)
    utimesSync(join(cwd, '.spillway/.metadata/session', `${old}.metadata.json`), longAgo, longAgo)
    await put('newer', cwd)
    expect(readdirSync(join(cwd, '.spillway/session'))).toEqual([`${old}.txt`])
  })
})

it('postgres schema prints the SQL for the tables, and with an option also for their policies', async () => {
  const printed = await spillway(['postgres', 'schema'])
  expect(printed).toMatchObject({ code: 0, stderr: '', stdout: postgresSchema() })
  const secured = await spillway(['postgres', 'schema', '--schema', 'agents', '--row-level-security'])
  expect(secured.stdout).toBe(postgresSchema({ schema: 'agents', rowLevelSecurity: true }))
  expect(secured.stdout).toContain('CREATE POLICY')
  const refused = await spillway(['postgres', 'schema', '--schema', 'a;b'])
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('schema must be a name') })
})
