import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put, spillway, temporaryFolder } from '../../test/spillway.ts'

describe('grep', () => {
  test('searches every entry of the scope, and no other scope', async () => {
    const cwd = temporaryFolder()
    const one = await put('a needle in one\n', cwd, ['--name', 'one'])
    const two = await put('nothing\nneedle in two\n', cwd, ['--name', 'two'])
    const other = await put('needle in another scope\n', cwd, ['--scope', 'tenant'])
    const ended = await spillway(['grep', 'needle'], { cwd })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^\[2 matches/)
    expect(ended.stdout).toContain(one)
    expect(ended.stdout).toContain(two)
    expect(ended.stdout).not.toContain(other)
    const scoped = await spillway(['grep', 'needle', '--json'], { cwd, env: { SPILLWAY_SCOPE: 'tenant' } })
    expect((JSON.parse(scoped.stdout) as { text: string }).text).toContain(other)
  })

  test('prints the reference, line, column, and text of each match as JSON', async () => {
    const cwd = temporaryFolder()
    const one = await put('a needle\nhay\n> 9| the needle\n', cwd, ['--name', 'one'])
    const two = await put(`${'x'.repeat(9_000)} needle\n`, cwd, ['--name', 'two'])
    const { stdout } = await spillway(['grep', 'needle', '--json'], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      pattern: 'needle',
      matches: [
        { reference: two, line: 1, text: expect.stringContaining(' needle') },
        { reference: one, line: 1, column: 3, text: 'a needle' },
        { reference: one, line: 3, column: 10, text: '> 9| the needle' },
      ],
    })
    const got = await spillway(['get', one, '--pattern', 'NEEDLE', '-i', '--json'], { cwd })
    expect(JSON.parse(got.stdout)).toMatchObject({
      matches: [
        { line: 1, column: 3 },
        { line: 3, column: 10 },
      ],
    })
  })

  test('exits with 1 if nothing matches', async () => {
    const cwd = temporaryFolder()
    await put('hay', cwd)
    expect(await spillway(['grep', 'needle'], { cwd })).toMatchObject({ code: 1, stderr: '' })
    expect(await spillway(['grep', 'HAY', '--ignore-case'], { cwd })).toMatchObject({ code: 0 })
    expect(await spillway(['grep', ''], { cwd })).toMatchObject({ code: 2 })
  })
})

describe('grep with the options of grep', () => {
  test('counts, accepts several patterns, and shows the last matches', async () => {
    const cwd = temporaryFolder()
    const reference = await put('one ERROR\ntwo\nthree error\nfour ERROR\n', cwd, ['--name', 'log'])
    const count = await spillway(['grep', '-c', '-e', 'ERROR', '-e', 'two'], { cwd })
    expect(count).toMatchObject({ code: 0, stderr: '' })
    expect(count.stdout).toBe(`[3 matches in 1 of 1 stored result]\n[${reference} (text/plain, 37 bytes): 3 matches]\n`)
    const last = await spillway(['grep', 'error', '-i', '--from-end', '-C', '0', '--max-tokens', '120'], { cwd })
    expect(last.stdout).toContain('> 4| four ERROR')
    expect(await spillway(['grep', '-c', 'nothing'], { cwd })).toMatchObject({ code: 1 })
    expect(await spillway(['grep'], { cwd })).toMatchObject({ code: 2 })
  })

  test('finds the best passages for words', async () => {
    const cwd = temporaryFolder()
    const lines = Array.from({ length: 2_000 }, (_, line) => (line % 500 === 9 ? `payment ${line} refused` : 'tick'))
    await put(lines.join('\n'), cwd)
    const ended = await spillway(['grep', '--query', 'refused payments'], { cwd })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^> +\d+\| payment \d+ refused$/m)
    expect(await spillway(['grep', '--query', 'zebra'], { cwd })).toMatchObject({ code: 1 })
  })
})

describe('ls', () => {
  test('lists the newest first, in columns separated by tabs', async () => {
    const cwd = temporaryFolder()
    const first = await put('1', cwd, ['--name', 'with a\ttab'])
    const second = await put('22', cwd)
    const { code, stdout } = await spillway(['ls'], { cwd })
    expect(code).toBe(0)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(rows.map(([reference, size]) => [reference, size])).toEqual([
      [second, '2'],
      [first, '1'],
    ])
    expect(rows[1]).toEqual([first, '1', expect.stringMatching(/^20\d\d-.*Z$/), 'text/plain', 'with a tab'])
  })

  test.each(['file:./typo', 'sqlite:./typo.db'])(
    'fails if there is no store at %s, and creates none',
    async (store) => {
      const cwd = temporaryFolder()
      for (const args of [['ls'], ['stats'], ['gc'], ['grep', 'x'], ['get', 'x_0_aaaaaaaaaaaaaaaaaaaa']]) {
        const { code, stderr } = await spillway([...args, '--store', store], { cwd })
        expect({ code, stderr }).toMatchObject({
          code: 3,
          stderr: expect.stringContaining(`There is no store at ${store}.`),
        })
      }
      expect(readdirSync(cwd)).toEqual([])
    },
  )

  test('names stores nearby if the folder has none', async () => {
    const cwd = temporaryFolder()
    expect(await spillway(['ls'], { cwd })).toMatchObject({ code: 3, stdout: '' })
    mkdirSync(join(cwd, 'package'))
    await put('text', join(cwd, 'package'))
    const { stderr } = await spillway(['ls'], { cwd })
    expect(stderr).toContain(`There is no store at file:${cwd}/.spillway. Found nearby: file:${cwd}/package/.spillway.`)
    expect(readdirSync(cwd)).toEqual(['package'])
  })

  test('lists only the requested entries', async () => {
    const cwd = temporaryFolder()
    const first = await put('1', cwd)
    const second = await put('22', cwd)
    await spillway(['run', '--', 'seq', '1', '20000'], { cwd })
    const list = async (...args: string[]): Promise<string[]> =>
      (await spillway(['ls', ...args], { cwd })).stdout.split('\n').map((line) => line.split('\t')[0] ?? '')
    expect(await list('--tool', 'run')).toEqual([expect.stringMatching(/^seq_/), ''])
    expect(await list('--limit', '2')).toEqual([expect.stringMatching(/^seq_/), second, ''])
    expect(await list('--since', '7d')).toEqual([expect.stringMatching(/^seq_/), second, first, ''])
    expect(await list('--since', '0.001s')).toEqual([''])
    const { stdout } = await spillway(['ls', '--tool', 'run'], { cwd, terminal: true, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(
      /^REFERENCE +SIZE +LINES +STORED +TOOL +EXIT +TYPE +NAME\nseq_\w+ +109 kB +20000 +\d+ s ago +run +0 +text\/plain +seq\n$/,
    )
  })

  test("shows an entry's stored command, without secrets", async () => {
    const cwd = temporaryFolder()
    const env = { NO_COLOR: '1' }
    await spillway(['run', '--keep-command', '--', 'env', 'API_KEY=hunter2', 'seq', '20000'], { cwd })
    const { stdout } = await spillway(['ls'], { cwd, terminal: true, env })
    expect(stdout).toMatch(/^REFERENCE .* NAME +COMMAND\nenv_.* env +env API_KEY=… seq 20000\n$/)
    await spillway(['rm', 'last'], { cwd })
    await spillway(['run', '--', 'seq', '20000'], { cwd })
    expect((await spillway(['ls', '--json'], { cwd })).stdout).not.toContain('"command"')
  })

  test.each([
    [['--color', 'always'], {}, true],
    [[], { FORCE_COLOR: '1' }, true],
    [['--color', 'never'], { FORCE_COLOR: '1' }, false],
    [[], { NO_COLOR: '1' }, false],
  ])('uses colors as the options %j and the variables %j demand', async (args, env, isColored) => {
    const cwd = temporaryFolder()
    await put('needle', cwd)
    const { stdout } = await spillway(['grep', 'needle', ...args], { cwd, env: { FORCE_COLOR: '', ...env } })
    expect(stdout.includes('\u001B[')).toBe(isColored)
  })

  test('lists nothing in an empty store', async () => {
    const cwd = temporaryFolder()
    await spillway(['rm', await put('text', cwd)], { cwd })
    expect(await spillway(['ls'], { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await spillway(['ls', '--json'], { cwd })).toMatchObject({ code: 0, stdout: '' })
  })

  test('lists child scopes only on request', async () => {
    const cwd = temporaryFolder()
    const below = await put('x', cwd, ['--scope', 'tenant/session'])
    expect((await spillway(['ls'], { cwd })).stdout).toBe('')
    expect((await spillway(['ls'], { cwd, terminal: true })).stdout).toContain(
      'All entries are in scopes below this one: spillway ls --below',
    )
    expect((await spillway(['ls', '--below'], { cwd })).stdout).toContain(below)
    const other = await put('y', cwd, ['--scope', 'tenant/A%2FB@c'])
    const shown = await spillway(['ls', '--below', '--scope', 'tenant'], { cwd })
    const [scope = ''] = shown.stdout
      .split('\n')
      .flatMap((line) => (line.startsWith(other) ? line.split('\t').slice(5) : []))
    expect(await spillway(['get', other, '--raw', '--scope', scope], { cwd })).toMatchObject({ stdout: 'y' })
    const listed = JSON.parse((await spillway(['ls', '--below', '--json', '--limit', '1'], { cwd })).stdout) as object
    expect(listed).toMatchObject({ reference: other, scope })
    const joined = await spillway(['ls', '--scope', 'tenant', '--scope', 'session'], { cwd })
    expect(joined.stdout).toContain(below)
  })
})

describe('an empty scope', () => {
  test.each([
    [['ls'], 0, ''],
    [['grep', 'hello'], 1, ''],
    [['get', 'last'], 1, 'There is no last: this scope has 0 entries. '],
    [['stat', 'nothing'], 1, 'Nothing is stored under nothing here. Check the reference. '],
  ])('says that scopes below have entries: %s', async (args, code, message) => {
    const cwd = temporaryFolder()
    await put('hello', cwd, ['--scope', 'session-1'])
    const hint = 'All entries are in scopes below this one: spillway ls --below shows their --scope.'
    expect(await spillway(args, { cwd })).toMatchObject({ code, stderr: `spillway: ${message}${hint}\n` })
    await put('world', cwd, [])
    expect((await spillway(args, { cwd })).stderr).not.toContain('scopes below')
  })
})

describe('a misspelled scope', () => {
  test.each([
    [['ls', '--scope', 'Tenant/a'], ''],
    [['copy', 'file:.spillway', 'sqlite:to.db', '--scope', 'Tenant/a'], 'copied 0 entries, 0 B\n'],
    [['check', '--scope', 'Tenant/a'], 'read 0 entries, 0 B: nothing is wrong\n'],
    [['rm', '--all', '--scope', 'Tenant/a'], 'removed 0 entries\n'],
  ])('is reported by %s', async (args, stdout) => {
    const cwd = temporaryFolder()
    await put('hello', cwd, ['--scope', 'tenant/a'])
    const note = 'spillway: Nothing is stored in the scope Tenant/a or below it. Check its name: '
    const result = await spillway(args, { cwd })
    expect(result).toMatchObject({ code: 0, stdout })
    expect(result.stderr.startsWith(note)).toBe(true)
    const right = args.map((arg) => arg.replace('Tenant', 'tenant'))
    expect((await spillway(right, { cwd })).stderr).toBe('')
  })
})

describe('stat', () => {
  test('describes an entry for people and for scripts', async () => {
    const cwd = temporaryFolder()
    const reference = await put('x'.repeat(1_500), cwd)
    const { code, stdout } = await spillway(['stat', reference], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^size +1500 bytes \(1\.5 kB\)$/m)
    const json = JSON.parse((await spillway(['stat', reference, '--json'], { cwd })).stdout) as Record<string, unknown>
    expect(json).toMatchObject({ reference, key: 'stdin', contentType: 'text/plain', size: 1_500, metadata: {} })
  })

  test('prints an error with its code if there is no entry', async () => {
    const cwd = temporaryFolder()
    await put('text', cwd)
    const { code, stdout } = await spillway(['stat', 'nothing', '--json'], { cwd })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'not-found' } })
  })
})

describe('rm', () => {
  test('removes entries, and names those that were missing', async () => {
    const cwd = temporaryFolder()
    const [one, two, retained] = [await put('1', cwd), await put('2', cwd), await put('3', cwd)]
    expect(await spillway(['rm', one, two], { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const again = await spillway(['rm', one, retained, '--json'], { cwd })
    expect(again.code).toBe(1)
    expect(JSON.parse(again.stdout)).toEqual({ schema: 1, removed: [retained], missing: [one] })
    const missing = await spillway(['rm', one], { cwd })
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr).toContain(one)
  })

  test('removes nothing in another scope', async () => {
    const cwd = temporaryFolder()
    const reference = await put('1', cwd, ['--scope', 'a'])
    expect(await spillway(['rm', reference, '--scope', 'b'], { cwd })).toMatchObject({ code: 1 })
    expect(await spillway(['stat', reference, '--scope', 'a'], { cwd })).toMatchObject({ code: 0 })
  })
})

describe('gc', () => {
  test('removes entries unused for the given time, and nothing without a time', async () => {
    const cwd = temporaryFolder()
    await put('12345', cwd)
    expect(await spillway(['gc'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'removed 0 expired entries and 0 leftovers, 0 B\n',
    })
    expect((await spillway(['gc', '--ttl', '1w'], { cwd })).stdout).toContain('removed 0 expired entries')
    const { stdout } = await spillway(['gc', '--ttl', '0.001s', '--json'], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({ expired: 1, leftovers: 0, bytes: 5 })
    expect((await spillway(['ls'], { cwd })).stdout).toBe('')
  })

  test('refuses a time that has no unit', async () => {
    expect(await spillway(['gc', '--ttl', '5'], { cwd: temporaryFolder() })).toMatchObject({ code: 2 })
  })
})

test('gc --dry-run counts what --ttl would remove', async () => {
  const cwd = temporaryFolder()
  await put('12345', cwd)
  const dry = await spillway(['gc', '--ttl', '0.001s', '--dry-run'], { cwd })
  expect(dry.stdout).toBe('would remove 1 expired entry, 5 B\n')
  expect((await spillway(['gc', '--ttl', '1d', '--dry-run', '--json'], { cwd })).stdout).toContain('"expired": 0')
  expect((await spillway(['ls'], { cwd })).stdout).not.toBe('')
})

describe('stats', () => {
  test('counts the scope and its child scopes by content type', async () => {
    const cwd = temporaryFolder()
    await put('12345', cwd)
    await put('{}', cwd, ['--type', 'application/json', '--scope', 'below'])
    const { code, stdout } = await spillway(['stats', '--json'], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      entries: 2,
      bytes: 7,
      byContentType: { 'text/plain': { entries: 1, bytes: 5 }, 'application/json': { entries: 1, bytes: 2 } },
      oldest: expect.stringMatching(/Z$/),
    })
    expect((await spillway(['stats'], { cwd })).stdout).toMatch(/^total +2 entries +7 B\n/)
  })

  test('counts nothing in an empty store', async () => {
    const cwd = temporaryFolder()
    await spillway(['rm', await put('text', cwd)], { cwd })
    expect(await spillway(['stats'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^total  0 entries  0 B\nstore: file:.*\nlimits: .+\n$/) as string,
    })
    expect(JSON.parse((await spillway(['stats', '--json'], { cwd })).stdout)).toEqual({
      schema: 1,
      store: `file:${cwd}/.spillway`,
      entries: 0,
      bytes: 0,
      byContentType: {},
      oldest: null,
      newest: null,
      limits: { ttlMs: 30 * 86_400_000, maxBytes: 1e9 },
    })
  })
})
