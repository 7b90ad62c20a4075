/** Tests `FileStorage` in the sandboxes of Strands: Docker, SSH, any other sandbox with a shell, and no sandbox. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, tool, type Message } from '@strands-agents/sdk'
import type { Sandbox } from '@strands-agents/sdk/sandbox'
import { DockerSandbox } from '@strands-agents/sdk/sandbox/docker'
import { SshSandbox } from '@strands-agents/sdk/sandbox/ssh'
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
import { FileStorage, NodeFileSystem, ShellFileSystem } from '@spillway/file'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { strandsStorage, type KeyedStorage } from '../../src/storage/index.ts'
import { temporaryDirectory } from './support/backends.ts'
import { LocalSandbox, standIns } from './support/local-sandbox.ts'
import { lastResult, referencesIn, ScriptedModel, type Turn } from './support/scripted-model.ts'

/** Programs that run a command on this machine as `docker exec` and `ssh` would, without a container or a server. */
const PROGRAMS = {
  docker: 'while [ "$1" != -- ]; do [ "$1" = -w ] && cd "$2"; shift; done; shift 2; exec "$@"',
  ssh: 'for last; do :; done; exec sh -c "$last"',
}
/** Programs that fail as if the container or the server were unreachable. */
const UNREACHABLE = {
  docker: 'echo "dial unix /var/run/docker.sock: connect: No such file or directory" >&2; exit 1',
  ssh: 'echo "Identity file key not accessible: No such file or directory" >&2; exit 255',
}

const sandboxes: readonly (readonly [string, (directory: string) => Sandbox])[] = [
  ['the sandbox that an agent has by itself', () => new Agent({ model: new ScriptedModel([]) }).sandbox],
  ['any sandbox with a shell', (directory) => new LocalSandbox(directory)],
  ['a container', (workingDir) => new DockerSandbox({ container: 'box', workingDir })],
  ['a machine behind SSH', (workingDir) => new SshSandbox({ host: 'box', workingDir })],
]

describe.each(sandboxes)('FileStorage in %s', (_name, make) => {
  const open = (directory: string, sandbox: Sandbox): FileStorage =>
    new FileStorage({ directory: join(directory, "it's here"), fileSystem: new ShellFileSystem(sandbox) })

  test('stores empty and large content, finds it again, lists and deletes it', async () => {
    await standIns(PROGRAMS)
    const directory = await temporaryDirectory()
    const sandbox = make(directory)
    const storage = open(directory, sandbox).scope('session-1')
    const contents = [0, 300_000].map((size) => Uint8Array.from({ length: size }, (_, at) => (at * 7) & 0xff))
    const references: string[] = []
    for (const content of contents) references.push(await storage.store('key', content, 'image/png'))
    const again = open(directory, sandbox).scope('session-1')
    for (const [index, reference] of references.entries()) {
      const { content, contentType } = await again.retrieve(reference)
      expect(Buffer.compare(content, contents[index] ?? new Uint8Array())).toBe(0)
      expect(contentType).toBe('image/png')
    }
    const part = await again.retrieveRange(references[1] ?? '', { offset: 299_990, length: 20 })
    expect(part.content).toEqual(contents[1]?.slice(299_990))
    // The same files, read directly on this machine.
    const here = new FileStorage(join(directory, "it's here")).scope('session-1')
    expect((await Array.fromAsync(here.list())).map(({ size }) => size).toSorted((a, b) => a - b)).toEqual([0, 300_000])
    expect(await again.clear()).toBe(2)
    await expect(again.retrieve(references[0] ?? '')).rejects.toMatchObject({ code: 'not-found' })
  })
})

test.each(sandboxes.slice(2))(
  '%s reports an outage, not missing content, if it is unreachable',
  async (_name, make) => {
    await standIns(UNREACHABLE)
    const fileSystem = new ShellFileSystem(make('/'))
    const storage = new FileStorage({ directory: '/artifacts', fileSystem })
    const message = expect.stringMatching(/No such file or directory/)
    const unavailable = { code: 'unavailable', retryable: true, message }
    await expect(storage.retrieve('call_1_0_abc')).rejects.toMatchObject(unavailable)
    await expect(storage.store('key', new Uint8Array(1))).rejects.toMatchObject(unavailable)
    await expect(strandsStorage(storage).read('offloader/key')).rejects.toMatchObject({ name: 'StorageError', message })
  },
)

describe("Strands' ContextOffloader", () => {
  const LOG = Array.from({ length: 2_000 }, (_, line) => `line ${line + 1} ${line === 999 ? 'FAILED' : 'ok'}`).join(
    '\n',
  )
  const readLog = tool({ name: 'read_log', description: 'Read.', inputSchema: z.object({}), callback: () => LOG })
  const search = (reference: string): Turn => ({
    tool: 'retrieve_offloaded_content',
    input: { reference, pattern: 'FAILED', context_lines: 0 },
  })
  const found = '[1 match for /FAILED/]\n\n> 1000| line 1000 FAILED'

  async function run(
    sandbox: Sandbox,
    storage: KeyedStorage | FileStorage,
    reference?: string,
  ): Promise<readonly string[]> {
    const own = (messages: Message[]): Turn => search(reference ?? referencesIn(lastResult(messages))[0] ?? '')
    const model = new ScriptedModel([...(reference === undefined ? [{ tool: 'read_log', input: {} }] : []), own])
    const plugins = [new ContextOffloader({ storage })]
    await new Agent({ model, tools: [readLog], plugins, sandbox, printer: false }).invoke('What failed?')
    return model.prompts.slice(1).map(lastResult)
  }
  const inSandbox = strandsStorage(
    (sandbox) =>
      new FileStorage({
        directory: join((sandbox as LocalSandbox).directory, 'artifacts'),
        fileSystem: new ShellFileSystem(sandbox),
      }),
  )

  test('keeps the content of each agent in its own sandbox', async () => {
    const [one, other] = [new LocalSandbox(await temporaryDirectory()), new LocalSandbox(await temporaryDirectory())]
    const [replaced = '', answer] = await run(one, inSandbox)
    expect(answer).toBe(found)
    const [reference = ''] = referencesIn(replaced)
    expect(await run(other, inSandbox, reference)).toEqual([`Error: reference not found: ${reference}`])
    expect(await run(one, inSandbox, reference)).toEqual([found])
    await access(join(one.directory, 'artifacts'))
    await expect(access(join(other.directory, 'artifacts'))).rejects.toThrow('ENOENT')
  })

  test('does not move a storage with its own file system into the sandbox', async () => {
    const directory = await temporaryDirectory()
    const sandbox = new LocalSandbox(directory)
    const storage = strandsStorage(
      new FileStorage({ directory: join(directory, 'own'), fileSystem: new NodeFileSystem() }),
    )
    expect(await run(sandbox, storage)).toEqual([expect.stringMatching(/^\[Offloaded: 1 blocks/), found])
    expect(sandbox.commands).toEqual([])
    await access(join(directory, 'own/offloader'))
  })

  test('keeps content in a sandbox in the legacy form too', async () => {
    const sandbox = new LocalSandbox(await temporaryDirectory())
    const directory = join(sandbox.directory, 'artifacts')
    const storage = new FileStorage({ directory, fileSystem: new ShellFileSystem(sandbox) })
    expect(await run(sandbox, storage)).toEqual([expect.stringMatching(/^\[Offloaded: 1 blocks/), found])
    expect(sandbox.commands.length).toBeGreaterThan(0)
    expect(await Array.fromAsync(new FileStorage(directory).list())).toHaveLength(1)
  })
})
