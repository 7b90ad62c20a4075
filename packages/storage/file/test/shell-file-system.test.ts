import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { smallDisk } from '@spillway-internal/services'
import { afterAll, describe, expect, test } from 'vitest'
import { fileErrorCode } from '../src/file-system.ts'
import { FileStorage, NodeFileSystem, ShellFileSystem, type FileSystem, type Shell } from '../src/index.ts'
import { shellStep } from '../src/shell-file-system.ts'
import { listFiles } from './support/list-files.ts'
import { LocalShell, localShells } from './support/local-shell.ts'
import { StandingShell } from './support/standing-shell.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, text } from './support/text.ts'

/** Longest argument of a program on Linux. */
const MAX_COMMAND_BYTES = 131_071

/** Outcome of a call: the code of its failure, or its result without values that differ between two file systems. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    const result = await call
    const { kind, size, content, status } = Object(result) as Partial<Record<string, unknown>>
    if (kind === 'file') return { kind, size }
    if (kind !== undefined) return { kind }
    return content === undefined ? (result ?? 'done') : { text: text(content as Uint8Array), size: Object(status).size }
  } catch (error) {
    return fileErrorCode(error) ?? error
  }
}

/** Run the same calls on a new directory, and return the outcome of each. */
async function outcomes(fileSystem: FileSystem): Promise<unknown[]> {
  const root = await temporaryDirectory()
  const at = (path: string): string => join(root, path)
  await mkdir(at('folder/full'), { recursive: true })
  await mkdir(at('folder/empty'))
  await writeFile(at("folder/it's $HOME"), 'content')
  await writeFile(at('folder/-n'), '')
  await writeFile(at('folder/two\nlines'), '')
  await writeFile(at('folder/.hidden'), '')
  await writeFile(at('folder/full/file'), 'in full')
  await symlink(at('folder/full/file'), at('folder/link'))
  await symlink(at('folder/full'), at('folder/link to folder'))
  await symlink(at('nowhere'), at('folder/dangling'))
  execFileSync('mkfifo', [at('folder/pipe')])
  const write = async (path: string, ...pieces: Uint8Array[]): Promise<void> => {
    const file = await fileSystem.createFile(at(path))
    for (const piece of pieces) await file.write(piece)
    await file.close()
  }
  const list = async (path: string): Promise<unknown> => {
    const items = await Array.fromAsync(fileSystem.list(at(path)))
    return items.map(({ name, kind }) => `${kind} ${name}`).sort()
  }
  const everywhere = [
    "folder/it's $HOME",
    'folder/full',
    'folder/link',
    'folder/link to folder',
    'folder/dangling',
    'folder/pipe',
    'none',
    'none/none',
    "folder/it's $HOME/none",
  ]
  const calls: (() => Promise<unknown>)[] = [
    ...everywhere.map((path) => () => fileSystem.stat(at(path))),
    ...everywhere.map((path) => () => fileSystem.readFile(at(path))),
    ...['folder', 'folder/empty', 'folder/full', 'none', "folder/it's $HOME"].map((path) => () => list(path)),
    ...['folder/full', 'folder/link to folder', 'none', 'folder/dangling'].map((path) => async () => {
      return (await fileSystem.realPath(at(path))).slice(root.length)
    }),
    () => fileSystem.readFile(at("folder/it's $HOME"), { offset: 3, length: 2 }),
    () => fileSystem.readFile(at("folder/it's $HOME"), { offset: 3, length: 100 }),
    () => fileSystem.readFile(at("folder/it's $HOME"), { offset: 100, length: 1 }),
    () => fileSystem.readFile(at("folder/it's $HOME"), { offset: 0, length: 0 }),
    () => write('new', bytes('one '), new Uint8Array(), bytes('two')),
    () => fileSystem.readFile(at('new')),
    () => write('new', bytes('again')),
    () => write('none/new', bytes('again')),
    () => write('folder/dangling', bytes('again')),
    () => write('empty'),
    () => fileSystem.readFile(at('empty')),
    () => fileSystem.createDirectory(at('made')),
    () => fileSystem.createDirectory(at('made')),
    () => fileSystem.createDirectory(at('new')),
    () => fileSystem.createDirectory(at('none/made')),
    () => fileSystem.createDirectory(at('new/made')),
    () => fileSystem.link?.(at('new'), at('linked')) ?? Promise.reject(new Error('no links')),
    () => fileSystem.link?.(at('new'), at('linked')) ?? Promise.reject(new Error('no links')),
    () => fileSystem.link?.(at('new'), at('made')) ?? Promise.reject(new Error('no links')),
    () => fileSystem.link?.(at('none'), at('linked too')) ?? Promise.reject(new Error('no links')),
    () => fileSystem.link?.(at('new'), at('none/linked')) ?? Promise.reject(new Error('no links')),
    () => fileSystem.rename(at('linked'), at('renamed')),
    () => fileSystem.rename(at('renamed'), at('empty')),
    () => fileSystem.rename(at('none'), at('renamed')),
    () => fileSystem.rename(at('empty'), at('none/renamed')),
    () => fileSystem.rename(at('empty'), at('made')),
    () => fileSystem.removeFile(at('empty')),
    () => fileSystem.removeFile(at('empty')),
    () => fileSystem.removeFile(at('folder/link')),
    () => fileSystem.removeDirectory(at('made')),
    () => fileSystem.removeDirectory(at('made')),
    () => fileSystem.removeDirectory(at('folder')),
    () => list(''),
  ]
  const all: unknown[] = []
  for (const call of calls) all.push(await outcomeOf(call()))
  const { mode } = await stat(at('new'))
  return [...all, mode & 0o777]
}

describe.each(localShells())('ShellFileSystem with %s', (_name, program) => {
  const shell = new StandingShell(program)

  test('behaves and fails like the file system of Node.js', async () => {
    expect(await outcomes(new ShellFileSystem(shell))).toEqual(await outcomes(new NodeFileSystem()))
  })

  test('stores any bytes with commands below the length limit', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage({ directory, fileSystem: new ShellFileSystem(shell) })
    for (const size of [0, 1, 65_536, 65_537, 74_000, 76_000, 1_000_001]) {
      const content = Uint8Array.from({ length: size }, (_, at) => (at * 31) & 0xff)
      const reference = await storage.store(`${size} bytes`, content, 'application/octet-stream')
      expect(Buffer.compare(await readFile(join(directory, `${reference}.bin`)), content)).toBe(0)
      expect(Buffer.compare((await storage.retrieve(reference)).content, content)).toBe(0)
    }
    expect(Math.max(...shell.commands.map((command) => Buffer.byteLength(command)))).toBeLessThan(MAX_COMMAND_BYTES)
  })

  test('runs operations up to the first failure', async () => {
    const fileSystem = new ShellFileSystem(shell)
    const directory = await temporaryDirectory()
    await mkdir(directory)
    await mkdir(join(directory, 'folder'))
    await symlink(join(directory, 'folder'), join(directory, 'link'))
    const path = join(directory, "it's new")
    const content = bytes('content')
    const steps = [
      { step: 'isReal', path: join(directory, 'folder') },
      { step: 'isMissing', path },
      { step: 'create', path, content },
      { step: 'isFile', path, size: 7 },
      { step: 'link', from: path, to: join(directory, 'linked') },
      { step: 'remove', path },
    ] as const
    expect(await fileSystem.runSteps(steps)).toBe(6)
    expect(await readFile(join(directory, 'linked'), 'utf8')).toBe('content')
    const failing = [
      { step: 'isReal', path: join(directory, 'link') },
      { step: 'isReal', path: join(directory, 'none') },
      { step: 'isMissing', path: join(directory, 'link') },
      { step: 'isFile', path: join(directory, 'linked'), size: 8 },
      { step: 'isFile', path: join(directory, 'folder'), size: 0 },
      { step: 'create', path: join(directory, 'linked'), content },
      { step: 'create', path: join(directory, 'none/new'), content },
      { step: 'create', path: join(directory, 'dated'), content, modifiedAt: 1 },
      { step: 'link', from: join(directory, 'linked'), to: join(directory, 'folder') },
      { step: 'link', from: join(directory, 'none'), to: join(directory, 'new') },
      { step: 'remove', path },
    ] as const
    for (const step of failing) expect(await fileSystem.runSteps([{ step: 'isMissing', path }, step, ...steps])).toBe(1)
    expect(await fileSystem.runSteps([{ step: 'create', path, content: new Uint8Array(100_000) }])).toBe(0)
    expect((await listFiles(directory)).sort()).toEqual(['link', 'linked'])
  })
})

describe('ShellFileSystem', () => {
  test('stores small content with one command if the scope has its folders, and reads it with four', async () => {
    const shell = new StandingShell()
    const storage = new FileStorage({ directory: await temporaryDirectory(), fileSystem: new ShellFileSystem(shell) })
    await storage.scope('session').store('first', bytes('content'))
    shell.commands.length = 0
    const reference = await storage.scope('session').store('second', bytes('content'))
    expect(shell.commands).toHaveLength(1)
    await storage.scope('session').retrieve(reference)
    expect(shell.commands).toHaveLength(1 + 4)
  })

  test('has all entries that were stored in parallel, and has equal content once', async () => {
    const storage = new FileStorage({
      directory: await temporaryDirectory(),
      fileSystem: new ShellFileSystem(new StandingShell()),
    })
    const keys = Array.from({ length: 24 }, (_, index) => `key ${index % 8}`)
    const references = await Promise.all(keys.map((key) => storage.store(key, bytes(key))))
    expect(new Set(references).size).toBe(8)
    for (const [index, reference] of references.entries())
      expect(text((await storage.retrieve(reference)).content)).toBe(keys[index])
  })

  test('finds a file complete or not at all if it is removed during a write', async () => {
    const fileSystem = new ShellFileSystem(new StandingShell())
    const path = await temporaryDirectory()
    const file = await fileSystem.createFile(path)
    await file.write(new Uint8Array(70_000))
    await fileSystem.removeFile(path)
    await file.write(new Uint8Array(10))
    await expect(file.close()).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(fileSystem.stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    const other = await fileSystem.createFile(path)
    await other.write(new Uint8Array(10))
    await writeFile(path, 'of another')
    await expect(other.close()).rejects.toThrow('the file was changed while it was written')
  })

  test.each([
    ['Docker without its daemon', 1, 'dial unix /var/run/docker.sock: connect: No such file or directory'],
    ['SSH without its key', 255, 'Identity file key not accessible: No such file or directory'],
    ['a missing working directory', 1, "sh: 1: cd: can't cd to /work: No such file or directory"],
    ['a shell that was killed', 137, ''],
  ])('never treats %s as a missing file', async (_name, exitCode, stderr) => {
    const fileSystem = new ShellFileSystem({ execute: async () => ({ exitCode, stdout: '', stderr }) })
    const storage = new FileStorage({ directory: '/artifacts', fileSystem })
    const unavailable = {
      code: 'unavailable',
      retryable: true,
      message: expect.stringContaining(`ended with ${exitCode}`),
    }
    await expect(storage.retrieve('key_abc')).rejects.toMatchObject(unavailable)
    await expect(storage.store('key', bytes('content'))).rejects.toMatchObject(unavailable)
    await expect(Array.fromAsync(storage.list())).rejects.toMatchObject(unavailable)
    await expect(fileSystem.stat('/artifacts')).rejects.toThrow(stderr === '' ? 'standard error was empty' : stderr)
  })

  test('runs nothing after a failed command', async () => {
    const inner = new LocalShell()
    const path = await temporaryDirectory()
    const fileSystem = new ShellFileSystem({ execute: (command) => inner.execute(`cd /none/at/all && ${command}`) })
    await expect(fileSystem.createDirectory(path)).rejects.toThrow('the shell ended with')
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  test('names a missing permission, and does not report a missing entry', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'closed/folder'), { recursive: true })
    await writeFile(join(directory, 'closed/folder/file'), 'content')
    await writeFile(join(directory, 'unreadable'), 'content')
    await chmod(join(directory, 'unreadable'), 0o200)
    await chmod(join(directory, 'closed'), 0o600)
    // Run as another user, because permissions do not restrict root.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined
    await chmod(directory, 0o755)
    const fileSystem = new ShellFileSystem(new LocalShell({ uid }))
    const forbidden = { code: 'EACCES' }
    await expect(fileSystem.stat(join(directory, 'closed/folder/file'))).rejects.toMatchObject(forbidden)
    await expect(fileSystem.readFile(join(directory, 'closed/folder/file'))).rejects.toMatchObject(forbidden)
    await expect(fileSystem.readFile(join(directory, 'unreadable'))).rejects.toMatchObject(forbidden)
    await expect(Array.fromAsync(fileSystem.list(join(directory, 'closed')))).rejects.toMatchObject(forbidden)
    await expect(fileSystem.createFile(join(directory, 'closed/new'))).rejects.toMatchObject(forbidden)
    const storage = new FileStorage({ directory: join(directory, 'closed/folder'), fileSystem })
    const unavailable = { code: 'unavailable', message: expect.stringContaining('EACCES') }
    await expect(storage.retrieve('key_abc')).rejects.toMatchObject(unavailable)
    await expect(storage.store('key', bytes('content'))).rejects.toMatchObject(unavailable)
    await chmod(join(directory, 'closed'), 0o700)
  })

  test('computes the age of a file correctly even if the remote clock is wrong', async () => {
    const directory = await temporaryDirectory()
    const tools = join(directory, 'tools')
    await mkdir(tools, { recursive: true })
    const anHourAhead = Math.floor(Date.now() / 1_000) + 3_600
    await writeFile(join(tools, 'date'), `#!/bin/sh\necho ${anHourAhead}\n`, { mode: 0o755 })
    await writeFile(join(directory, 'file'), 'content')
    await utimes(join(directory, 'file'), anHourAhead - 10, anHourAhead - 10)
    const { modifiedAt } = await new ShellFileSystem(new LocalShell({ path: `${tools}:${process.env['PATH']}` })).stat(
      join(directory, 'file'),
    )
    expect(Math.abs(Date.now() - 10_000 - modifiedAt)).toBeLessThan(5_000)
  })

  test.each([
    ['Regular File:7:1000 1010', { kind: 'file', size: 7 }],
    ['Directory:64:1000 1010', { kind: 'directory', size: 64 }],
    ['Symbolic Link:3:1000 1010', { kind: 'other', size: 3 }],
    ['Fifo File:0:1000 1010', { kind: 'other', size: 0 }],
  ])('reads the output of BSD and macOS tools: %s', async (stdout, status) => {
    const fileSystem = new ShellFileSystem({ execute: async () => ({ exitCode: 0, stdout, stderr: '' }) })
    expect(await fileSystem.stat('/file')).toMatchObject(status)
  })

  test('rejects a file status that it cannot parse', async () => {
    const fileSystem = new ShellFileSystem({ execute: async () => ({ exitCode: 0, stdout: 'Welcome!', stderr: '' }) })
    await expect(fileSystem.stat('/file')).rejects.toThrow('described a file as "Welcome!"')
  })

  test.each([undefined, null, {}, { execute: 'sh' }])('refuses %j as a shell', (shell) => {
    expect(() => new ShellFileSystem(shell as Shell)).toThrow(TypeError)
  })
})

const disk = await smallDisk(2_000_000)
afterAll(async () => {
  if (disk.available) await disk.dispose()
})

test.skipIf(!disk.available)('ShellFileSystem reports a full disk, and leaves no partial files', async () => {
  const directory = join(disk.available ? disk.path : '', 'artifacts')
  const storage = new FileStorage({ directory, fileSystem: new ShellFileSystem(new StandingShell()) })
  const stored: string[] = []
  const fill = async (): Promise<never> => {
    for (;;) stored.push(await storage.store(`key ${stored.length}`, new Uint8Array(200_000).fill(stored.length)))
  }
  const full = { code: 'unavailable', message: expect.stringContaining(`The disk with ${directory} is full`) }
  await expect(fill()).rejects.toMatchObject(full)
  await expect(storage.store('again', new Uint8Array(200_000))).rejects.toMatchObject(full)
  expect(stored.length).toBeGreaterThan(3)
  for (const [index, reference] of stored.entries())
    expect((await storage.retrieve(reference)).content.every((byte) => byte === index)).toBe(true)
  expect(await Array.fromAsync(storage.list())).toHaveLength(stored.length)
})

test('ShellFileSystem quotes every name in its commands', () => {
  const path = "/a'b $(touch pwned) `x`\n;"
  const quoted = String.raw`'/a'\''b $(touch pwned) ` + "`x`\n;'"
  expect(shellStep({ step: 'remove', path })).toBe(`rm ${quoted}`)
})
