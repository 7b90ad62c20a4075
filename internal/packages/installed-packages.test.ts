/** Installs the packed tarballs in empty projects outside the workspace and uses them as a stranger would. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { borrow, installProject, removeProjects, runIn, typecheckIn } from './consumer-project.ts'

const FILES: Readonly<Record<string, string>> = {
  'memory.mjs': `
    import { ContextOffloader, StorageError } from '@spillway/core'
    import { InMemoryStorage } from '@spillway/memory'

    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const session = offloader.forScope('tenant', 'thread')
    const text = Array.from({ length: 5_000 }, (_, index) => 'line ' + index).join('\\n')
    const content = [{ type: 'text', text }]
    const outcome = await session.offload({ toolName: 'read_log', toolCallId: 'call_1', content })
    const shown = JSON.stringify(outcome)
    if (!shown.includes('[Offloaded: ') || shown.length > text.length / 2) throw new Error(shown)
    const failure = await new InMemoryStorage().retrieve('none_000000').catch((error) => error)
    if (!StorageError.isInstance(failure)) throw failure
    console.log('offloaded')
  `,
  'file.mjs': `
    import { FileStorage } from '@spillway/file'

    const storage = new FileStorage('./artifacts')
    const reference = await storage.store('call_1', new TextEncoder().encode('kept'))
    const { content, contentType } = await storage.retrieve(reference)
    console.log(contentType, new TextDecoder().decode(content))
  `,
  'mcp.mjs': `
    import { Client } from '@modelcontextprotocol/client'
    import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

    const spillway = [process.execPath, 'node_modules/spillway/dist/bin.js', 'mcp']
    const [command, ...args] = [...spillway, 'proxy', '--', ...spillway, 'serve']
    const client = new Client({ name: 'c', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command, args }))
    const { tools } = await client.listTools()
    console.log(client.getServerVersion()?.name, ...tools.map(({ name }) => name).slice(0, 2))
    await client.close()
  `,
  'serve.mjs': `
    import { spawn } from 'node:child_process'

    const args = ['node_modules/spillway/dist/bin.js', 'serve', '--listen', '0', '--store', 'memory:', '--quiet']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const url = await new Promise((resolve) => child.stderr.on('data', (chunk) => resolve(/http:\\S+/.exec(chunk)?.[0])))
    const headers = { 'content-type': 'application/json' }
    const content = [{ type: 'text', text: 'a line of a log\\n'.repeat(9_000) }]
    const body = JSON.stringify({ toolName: 'read_log', toolCallId: 'call_1', content })
    const outcome = await (await fetch(url + '/v1/offload', { method: 'POST', headers, body })).json()
    const found = await fetch(url + '/grep', { method: 'POST', headers, body: JSON.stringify({ pattern: 'LOG', limit: 1 }) })
    console.log(outcome.status, (await found.json()).answer.slice(0, 13))
    child.kill()
  `,
  'conformance.test.mjs': `
    import { storageConformance } from '@spillway/core/conformance/node-test'
    import { InMemoryStorage } from '@spillway/memory'

    storageConformance({ name: 'installed', create: async () => ({ storage: new InMemoryStorage() }) })
  `,
  'vitest/conformance.test.mjs': `
    import { storageConformance } from '@spillway/core/conformance/vitest'
    import { InMemoryStorage } from '@spillway/memory'

    storageConformance({ name: 'installed', create: async () => ({ storage: new InMemoryStorage() }) })
  `,
  'types.ts': `
    import { ContextOffloader, createStorage, type ContentBlock, type Storage, type StorageDriver } from '@spillway/core'
    import * as conformance from '@spillway/core/conformance'
    import { storageConformance as nodeTest } from '@spillway/core/conformance/node-test'
    import { storageConformance as vitest } from '@spillway/core/conformance/vitest'
    import { InMemoryStorage } from '@spillway/memory'

    const storage: Storage = new InMemoryStorage({ evictAfterTurns: null })
    const offloader: ContextOffloader = new ContextOffloader({ storage, maxResultTokens: 1_000, previewTokens: 200 })
    export const own = (driver: StorageDriver): Storage => createStorage(driver)
    export const content: ContentBlock[] = [{ type: 'text', text: 'typed' }]
    export const create = async (): Promise<{ storage: Storage }> => ({ storage })
    export const register = (): void => {
      nodeTest({ name: 'typed', create })
      vitest({ name: 'typed', create })
    }
    export const names: string[] = Object.keys({ ...conformance, offloader })
    // @ts-expect-error A turn count is a number.
    new InMemoryStorage({ evictAfterTurns: 'twenty' })
  `,
}

/** The command line, and what it depends on of this workspace. */
const CLI = [
  '@spillway/claude-agent-sdk',
  '@spillway/core',
  '@spillway/file',
  '@spillway/mcp',
  '@spillway/memory',
  '@spillway/server',
  'spillway',
]

describe('packed packages in an empty project', () => {
  let memory: string
  let file: string
  let cli: string

  beforeAll(async () => {
    memory = await installProject(FILES, ['@spillway/core', '@spillway/memory'])
    file = await installProject(FILES, ['@spillway/core', '@spillway/file'])
    cli = await installProject(FILES, CLI)
  })

  afterAll(removeProjects)

  it('bring no other package than core, the backend, and what core depends on', () => {
    const [regexpp, ...others] = ['@eslint-community/regexpp', 'json-p3', 're2js']
    expect(installed(memory)).toEqual([regexpp, '@spillway/core', '@spillway/memory', ...others])
    expect(installed(file)).toEqual([regexpp, '@spillway/core', '@spillway/file', ...others])
    // What speaks MCP over HTTP comes with the SDK of it; agents of Claude, with a program of their own, do not.
    const [sdk, ours] = [/^@modelcontextprotocol\/(?:client|core|node|server)$/, new Set([...CLI, regexpp, ...others])]
    const surplus = installed(cli).filter((name) => !ours.has(name) && !sdk.test(name))
    expect(surplus).toEqual(expect.arrayContaining(['commander', 'hono', 'zod']))
    expect(surplus.length).toBeLessThan(25)
    expect(surplus.filter((name) => name.startsWith('@anthropic-ai/'))).toEqual([])
  })

  it('offload and retrieve from JavaScript', async () => {
    expect(await runIn(memory, 'memory.mjs')).toBe('offloaded\n')
    expect(await runIn(file, 'file.mjs')).toBe('text/plain kept\n')
  })

  it('pass conformance under node:test', async () => {
    expect(await runIn(memory, '--test', 'conformance.test.mjs')).toMatch(/pass [1-9]/)
  })

  it('pass conformance under vitest', async () => {
    borrow(memory, 'vitest')
    const output = await runIn(memory, 'node_modules/vitest/vitest.mjs', 'run', '--root', 'vitest', '--reporter=dot')
    expect(output).toMatch(/[1-9]\d* passed/)
  })

  it.each(['nodenext', 'bundler'])('type-check with strict and moduleResolution %s', async (moduleResolution) => {
    borrow(memory, 'vitest')
    expect(await typecheckIn(memory, 'types.ts', moduleResolution)).toBe('')
  })

  it('keep the output and the exit code of a command', async () => {
    const bin = join(cli, 'node_modules/spillway/dist/bin.js')
    const node = [
      process.execPath,
      '-e',
      'for (let i = 0; i < 20_000; i += 1) console.log("line " + i); process.exitCode = 3',
    ]
    const failure = await runIn(cli, bin, 'run', '--', ...node).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 3, output: expect.stringContaining('[Offloaded: ') as unknown })
  })

  it('serve over HTTP', async () => {
    expect(await runIn(cli, 'serve.mjs')).toBe('offloaded Found 1 match\n')
  })

  it('stand in front of an MCP server, and are one', async () => {
    expect(await runIn(cli, 'mcp.mjs')).toBe('spillway retrieve_offloaded_content offload_content\n')
  })
})

/** List every package below `node_modules`, at any depth, by name. */
function installed(folder: string, found: Set<string> = new Set()): string[] {
  const modules = join(folder, 'node_modules')
  for (const name of existsSync(modules) ? readdirSync(modules) : []) {
    if (name.startsWith('.')) continue
    const scoped = name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name]
    for (const one of scoped) {
      found.add(one)
      installed(join(modules, one), found)
    }
  }
  return [...found].toSorted()
}
