import { describe, expect, test } from 'vitest'
import { BIN, HAS_SCRIPT, put, numbered, spillway, start, temporaryFolder } from '../test/spillway.ts'

const COMMANDS = ['run', 'put', 'get', 'grep', 'ls', 'stat', 'rm', 'gc', 'stats', 'conformance', 'hook']

test('prints its version', async () => {
  expect((await spillway(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/)
})

test('explains itself and each command, with examples and exit codes', async () => {
  const { code, stdout, stderr } = await spillway(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  expect(stdout).toContain('Exit codes:')
  expect(await spillway(['run', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--preview-tokens'),
  })
})

test.each([
  [['lss'], /unknown command 'lss'.*Did you mean ls/],
  [['ls', '--jsno'], /unknown option '--jsno'.*--json.*See spillway ls --help\./],
  [['stat'], /missing required argument 'reference'\. See spillway stat --help\./],
  [['ls', 'extra'], /too many arguments/],
  [['ls', '--store', 'foo:bar'], /no backend for foo: stores\. Known stores: file:/],
  [['ls', '--store', './dir'], /A store is named by a URL, such as file:\.\/dir\./],
  [['ls', '--store', 'memory:'], /memory: keeps nothing .*spillway run/],
  [['ls', '--scope', 'a//b'], /non-empty segments/],
])('refuses %j in one line that says what to do', async (args, message) => {
  const ended = await spillway(args, { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(message)
  expect(ended.stderr.split('\n')).toHaveLength(2)
})

test('prints its help, as an error, where no command was given', async () => {
  const ended = await spillway([])
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/^Usage: spillway/)
})

test('prints a wrong command line as JSON where that was asked for', async () => {
  const { code, stdout, stderr } = await spillway(['ls', '--bogus', '--json'], { cwd: temporaryFolder() })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } })
})

test.each([
  ['redis://user:hunter2@host', '@spillway/redis', '@spillway/redis ioredis'],
  ['sqlite:./x.db', '@spillway/sqlite', '@spillway/sqlite better-sqlite3'],
  ['s3://bucket', '@spillway/s3', '@spillway/s3 @aws-sdk/client-s3'],
])('says what to install for %s where that is not there, and never shows a password', async (store, name, packages) => {
  const env = { NODE_OPTIONS: `--import=${withoutPackage(name)}` }
  const ended = await spillway(['ls', '--store', store], { cwd: temporaryFolder(), env })
  expect(ended).toMatchObject({ code: 3, stdout: '' })
  expect(ended.stderr).toContain(`npm install ${packages} `)
  expect(ended.stderr).not.toContain('hunter2')
})

/** A module that lets Node.js look for a package where there is none. */
function withoutPackage(name: string): string {
  const source = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (specifier, context, next) =>
      next(specifier, specifier === '${name}' ? { ...context, parentURL: 'file:///nowhere/at-all.js' } : context) })`
  return `data:text/javascript,${encodeURIComponent(source)}`
}

test('shows where an error comes from only with SPILLWAY_DEBUG', async () => {
  const cwd = temporaryFolder()
  expect((await spillway(['stat', 'nothing'], { cwd })).stderr).not.toContain('    at ')
  expect((await spillway(['stat', 'nothing'], { cwd, env: { SPILLWAY_DEBUG: '1' } })).stderr).toContain('    at ')
})

test('finds store and scope in the environment; options go first', async () => {
  const cwd = temporaryFolder()
  const env = { SPILLWAY_STORE: 'file:./from-env', SPILLWAY_SCOPE: 'a/b' }
  const { stdout } = await spillway(['put'], { cwd, env, input: 'text' })
  const args = ['stat', stdout.trim(), '--store', 'file:./from-env', '--scope', 'a', '--scope', 'b']
  expect(await spillway(args, { cwd })).toMatchObject({ code: 0 })
  expect(await spillway(['ls', '--store', 'file:./other'], { cwd, env })).toMatchObject({ code: 0, stdout: '' })
  expect(await spillway(['ls', '--scope', 'c'], { cwd, env })).toMatchObject({ code: 0, stdout: '' })
})

// Each command is a process that the terminal starts, and some tests take several.
describe.skipIf(!HAS_SCRIPT)('on a terminal', { timeout: 60_000 }, () => {
  const onTerminal = async (
    args: readonly string[],
    cwd: string,
    env: Record<string, string> = {},
  ): Promise<string> => {
    const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ')
    const { end } = start('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { TERM: 'xterm', NO_COLOR: '', ...env },
    })
    return (await end).stdout
  }

  test('get prints the numbered first lines of what is large', async () => {
    const cwd = temporaryFolder()
    const reference = await put(numbered(5_000), cwd)
    const output = await onTerminal(['get', reference], cwd)
    expect(output).toContain('1| line 1 of the text')
    expect(output).toContain(`spillway get ${reference} --lines`)
    expect(output.length).toBeLessThan(20_000)
  })

  test('get and grep let no escape sequence but colours through; a pipe gets the bytes', async () => {
    const cwd = temporaryFolder()
    const reference = await put('a \u001B]0;owned\u0007 \u001B[31mred\u001B[0m\n', cwd)
    for (const args of [
      ['get', reference, '--lines', '1'],
      ['grep', 'red'],
    ]) {
      expect(await onTerminal(args, cwd)).toContain('a �]0;owned� \u001B[31mred\u001B[0m')
      expect((await spillway(args, { cwd })).stdout).toContain('a \u001B]0;owned\u0007 \u001B[31mred')
    }
  })

  test('get does not print bytes that are no text', async () => {
    const cwd = temporaryFolder()
    const reference = await put(new Uint8Array([27, 0, 99]), cwd)
    expect(await onTerminal(['get', reference], cwd)).toMatch(/^\[application\/octet-stream, 3 B: not shown/)
  })

  test('ls has a header, and there are colours unless NO_COLOR is set', async () => {
    const cwd = temporaryFolder()
    await put('x', cwd)
    expect(await onTerminal(['ls'], cwd)).toMatch(/^\u001B\[2mREFERENCE/)
    expect(await onTerminal(['ls'], cwd, { NO_COLOR: '1' })).toMatch(/^REFERENCE/)
  })

  test('put says how to get it back, unless told to be quiet', async () => {
    const cwd = temporaryFolder()
    expect(await onTerminal(['put', BIN], cwd)).toMatch(/search it: spillway get bin_ts_\w+ --pattern REGEX/)
    expect(await onTerminal(['put', BIN, '--quiet'], cwd)).toMatch(/^bin_ts_\w+\r\n$/)
  })
})
