import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Command } from 'commander'
import { createProgram } from './cli.ts'
import {
  BIN,
  HAS_SCRIPT,
  put,
  numbered,
  spillway,
  spillwayProcess,
  start,
  temporaryFolder,
  type Ended,
} from '../test/spillway.ts'

const COMMANDS = ['run', 'put', 'get', 'grep', 'ls', 'stat', 'rm', 'gc', 'stats', 'conformance', 'hook']

it('--version prints the version', async () => {
  expect((await spillwayProcess(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/)
})

it('the command line loads only its parser at start, and a hook with small output loads nothing else', () => {
  // Type imports load nothing. Imports within functions are not at the start of a line.
  const staticImport = /^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm
  const packages = new Set<string>()
  const files = new Set(
    ['cli.ts', 'hook/main.ts', 'actions/hook.ts'].map((path) => new URL(path, import.meta.url).href),
  )
  for (const file of files) {
    for (const [, name = ''] of readFileSync(new URL(file), 'utf8').matchAll(staticImport)) {
      if (name.startsWith('.')) files.add(new URL(name, file).href)
      else if (!name.startsWith('node:')) packages.add(name)
    }
  }
  expect([...packages]).toEqual(['commander'])
  expect([...files].filter((file) => file.includes('/actions/'))).toEqual([expect.stringMatching(/hook\.ts$/)])
})

it('the command line reads only environment variables that the page of the configuration names', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
  const sources = globSync('**/*.ts', { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] })
  const texts = sources.map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'))
  const variables = new Set(texts.join().match(/\bSPILLWAY_[A-Z_]+\b/g))
  expect([...variables].filter((name) => !page.includes(`| \`${name}\` `))).toEqual([])
  expect(variables).toContain('SPILLWAY_STORE')
})

it('--help lists the commands and exit codes, and explains each command', async () => {
  const { code, stdout, stderr } = await spillway(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'))
  expect(stdout).toMatch(
    /^NAME\n {2}spillway - .*^SYNOPSIS\n {2}spillway .*^DESCRIPTION\n.*^OPTIONS\n.*^EXAMPLES\n.*^EXIT CODES\n/ms,
  )
  expect(await spillway(['run', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--preview-tokens'),
  })
})

describe('the help of a command', () => {
  const commandsBelow = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(commandsBelow)]
  const commands = commandsBelow(createProgram())
  const texts = commands.flatMap((command) => [
    { command, text: command.description() },
    ...[...command.options, ...command.registeredArguments].map(({ description: text }) => ({ command, text })),
  ])

  it.each([60, 200])('fits a terminal of %i columns, except examples, and names only existing options', (columns) => {
    const known = commands.flatMap(({ options }) => options.map(({ long }) => long)).concat('--help')
    for (const command of commands) {
      command.configureOutput({ getOutHelpWidth: () => columns, writeOut: (text) => lines.push(...text.split('\n')) })
      const lines: string[] = []
      command.outputHelp()
      const long = lines.filter((line) => line.length > columns && !/^ {2}/.test(line))
      for (const [name] of lines.join('\n').matchAll(/(?<= )--[a-z][a-z-]*/g)) expect(known).toContain(name)
      expect(long, command.name()).toEqual([])
      // A manual line break would end a line within a sentence, far from the edge of the terminal.
      const prose = lines.filter((line) => /^ {2}[A-Z].*[a-z,]$/.test(line))
      for (const line of prose) expect(line.length, `${command.name()}: ${line}`).toBeGreaterThan(columns / 2)
    }
  })

  it('has no manual line breaks, because lines are wrapped to the width of the terminal', () => {
    for (const { text } of texts) expect(text).not.toMatch(/[^\n]\n[^\n]/)
  })

  it('names only options that the command has', () => {
    for (const { command, text } of texts)
      for (const [name] of text.matchAll(/--[a-z][a-z-]*/g))
        expect(
          command.options.map(({ long }) => long),
          `${command.name()}: ${text}`,
        ).toContain(name)
  })
})

it.each([
  [['lss'], /unknown command 'lss'.*Did you mean ls/],
  [['search', 'failed'], /unknown command 'search'.* Commands: .*\bgrep\b.*\. See spillway --help\./],
  [['mcp', 'start'], /unknown command 'start'\. Commands: proxy, serve\. See spillway mcp --help\./],
  [['ls', '--jsno'], /unknown option '--jsno'.*--json.*See spillway ls --help\./],
  [['mcp', 'proxy', '--config', 'a.json'], /unknown option '--config'\. See spillway mcp proxy --help\./],
  [['history', 'compact'], /missing required argument 'file'\. See spillway history compact --help\./],
  [['stat'], /missing required argument 'reference'\. See spillway stat --help\./],
  [['ls', 'extra'], /too many arguments/],
  [['run', '--', ''], /The argument <command\.\.\.> must not be empty/],
  [['mcp', 'proxy', '--', ''], /The argument \S+ must not be empty/],
  [['grep', ''], /The argument \S+ must not be empty/],
  [['ls', '--store', 'foo:bar'], /no backend for foo: stores\. Known stores: file:/],
  [['ls', '--store', './dir'], /A store is a URL, such as file:\.\/dir\./],
  [['ls', '--store', 'memory:'], /memory: exists only while its command runs.*spillway run/],
  [['ls', '--scope', 'a//b'], /non-empty segments/],
])('the command line refuses %j with one line that says what to do', async (args, message) => {
  const ended = await spillway(args, { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(message)
  expect(ended.stderr.split('\n')).toHaveLength(2)
})

it.each([
  [['--store', 'file:./store', 'put', '-q']],
  [['put', '-q', '--store', 'file:./store']],
  [['-q', 'put', '--store=file:./store']],
])('options may be at any position: %j', async (args) => {
  const cwd = temporaryFolder()
  expect(await spillway(args, { cwd, input: 'text' })).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(cwd)).toEqual(['store'])
})

it('help with the name of a command prints the help of that command', async () => {
  for (const words of [['run'], ['mcp', 'proxy'], []])
    expect(await spillway(['help', ...words])).toEqual(await spillway([...words, '--help']))
})

it('help with an unknown command name suggests the closest command', async () => {
  const { code, stderr } = await spillway(['help', 'rnu'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/unknown command 'rnu'.*Did you mean run/),
  })
})

it('an error names the option that was typed', async () => {
  const cwd = temporaryFolder()
  const reference = await put('text', cwd)
  const { code, stderr } = await spillway(['get', reference, '--lines', '999999999'], { cwd })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/--lines(?!.*line_range)/) })
})

describe('the exit code', () => {
  it.each([
    [0, ['get', 'last', '--pattern', 'text']],
    [1, ['get', 'last', '--pattern', 'nothing']],
    [1, ['get', 'nothing']],
    [2, ['get', 'last', '--bogus']],
    [3, ['ls', '--store', 'file:./nowhere']],
    [3, ['doctor', '--store', 'redis://127.0.0.1:1']],
    [5, ['run', '--', 'sh', '-c', 'exit 5']],
    [124, ['run', '--timeout', '0.1s', '--', 'sleep', '300']],
    [126, ['run', '--', './notes']],
    [127, ['run', '--', 'no-such-command']],
    [137, ['run', '--', 'sh', '-c', 'kill -KILL $$']],
  ])('is %i for %j, with --json too', async (code, args) => {
    const cwd = temporaryFolder()
    await put('text', cwd)
    writeFileSync(join(cwd, 'notes'), '')
    expect(await spillway(args, { cwd })).toMatchObject({ code })
    const [command = '', ...rest] = args
    const json = await spillway([command, '--json', ...rest], { cwd })
    expect(json.code).toBe(code)
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 1 })
  })
})

describe.skipIf(!existsSync('/dev/full'))('a full disk under standard output', () => {
  it('is an error with an exit code of its own, and not a bug', async () => {
    const cwd = temporaryFolder()
    await put('text', cwd)
    for (const args of ['get last --raw', 'ls --json', 'run --json -- echo hi']) {
      const { code, stderr } = await withFullOutput(args, cwd)
      expect({ code, stderr }).toEqual({ code: 74, stderr: expect.stringMatching(/cannot be written.*ENOSPC/) })
    }
  })

  it('leaves the output of run stored, and keeps the exit code of the command', async () => {
    const cwd = temporaryFolder()
    const { code, stderr } = await withFullOutput("run --shell 'seq 1 30000; exit 5'", cwd)
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.not.stringContaining('could not be stored') })
    const [, reference = ''] = /It is stored as (\S+)\.$/m.exec(stderr) ?? []
    expect(await spillway(['get', reference, '--lines', '30000'], { cwd })).toMatchObject({ code: 0 })
  })

  const withFullOutput = (args: string, cwd: string): Promise<Ended> =>
    start('sh', ['-c', `"$0" "$1" ${args} > /dev/full`, process.execPath, BIN], { cwd }).end
})

it('a missing command prints the help as an error', async () => {
  const ended = await spillway([])
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/^NAME\n {2}spillway/)
})

it('with --json, a wrong command line is an error in JSON', async () => {
  const { code, stdout, stderr } = await spillway(['ls', '--bogus', '--json'], { cwd: temporaryFolder() })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } })
})

it('for a missing backend, the error says what to install, and never shows a password', async () => {
  const stores = [
    ['redis://user:hunter2@host', '@spillway/redis ioredis'],
    ['postgres://user:hunter2@host/db', '@spillway/postgres pg'],
    ['sqlite:./x.db', '@spillway/sqlite better-sqlite3'],
    ['s3://bucket', '@spillway/s3 @aws-sdk/client-s3'],
  ] as const
  const packages = stores.map(([, names]) => names.split(' ')[0])
  // Node.js resolves packages from a folder that contains no packages.
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve: (specifier, context, next) => next(specifier,
      ${JSON.stringify(packages)}.includes(specifier) ? { ...context, parentURL: 'file:///nowhere/at-all.js' } : context) })
    const { main } = await import(${JSON.stringify(new URL('cli.ts', import.meta.url).href)})
    for (const store of ${JSON.stringify(stores.map(([store]) => store))})
      console.log(await main(['ls', '--store', store]))
    process.exit()`
  const ended = await start(process.execPath, ['--input-type=module', '--eval', program], { cwd: temporaryFolder() })
    .end
  expect(ended).toMatchObject({ code: 0, stdout: '3\n3\n3\n3\n' })
  const told = ended.stderr.split('\n')
  for (const [index, [, names]] of stores.entries()) expect(told[index]).toContain(`npm install ${names} `)
  expect(ended.stderr).not.toContain('hunter2')
})

it('stack traces are printed only with SPILLWAY_DEBUG', async () => {
  const cwd = temporaryFolder()
  expect((await spillway(['stat', 'nothing'], { cwd })).stderr).not.toContain('    at ')
  expect((await spillway(['stat', 'nothing'], { cwd, env: { SPILLWAY_DEBUG: '1' } })).stderr).toContain('    at ')
})

it('store and scope come from the environment if no option gives them', async () => {
  const cwd = temporaryFolder()
  const env = { SPILLWAY_STORE: 'file:./from-env', SPILLWAY_SCOPE: 'a/b' }
  const { stdout } = await spillway(['put'], { cwd, env, input: 'text' })
  const args = ['stat', stdout.trim(), '--store', 'file:./from-env', '--scope', 'a', '--scope', 'b']
  expect(await spillway(args, { cwd })).toMatchObject({ code: 0 })
  expect(await spillway(['ls', '--store', 'file:./other'], { cwd, env })).toMatchObject({ code: 3, stdout: '' })
  expect(await spillway(['ls', '--scope', 'c'], { cwd, env })).toMatchObject({ code: 0, stdout: '' })
})

describe('control characters of stored content, names and arguments', () => {
  const HOSTILE = '\u001B]0;owned\u0007\u001B[2J\u009B1A\u001B[8mhidden\r'
  const NAME = `n${HOSTILE}.json`

  it.each([
    ['a terminal', true],
    ['a pipe', false],
  ])('never reach %s', async (_, terminal) => {
    const cwd = temporaryFolder()
    const text = await put(`needle ${HOSTILE}\n`, cwd, ['--name', NAME])
    const json = await put(JSON.stringify({ needle: 'a\u009B2Jb\u007F' }), cwd, ['--type', 'application/json'])
    const badModule = join(cwd, 'harness.mjs')
    writeFileSync(
      badModule,
      `export default { name: ${JSON.stringify(NAME)}, create: () => { throw new Error(${JSON.stringify(NAME)}) } }`,
    )
    writeFileSync(join(cwd, NAME), `[{"role":"user","content":${JSON.stringify(HOSTILE)}}]`)
    const commands = [
      ['get', text, '--pattern', 'needle'],
      ['get', text, '--lines', '1'],
      ['get', text, '--query', 'needle'],
      ['get', text, '--max-tokens', '100'],
      ['get', text, '--json'],
      ['get', json, '--json-path', '$.needle'],
      // get prints all bytes into a pipe, so it is tried on a terminal only.
      ...(terminal ? [['get', json]] : []),
      ['get', json, '--max-tokens', '100', '--json'],
      ['get', HOSTILE],
      ['get', text, '--pattern', `${HOSTILE}(`],
      ['grep', 'needle'],
      ['grep', 'needle', '--json'],
      ['ls'],
      ['ls', '--json'],
      ['stat', text],
      ['stat', HOSTILE],
      ['stats'],
      ['rm', HOSTILE],
      ['put', NAME.slice(0, -1)],
      ['put', NAME],
      ['run', '--', NAME],
      [
        'run',
        '--no-tee',
        '--max-tokens',
        '20',
        '--preview-tokens',
        '10',
        '--',
        'printf',
        `${'word '.repeat(500)}%s`,
        HOSTILE,
      ],
      ['conformance', badModule],
      ['conformance', HOSTILE],
      ['history', 'compact', NAME],
      ['history', 'expand', NAME, '--only', HOSTILE],
      ['ls', `--${HOSTILE}`],
      [HOSTILE],
    ]
    for (const args of commands) {
      const { stdout, stderr } = await spillway(args, { cwd, terminal })
      // Spillway itself writes only colors and the status line, and only on a terminal.
      const own = terminal ? /\u001B\[(?:1|2|22|32|36|39)m|\r\u001B\[2K/g : /$^/
      const shown = (stdout + stderr).replace(own, '').replace(/\r\n|[\n\t]/g, '')
      expect(shown, args.join(' ')).not.toMatch(/\p{Cc}/u)
      expect(shown, args.join(' ')).not.toBe('')
    }
  })

  it('stay unchanged if get prints all bytes, without a filter or with --raw', async () => {
    const cwd = temporaryFolder()
    const reference = await put(HOSTILE, cwd)
    expect((await spillway(['get', reference], { cwd })).stdout).toBe(HOSTILE)
    expect((await spillway(['get', reference, '--raw'], { cwd, terminal: true })).stdout).toBe(HOSTILE)
    const json = await spillway(['get', reference, '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({ content: HOSTILE })
  })

  it('stay unchanged in the small output of a command that run prints', async () => {
    const ended = await spillway(['run', '--', 'printf', '%s', HOSTILE], { cwd: temporaryFolder(), terminal: true })
    expect(ended.stdout).toContain(HOSTILE)
  })
})

describe('on a terminal', () => {
  const onTerminal = async (args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<string> =>
    (await spillway(args, { cwd, env, terminal: true })).stdout

  it.skipIf(!HAS_SCRIPT)('ls has a header and colors in a real terminal', async () => {
    const cwd = temporaryFolder()
    await put('x', cwd)
    const command = [process.execPath, BIN, 'ls'].map((word) => `'${word}'`).join(' ')
    const env = { TERM: 'xterm', NO_COLOR: '' }
    const { stdout } = await start('script', ['-qec', command, '/dev/null'], { cwd, env }).end
    expect(stdout).toMatch(/^\u001B\[2mREFERENCE/)
  })

  it('an error names the URL of the page for its code, but not in a pipe', async () => {
    const cwd = temporaryFolder()
    await put('x', cwd)
    const page = /^spillway: See https:\S+\/docs\/errors\.md#not-found\s*$/m
    expect(await onTerminal(['stat', 'nothing'], cwd)).toMatch(page)
    expect((await spillway(['stat', 'nothing'], { cwd })).stderr).not.toMatch(page)
  })

  it('get prints the numbered first lines of large content', async () => {
    const cwd = temporaryFolder()
    const reference = await put(numbered(5_000), cwd)
    const output = await onTerminal(['get', reference], cwd)
    expect(output).toContain('1| line 1 of the text')
    expect(output).toContain(`spillway get ${reference} --lines`)
    expect(output.length).toBeLessThan(20_000)
  })

  it('get does not print binary content', async () => {
    const cwd = temporaryFolder()
    const reference = await put(new Uint8Array([0x89, 0xff, 0, 1, 0xfe]), cwd)
    expect(await onTerminal(['get', reference], cwd)).toMatch(/^\[application\/octet-stream, 5 B: not shown/)
  })

  it('ls has a header, with colors unless NO_COLOR is set', async () => {
    const cwd = temporaryFolder()
    await put('x', cwd)
    expect(await onTerminal(['ls'], cwd)).toMatch(/^\u001B\[2mREFERENCE/)
    expect(await onTerminal(['ls'], cwd, { NO_COLOR: '1' })).toMatch(/^REFERENCE/)
  })

  it('put prints the command that searches the content, unless --quiet is set', async () => {
    const cwd = temporaryFolder()
    expect(await onTerminal(['put', BIN], cwd)).toMatch(/search it: spillway get bin_ts_\w+ --pattern REGEX/)
    expect(await onTerminal(['put', BIN, '--quiet'], cwd)).toMatch(/^bin_ts_\w+\n$/)
  })
})
