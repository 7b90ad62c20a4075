/** Installs the packed tarballs in empty projects outside the workspace and uses them as a stranger would. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ROOT } from './public-packages.ts'

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

const projects: string[] = []

describe('packed packages in an empty project', () => {
  let memory: string
  let file: string
  let cli: string

  beforeAll(async () => {
    memory = await install('@spillway/core', '@spillway/memory')
    file = await install('@spillway/core', '@spillway/file')
    cli = await install('@spillway/core', '@spillway/file', '@spillway/memory', 'spillway')
  })

  afterAll(() => {
    for (const folder of projects) rmSync(folder, { recursive: true })
  })

  it('bring no other package than core, the backend and re2js', () => {
    expect(installed(memory)).toEqual(['@spillway/core', '@spillway/memory', 're2js'])
    expect(installed(file)).toEqual(['@spillway/core', '@spillway/file', 're2js'])
    expect(installed(cli)).toEqual([
      '@spillway/core',
      '@spillway/file',
      '@spillway/memory',
      'commander',
      're2js',
      'spillway',
    ])
  })

  it('offload and retrieve from JavaScript', async () => {
    expect(await run(memory, 'memory.mjs')).toBe('offloaded\n')
    expect(await run(file, 'file.mjs')).toBe('text/plain kept\n')
  })

  it('pass conformance under node:test', async () => {
    expect(await run(memory, '--test', 'conformance.test.mjs')).toMatch(/pass [1-9]/)
  })

  it('pass conformance under vitest', async () => {
    borrow(memory, 'vitest')
    const output = await run(memory, 'node_modules/vitest/vitest.mjs', 'run', '--root', 'vitest', '--reporter=dot')
    expect(output).toMatch(/[1-9]\d* passed/)
  })

  it.each(['nodenext', 'bundler'])('type-check with strict and moduleResolution %s', async (moduleResolution) => {
    borrow(memory, 'vitest')
    borrow(memory, '@types/node')
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
    const options = { module, moduleResolution, strict: true, target: 'es2023', lib: ['es2023'], types: ['node'] }
    const compilerOptions = { ...options, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: true }
    writeFileSync(join(memory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }))
    expect(await run(memory, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.')).toBe('')
  })

  it('keep the output and the exit code of a command', async () => {
    const bin = join(cli, 'node_modules/spillway/dist/bin.js')
    const node = [
      process.execPath,
      '-e',
      'for (let i = 0; i < 20_000; i += 1) console.log("line " + i); process.exitCode = 3',
    ]
    const failure = await run(cli, bin, 'run', '--', ...node).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 3, output: expect.stringContaining('[Offloaded: ') as unknown })
  })
})

/** Make an empty project with npm and install the tarballs of these packages in it. */
async function install(...names: string[]): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-consumer-')))
  projects.push(folder)
  for (const [path, source] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), source)
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const tarballs = names.map((name) => inject('tarballs')[name] ?? expect.fail(`${name} was not packed`))
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  await execute(folder, 'npm', ['install', ...quiet, ...tarballs])
  return folder
}

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

/** Make a tool of the workspace available in a project, as if it had been installed there. */
function borrow(folder: string, name: string): void {
  const target = join(folder, 'node_modules', name)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), target, 'junction')
}

const run = (folder: string, ...args: string[]): Promise<string> => execute(folder, process.execPath, args)

function execute(folder: string, command: string, args: readonly string[]): Promise<string> {
  const shell = process.platform === 'win32' && command === 'npm'
  const { NODE_OPTIONS: _, VITEST: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder, shell, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      const output = stdout + stderr
      if (error === null) resolve(output)
      else reject(Object.assign(new Error(`${command} ${args.join(' ')}\n${output}`), { code: error.code, output }))
    })
  })
}
