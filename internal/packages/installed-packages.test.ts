/** Installs the packed tarballs in empty projects outside of the workspace, and uses them like a user would. */
import { makePdf } from '../test-inputs/src/make-pdf.ts'
import { build } from 'esbuild'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { borrow, installProject, removeProjects, runIn, typecheckIn } from './consumer-project.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { chosen } from './public-packages.ts'

const OFFLOADING = `
  const main = async () => {
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
  }
  main()
`

const FILES: Readonly<Record<string, string>> = {
  'memory.mjs': `
    import { ContextOffloader, StorageError } from '@spillway/core'
    import { InMemoryStorage } from '@spillway/memory'
    ${OFFLOADING}
  `,
  'memory.cjs': `
    const { ContextOffloader, StorageError } = require('@spillway/core')
    const { InMemoryStorage } = require('@spillway/memory')
    ${OFFLOADING}
  `,
  'preloaded.mjs': `
    import { registerHooks } from 'node:module'
    import { ContextOffloader, preload } from '@spillway/core'
    import { InMemoryStorage } from '@spillway/memory'

    await preload()
    registerHooks({
      load(url, context, next) {
        if (url.includes('@spillway')) console.log(url)
        return next(url, context)
      },
    })
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const content = [{ type: 'text', text: 'a line of a log\\n'.repeat(9_000) }]
    const outcome = await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content })
    const reference = outcome.stored[0].reference
    for (const asked of [{ pattern: 'log' }, { query: 'log' }, { json_path: '$' }, { sql: 'SELECT 1' }])
      await offloader.retrievalTool.execute({ reference, ...asked })
    console.log(outcome.status)
  `,
  'sql.mjs': `
    import { ContextOffloader } from '@spillway/core'
    import { InMemoryStorage } from '@spillway/memory'

    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const text = 'id,amount\\n' + Array.from({ length: 9_000 }, (_, id) => id + ',' + 2 * id).join('\\n')
    const outcome = await offloader.offload({ toolName: 'read', toolCallId: 'call_1', content: [{ type: 'text', text }] })
    const call = { reference: outcome.stored[0].reference, sql: 'SELECT sum(amount) FROM t' }
    const { content } = await offloader.retrievalTool.execute(call)
    console.log('sql' in offloader.retrievalTool.inputSchema.properties, content[0].text.replaceAll('\\n', ' '))
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

    const spillway = [process.execPath, 'node_modules/@spillway/cli/dist/bin.js', 'mcp']
    const [command, ...args] = [...spillway, 'proxy', '--', ...spillway, 'serve']
    const client = new Client({ name: 'c', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command, args }))
    const { tools } = await client.listTools()
    console.log(client.getServerVersion()?.name, ...tools.map(({ name }) => name).slice(0, 2))
    await client.close()
  `,
  'serve.mjs': `
    import { spawn } from 'node:child_process'

    const args = ['node_modules/@spillway/cli/dist/bin.js', 'serve', '--listen', '0', '--store', 'memory:', '--quiet']
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
  'installed.mjs': `
    import { ContextOffloader } from '@spillway/core'
    import { InMemoryStorage } from '@spillway/memory'

    const events = []
    const storage = new InMemoryStorage()
    const offloader = new ContextOffloader({ storage, maxResultTokens: 1_000, onEvent: ({ type }) => events.push(type) })
    const data = new Uint8Array(Buffer.from('${Buffer.from(makePdf(Array.from({ length: 200 }, () => ['A page of the report']))).toString('base64')}', 'base64'))
    const pdf = { type: 'document', mediaType: 'application/pdf', name: 'report.pdf', data }
    const document = await offloader.offload({ toolName: 'read', toolCallId: 'call_1', content: [pdf] })
    console.log(document.content[0].text.includes('A page of the report'), document.stored.length)
    const text = 'const\\n  total = (a: number) => {\\n    return a\\n  }\\n'.repeat(900)
    const input = { path: 'a.ts' }
    const code = await offloader.offload({ toolName: 'read_file', toolCallId: 'call_2', input, content: [{ type: 'text', text }] })
    console.log(code.content[0].text.includes('total'), events.join(' '))
  `,
  'browser.mjs': `
    export { ContextOffloader } from '@spillway/core'
    export { InMemoryStorage } from '@spillway/memory'
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

/** The command line, and the workspace packages that it depends on. */
const CLI = [
  '@spillway/claude-agent-sdk',
  '@spillway/cli',
  '@spillway/core',
  '@spillway/file',
  '@spillway/history',
  '@spillway/inspector',
  '@spillway/mcp',
  '@spillway/memory',
  '@spillway/previews',
  '@spillway/server',
  '@spillway/text',
]

/** Core, and all its dependencies. */
const CORE = [
  '@eslint-community/regexpp',
  '@spillway/core',
  '@spillway/previews',
  '@spillway/text',
  '@sqlite.org/sqlite-wasm',
  'json-p3',
]

/** npm, like most users, takes three CPU seconds for each project. pnpm links to already unpacked packages. */
const INSTALLER = isFull ? 'npm' : 'pnpm-links'

afterAll(removeProjects)

/** The tests of each installed package, by its path from the root. */
const SUITES = {
  'packages/storage/memory': () => {
    let memory: string

    beforeAll(async () => {
      memory = await installProject(FILES, ['@spillway/core', '@spillway/memory'])
    })

    it('an installation of core contains only core and its dependencies', () => {
      expect(installed(memory)).toEqual([...CORE, '@spillway/memory'].toSorted())
    })

    it('offloading works in JavaScript, as an ES module and in CommonJS', async () => {
      expect(await runIn(memory, 'memory.mjs')).toBe('offloaded\n')
      expect(await runIn(memory, 'memory.cjs')).toBe('offloaded\n')
    })

    it('core loads no further modules for results and retrievals after preload', async () => {
      expect(await runIn(memory, 'preloaded.mjs')).toBe('offloaded\n')
    })

    it('content of missing libraries is described without an error', async () => {
      expect(await runIn(memory, 'installed.mjs')).toBe('false 1\ntrue offload offload\n')
    })

    it('SQL needs an optional package, and is not offered without it', async () => {
      expect(await runIn(memory, 'sql.mjs')).toMatch(
        /^true \[1 row; over 9,000 stored rows\] <<< \w+: untrusted content row\| sum\(amount\) 1\| 80991000 /,
      )
      rmSync(join(memory, 'node_modules/@sqlite.org'), { recursive: true })
      expect(await runIn(memory, 'sql.mjs')).toBe('false Error: SQL is not available here. Use pattern to find rows.\n')
    })

    it('core can be bundled for browsers without optional packages', async () => {
      const options = { bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' } as const
      const bundled = await build({ ...options, entryPoints: [join(memory, 'browser.mjs')] })
      expect(bundled).toMatchObject({ errors: [], warnings: [] })
    })

    it('the backend passes conformance under node:test', async () => {
      const cases = isFull ? [] : ['--test-name-pattern=reference/']
      expect(await runIn(memory, '--test', ...cases, 'conformance.test.mjs')).toMatch(/pass [1-9]/)
    })

    it('the backend passes conformance under vitest', async () => {
      borrow(memory, 'vitest')
      const args = ['run', '--root', 'vitest', '--reporter=dot', ...(isFull ? [] : ['-t', 'reference/'])]
      const output = await runIn(memory, 'node_modules/vitest/vitest.mjs', ...args)
      expect(output).toMatch(/[1-9]\d* passed/)
    })

    it.each(['nodenext', 'bundler'])('types check with strict and moduleResolution %s', async (moduleResolution) => {
      borrow(memory, 'vitest')
      expect(await typecheckIn(memory, 'types.ts', moduleResolution)).toBe('')
    })
  },

  'packages/storage/file': () => {
    let file: string

    beforeAll(async () => {
      file = await installProject(FILES, ['@spillway/core', '@spillway/file'], [], INSTALLER)
    })

    it('an installation of a backend contains only the backend, core, and its dependencies', () => {
      expect(installed(file)).toEqual([...CORE, '@spillway/file'].toSorted())
    })

    it('storing and retrieving works from JavaScript', async () => {
      expect(await runIn(file, 'file.mjs')).toBe('text/plain kept\n')
    })
  },

  'packages/previews': () => {
    it.each(isFull ? (['npm', 'pnpm'] as const) : ([INSTALLER] as const))(
      'the command line uses the packages that a project has installed with %s',
      async (installer) => {
        const project = await installProject(FILES, ['@spillway/core', '@spillway/memory'], ['unpdf'], installer)
        expect(await runIn(project, 'installed.mjs')).toBe('true 2\ntrue offload offload\n')
      },
    )
  },

  'packages/cli': () => {
    let cli: string

    beforeAll(async () => {
      // The test uses the client. It is a dependency of the command line, but pnpm hides it.
      cli = await installProject(FILES, CLI, ['@modelcontextprotocol/client'], INSTALLER)
    })

    it('the command line installs few other packages', () => {
      // The SDK of MCP includes its HTTP packages. The SDK of Claude's agents, which contains a program, must not be
      // installed.
      const [sdk, ours] = [/^@modelcontextprotocol\/(?:client|core|node|server)$/, new Set([...CLI, ...CORE])]
      const surplus = installed(cli).filter((name) => !ours.has(name) && !sdk.test(name))
      expect(surplus).toEqual(expect.arrayContaining(['commander', 'hono', 'zod']))
      expect(surplus.length).toBeLessThan(25)
      expect(surplus.filter((name) => name.startsWith('@anthropic-ai/'))).toEqual([])
    })

    it('the command line keeps the output and the exit code of a command', async () => {
      const bin = join(cli, 'node_modules/@spillway/cli/dist/bin.js')
      const node = [
        process.execPath,
        '-e',
        'for (let i = 0; i < 20_000; i += 1) console.log("line " + i); process.exitCode = 3',
      ]
      const failure = await runIn(cli, bin, 'run', '--', ...node).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 3, output: expect.stringContaining('[Offloaded: ') as unknown })
    })

    it('the command line serves over HTTP', async () => {
      expect(await runIn(cli, 'serve.mjs')).toBe('offloaded Found 1 match\n')
    })

    it('the command line works as a proxy of an MCP server, and as an MCP server', async () => {
      expect(await runIn(cli, 'mcp.mjs')).toBe('spillway retrieve_offloaded_content offload_content\n')
    })
  },
}

describe.each(chosen(Object.entries(SUITES), ([folder]) => folder))('%s in an empty project', (_folder, suite) => {
  suite()
})

/** List the names of all packages that are installed in a project, from the lock file of npm or pnpm. */
function installed(folder: string): string[] {
  const [npm, pnpm] = [join(folder, 'package-lock.json'), join(folder, 'pnpm-lock.yaml')]
  const names = existsSync(npm)
    ? readFileSync(npm, 'utf8').matchAll(/^ {4}".*node_modules\/(.+)": \{$/gm)
    : /\npackages:[^]*\nsnapshots:/.exec(readFileSync(pnpm, 'utf8'))?.[0].matchAll(/^ {2}'?(@?[^@\s]+)@.*:$/gm)
  return [...new Set([...(names ?? [])].map(([, name = '']) => name))].toSorted()
}
