/** The protocol's own inspector, by its command line, through a proxy that is a process. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
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

/** Run the inspector before a proxy before the server of files, and return what it prints. */
async function inspect(...args: readonly string[]): Promise<unknown> {
  const { command, args: server = [] } = referenceServer('filesystem', [directory])
  const all = [INSPECTOR, '--cli', process.execPath, PROXY, join(directory, 'storage'), command, ...server, ...args]
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: 100_000_000, timeout: 30_000 })
  return JSON.parse(stdout) as unknown
}

describe('the inspector', { timeout: 60_000 }, () => {
  it('lists the tools of the server and the retrieval tool', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('read_text_file')
    expect(tools.at(-1)?.name).toBe(RETRIEVAL_TOOL_NAME)
  })

  it('calls tools: small results as they are, large ones as previews', async () => {
    const call = (name: string): Promise<unknown> =>
      inspect('--method', 'tools/call', '--tool-name', 'read_text_file', '--tool-arg', `path=${join(directory, name)}`)
    expect(await call('small.txt')).toMatchObject({
      content: [{ type: 'text', text: 'all is well' }],
      structuredContent: { content: 'all is well' },
    })
    expect(await call('large.log')).toMatchObject({
      content: [
        { type: 'text', text: expect.stringMatching(/^\[Offloaded: 1 block[^]*line 5000: all is well/) as string },
      ],
      _meta: { 'spillway/offloaded': { stored: [{ type: 'text', size: LOG.length }] } },
    })
  })

  it('follows a reference by the retrieval tool, in another process', async () => {
    const path = join(directory, 'large.log')
    const { _meta: meta } = (await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'read_text_file',
      '--tool-arg',
      `path=${path}`,
    )) as {
      _meta: Record<string, { stored: { reference: string }[] }>
    }
    const reference = `reference=${meta['spillway/offloaded']?.stored[0]?.reference}`
    const args = ['--tool-name', RETRIEVAL_TOOL_NAME, '--tool-arg', reference, '--tool-arg', 'pattern=line 4321:']
    const { content } = (await inspect('--method', 'tools/call', ...args)) as { content: { text: string }[] }
    expect(content[0]?.text).toContain('> 4321| line 4321: all is well')
  })
})
