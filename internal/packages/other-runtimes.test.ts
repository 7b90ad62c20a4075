/** Runs the packed packages in Bun and Deno, whose programs come from npm. Only a full verification has these tests. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installProject, removeProjects } from './consumer-project.ts'

/** Prints the answers of each kind of call, for each storage that needs no server. */
const CALLS = `
  import { mkdtempSync } from 'node:fs'
  import { ContextOffloader } from '@spillway/core'
  import { compressed, encrypted } from '@spillway/core/wrappers'
  import { FileStorage } from '@spillway/file'
  import { InMemoryStorage } from '@spillway/memory'
  import { SqliteStorage } from '@spillway/sqlite'

  const lines = (count, line) => Array.from({ length: count }, (_, index) => line(index)).join('\\n')
  const log = lines(9_000, (index) => 'GET /item/' + index + (index === 7_777 ? ' 500' : ' 200'))
  const csv = 'id,amount\\n' + lines(3_000, (index) => index + ',' + 3 * index)
  const json = JSON.stringify({ items: Array.from({ length: 3_000 }, (_, id) => ({ id, name: 'item ' + id })) })
  const asked = [
    [log, [{ pattern: ' 500$' }, { pattern: '(a+)+$' }, { pattern: '(?<=item/)7777' }, { query: 'item 7777' }]],
    [log, [{ line_range: { start: 5, end: 6 } }, { pattern: '(\\\\d|\\\\d\\\\d)+\\\\1x' }]],
    [csv, [{ sql: 'SELECT count(*), sum(amount) FROM t' }]],
    [json, [{ json_path: '$.items[7].name' }]],
  ]
  const folder = mkdtempSync('stores-')
  const storages = {
    memory: new InMemoryStorage(),
    file: new FileStorage(folder + '/files'),
    sqlite: new SqliteStorage(folder + '/store.db'),
    wrapped: compressed(encrypted(new InMemoryStorage(), { key: new Uint8Array(32).fill(7) })),
  }
  for (const [name, storage] of Object.entries(storages)) {
    const session = new ContextOffloader({ storage }).forScope('tenant', name)
    for (const [index, [text, calls]] of asked.entries()) {
      const content = [{ type: 'text', text }]
      const outcome = await session.offload({ toolName: 'read', toolCallId: 'call_' + index, content })
      const [{ reference }] = outcome.stored
      console.log(outcome.content[0].text)
      for (const call of calls) {
        const answer = await session.retrievalTool.execute({ reference, ...call })
        console.log(answer.isError ? answer.code : answer.content[0].text)
      }
    }
    await storage.close?.()
  }
`

const run = promisify(execFile)
let project: string

/** How each program runs a module. */
const RUNTIMES = {
  bun: ['node_modules/.bin/bun'],
  deno: ['node_modules/.bin/deno', 'run', '--allow-all'],
} as const

/** Run the calls, and return what they print. */
async function output([program = '', ...args]: readonly string[]): Promise<string> {
  const { stdout } = await run(program, [...args, 'calls.mjs'], { cwd: project })
  return stdout
}

beforeAll(async () => {
  const packed = ['@spillway/cli', '@spillway/core', '@spillway/file', '@spillway/memory', '@spillway/sqlite']
  project = await installProject({ 'calls.mjs': CALLS }, packed, ['better-sqlite3', 'bun', 'deno'])
})
afterAll(removeProjects)

describe.each(Object.entries(RUNTIMES))('%s', (_name, command) => {
  it('gives the same previews and answers as Node.js, with each storage that needs no server', async () => {
    const expected = await output([process.execPath])
    expect(expected.match(/Offloaded: 1 block/g)).toHaveLength(16)
    expect(await output(command)).toBe(expected)
  })

  it('runs a command, and keeps its output and exit code', async () => {
    const [program, ...args] = command
    const cwd = mkdtempSync(join(project, 'run-'))
    const bin = join(project, 'node_modules/@spillway/cli/dist/bin.js')
    const failing = [bin, 'run', '--', 'sh', '-c', 'seq 1 50000; exit 3']
    const failure = await run(join(project, program), [...args, ...failing], { cwd }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 3, stdout: expect.stringMatching(/Offloaded: [^]*50,000 lines/) as unknown })
  })
})
