import { expect, test } from 'vitest'
import { BIN, numbered, put, spillway, start, temporaryFolder } from '../../test/spillway.ts'

test('get prints all bytes into a pipe', async () => {
  const cwd = temporaryFolder()
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 31) % 256))
  const reference = await put(bytes, cwd)
  for (const args of [[], ['--raw']]) {
    const ended = await spillway(['get', reference, ...args], { cwd })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdoutBytes.equals(bytes)).toBe(true)
  }
})

test('get prints lines that match, with context and line numbers', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(1_000), cwd)
  const { code, stdout } = await spillway(['get', reference, '--pattern', '^line 500 ', '--context', '1'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toBe(
    [
      '[1 match]',
      `<<< ${reference.slice(-8)}: untrusted content`,
      '  499| line 499 of the text',
      '> 500| line 500 of the text',
      '  501| line 501 of the text',
      `>>> end of ${reference.slice(-8)}`,
      '',
    ].join('\n'),
  )
})

test('get exits with 1 if nothing matches, as grep does', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(10), cwd)
  const ended = await spillway(['get', reference, '-p', 'LINE'], { cwd })
  expect(ended).toMatchObject({ code: 1, stderr: '' })
  expect(ended.stdout).toContain(`spillway get ${reference} --pattern LINE --ignore-case`)
  expect(await spillway(['get', reference, '-p', 'LINE', '-i', '-C', '0'], { cwd })).toMatchObject({ code: 0 })
})

test.each([
  ['5:7', [5, 6, 7]],
  ['9', [9]],
  ['98:', [98, 99, 100]],
  [':2', [1, 2]],
])('get prints the lines %s', async (lines, expected) => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(100), cwd)
  const { code, stdout } = await spillway(['get', reference, '--lines', lines], { cwd })
  expect(code).toBe(0)
  expect(Array.from(stdout.matchAll(/\| line (\d+) of/g), ([, line]) => Number(line))).toEqual(expected)
})

test('get searches a span of lines, and shows the first lines', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(100), cwd)
  const both = await spillway(['get', reference, '--lines', '1:50', '--pattern', '9 of', '-C', '0'], { cwd })
  expect(both.stdout).toContain('5 matches')
  const head = await spillway(['get', reference, '--context', '2'], { cwd })
  expect(Array.from(head.stdout.matchAll(/\| line (\d+) of/g), ([, line]) => Number(line))).toEqual([1, 2])
})

test('get counts matches, and shows the last matches', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(100), cwd)
  const get = async (...args: string[]): Promise<string> =>
    (await spillway(['get', reference, ...args], { cwd })).stdout
  expect(await get('-p', '9 of', '-p', '^line 5 ', '--count')).toBe(
    '[11 matches; the first is in line 5, the last in line 99]\n',
  )
  expect(await get('-p', '9 of', '-C', '0', '--from-end', '--max-tokens', '150')).toMatch(
    /^\[Last (\d) of 10 matches\][^]*> 99\| .*\n>>> end of .*\n.*To continue: spillway get \S+ --pattern '9 of' --context 0 --from-end --after \1\]\n$/,
  )
  expect(await get('--from-end', '--context', '1')).toBe(
    `[Lines 100-100 of 100]\n<<< ${reference.slice(-8)}: untrusted content\n  100| line 100 of the text\n>>> end of ${reference.slice(-8)}\n`,
  )
})

test('get selects values of JSON, and rows of a table', async () => {
  const cwd = temporaryFolder()
  const users = await put('{"users": [{"name": "Ann"}, {"name": "Bo"}]}', cwd, ['--type', 'application/json'])
  const rows = await put('path,status\n/a,200\n/b,500\n', cwd, ['--type', 'text/csv'])
  const names = await spillway(['get', users, '--json-path', '$.users[*].name'], { cwd })
  expect(names).toMatchObject({ code: 0, stderr: '' })
  expect(names.stdout).toContain('$.users[1].name: "Bo"')
  expect(await spillway(['get', users, '--json-path', '$.users[?@.name == "Cy"]'], { cwd })).toMatchObject({ code: 1 })
  const failed = await spillway(['get', rows, '--sql', 'SELECT path FROM t WHERE status >= 500'], { cwd })
  expect(failed.stdout).toMatch(/\/b\n>>> end of .*\n$/)
  expect(await spillway(['get', rows, '--sql', 'SELECT path FROM t WHERE 0'], { cwd })).toMatchObject({ code: 1 })
  expect(await spillway(['get', rows, '--sql', 'SELECT pth FROM t'], { cwd })).toMatchObject({ code: 2 })
  const data = await spillway(['get', rows, '--sql', 'SELECT *, NULL AS none FROM t', '--json'], { cwd })
  expect(JSON.parse(data.stdout)).toMatchObject({
    columns: ['path', 'status', 'none'],
    rows: [
      ['/a', '200', null],
      ['/b', '500', null],
    ],
  })
  const joined = await spillway(['get', rows, users, '--sql', 'SELECT count(*) FROM t1, t2'], { cwd })
  expect(joined.stdout).toMatch(/\n1\| 4\n/)
  expect(await spillway(['get', rows, users, '-p', 'x'], { cwd })).toMatchObject({ code: 2 })
  expect(await spillway(['get', rows, '--json-path', '$', '-p', 'x'], { cwd })).toMatchObject({ code: 2 })
})

test('get limits an answer, and gives the command that continues in the same store', async () => {
  const cwd = temporaryFolder()
  const store = ['--store', 'file:./elsewhere']
  const reference = await put(numbered(5_000), cwd, store)
  const args = ['get', reference, ...store, '--lines', '1:', '--max-tokens', '300']
  const { stdout } = await spillway(args, { cwd })
  expect(stdout.length).toBeLessThan(1_800)
  const next = new RegExp(`spillway (get ${reference} --store file:./elsewhere --lines (\\d+):\\d+)`).exec(stdout)
  const continued = await spillway((next?.[1] ?? '').split(' '), { cwd })
  expect(continued.stdout).toMatch(new RegExp(`\\n +${next?.[2]}\\| line ${next?.[2]} of`))
  const whole = await spillway([...args.slice(0, -1), 'none'], { cwd })
  expect(whole.stdout).toContain('5000| line 5000 of the text\n')
})

test('get limits all output to --max-tokens', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(5_000), cwd)
  const head = await spillway(['get', reference, '--max-tokens', '300'], { cwd })
  expect(head.stdout).toMatch(/^\[Lines 1-\d+/)
  expect(head.stdout.length).toBeLessThan(1_800)
  const json = await put('{"a":1}', cwd, ['--type', 'application/json'])
  for (const [stored, text] of [
    [json, '{"a":1}'],
    [await put('small', cwd), 'small'],
  ] as const) {
    expect((await spillway(['get', stored, '--max-tokens', '300'], { cwd })).stdout).toBe(text)
  }
  const whole = await spillway(['get', json, '--max-tokens', '300', '--json'], { cwd })
  expect(JSON.parse(whole.stdout)).toMatchObject({ content: '{"a":1}' })
})

test('get prints JSON with an answer, or with content as text or base64', async () => {
  const cwd = temporaryFolder()
  const text = await put('ä\n', cwd)
  const bytes = await put(new Uint8Array([255, 0]), cwd)
  const filtered = await spillway(['get', text, '--json', '--lines', '1'], { cwd })
  expect(JSON.parse(filtered.stdout)).toEqual({
    schema: 1,
    reference: text,
    matches: [],
    text: expect.stringContaining('1| ä'),
    tokens: expect.any(Number),
    isComplete: true,
  })
  const found = await spillway(['get', text, '--json', '-p', 'o', '--after', '1'], { cwd })
  expect(JSON.parse(found.stdout)).toMatchObject({ matches: [], total: 0, isComplete: true })
  const whole = await spillway(['get', text, '--json'], { cwd })
  expect(JSON.parse(whole.stdout)).toEqual({
    schema: 1,
    reference: text,
    contentType: 'text/plain',
    size: 3,
    content: 'ä\n',
  })
  const binary = await spillway(['get', bytes, '--json'], { cwd })
  expect(JSON.parse(binary.stdout)).toMatchObject({ size: 2, contentBase64: '/wA=' })
})

test('get says that binary content cannot be searched', async () => {
  const cwd = temporaryFolder()
  const reference = await put(new Uint8Array([1, 0, 2]), cwd)
  const ended = await spillway(['get', reference, '--pattern', 'x'], { cwd })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain(`spillway get ${reference}`)
})

test.each([
  ['nothing_here', 1],
  ['../../etc/passwd', 2],
  ['/etc/passwd', 2],
  ['s3://bucket/key', 2],
])('get reads no content under %s', async (reference, code) => {
  const cwd = temporaryFolder()
  await put('text', cwd)
  for (const filter of [[], ['--pattern', 'root'], ['--lines', '1']]) {
    const ended = await spillway(['get', reference, ...filter], { cwd })
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(/^spillway: [^\n]+\n$/)
  }
})

test('get exits with 1 if a span starts beyond the end', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(10), cwd)
  expect(await spillway(['get', reference, '--lines', '11:20'], { cwd })).toMatchObject({ code: 1, stdout: '' })
})

test.each([
  [['--lines', '9:3'], /The last line is before the first: write 3:9/],
  [['--lines', 'x'], /Write A:B/],
  [['--raw', '--pattern', 'x'], /--raw prints the whole content/],
  [['--ignore-case'], /--ignore-case needs --pattern/],
  [['--lines', '0:3'], /Write numbers from 1 to 9007199254740991/],
  [['--pattern', ''], /--pattern <regex>' argument '' is invalid. It must not be empty/],
  [['--query', ''], /--query <words>' argument '' is invalid. It must not be empty/],
  [['--sql', ''], /--sql <statement>' argument '' is invalid. It must not be empty/],
  [['--context', '1', '--lines', '2'], /--context/],
  [['--max-tokens', '0'], /--max-tokens/],
])('get refuses %j', async (args, message) => {
  const ended = await spillway(['get', 'reference', ...args], { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(message)
})

test('get exits silently if the reader of its output stops', async () => {
  const cwd = temporaryFolder()
  const reference = await put(numbered(200_000), cwd)
  const script = '{ "$@"; echo "ended with $?" >&2; } | head -n 1'
  const { end } = start('sh', ['-c', script, 'sh', process.execPath, BIN, 'get', reference], { cwd })
  expect(await end).toMatchObject({ stdout: 'line 1 of the text\n', stderr: 'ended with 0\n' })
})
