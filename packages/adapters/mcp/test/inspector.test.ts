/** Tests the protocol's inspector on the command line, through a proxy process. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isFull } from '@spillway-internal/test-run'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { referenceServer } from './reference-servers.ts'

const INSPECTOR = join(
  import.meta.dirname,
  '../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const PROXY = join(import.meta.dirname, 'programs/proxy.ts')
const LOG = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}: all is well`).join('\n')

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-inspector-'))
  await writeFile(join(directory, 'large.log'), LOG)
  await writeFile(join(directory, 'small.txt'), 'all is well')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Run the inspector with a proxy and the filesystem server, and return the output. */
async function inspect(...args: readonly string[]): Promise<unknown> {
  const { command, args: server = [] } = referenceServer('filesystem', [directory])
  const proxy = [process.execPath, PROXY, join(directory, 'storage'), command, ...server]
  // On a busy machine, four processes start in more than the usual 15 seconds.
  const all = [INSPECTOR, '--cli', ...proxy, ...args, '--connect-timeout', '60000']
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: 100_000_000 })
  return JSON.parse(stdout) as unknown
}

const callTool = (name: string, ...args: readonly string[]): Promise<unknown> =>
  inspect('--method', 'tools/call', '--tool-name', name, ...args.flatMap((arg) => ['--tool-arg', arg]))

describe('the inspector', () => {
  it('shows a large result as a preview, whose reference another process can read', async () => {
    const shown = (await callTool('read_text_file', `path=${join(directory, 'large.log')}`)) as {
      _meta: Record<string, { stored: { reference: string }[] }>
    }
    expect(shown).toMatchObject({
      content: [
        { type: 'text', text: expect.stringMatching(/^\[Offloaded: 1 block[^]*line 5000: all is well/) as string },
      ],
      _meta: { 'spillway/offloaded': { stored: [{ type: 'text', size: LOG.length }] } },
    })
    const reference = shown._meta['spillway/offloaded']?.stored[0]?.reference
    const { retrievalTool } = new ContextOffloader({ storage: new FileStorage(join(directory, 'storage')) })
    // For each change, the test is the other process: a call through the inspector starts four.
    const search = isFull
      ? callTool(RETRIEVAL_TOOL_NAME, `reference=${reference}`, 'pattern=line 4321:')
      : retrievalTool.execute({ reference, pattern: 'line 4321:' })
    const found = { content: [{ type: 'text', text: expect.stringContaining('> 4321| line 4321: all is well') }] }
    expect(await search).toMatchObject(found)
  })

  // Each call starts four processes. For each change, tests with an SDK client prove the same.
  it.runIf(isFull)('lists the tools of the server, and the retrieval tool last [full verification]', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('read_text_file')
    expect(tools.at(-1)?.name).toBe(RETRIEVAL_TOOL_NAME)
  })

  it.runIf(isFull)('shows a small result unchanged [full verification]', async () => {
    expect(await callTool('read_text_file', `path=${join(directory, 'small.txt')}`)).toMatchObject({
      content: [{ type: 'text', text: 'all is well' }],
      structuredContent: { content: 'all is well' },
    })
  })
})
