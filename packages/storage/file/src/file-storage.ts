import { resolve, sep } from 'node:path'
import { ManagedStorage, type ManagedStorageOptions } from '@spillway/core/driver'
import { DefaultFileSystem } from './default-file-system.ts'
import { FileDriver, type FileDriverOptions } from './file-driver.ts'
import type { FileSystem } from './file-system.ts'

const DEFAULT_DIRECTORY = './artifacts'
const NAMES: readonly string[] = [
  'directory',
  'fileSystem',
  'fsync',
  'evictAfterTurns',
  'ttlMs',
  'maxBytes',
  'now',
] satisfies (keyof FileStorageOptions)[]
const FILE_SYSTEM_METHODS = [
  'createFile',
  'readFile',
  'stat',
  'rename',
  'removeFile',
  'createDirectory',
  'removeDirectory',
  'list',
] as const satisfies (keyof FileSystem)[]

/** Options of {@link FileStorage}. */
export interface FileStorageOptions extends ManagedStorageOptions {
  /** Where the files go; made at the first use. A relative path is resolved at construction. Defaults to `./artifacts`. */
  readonly directory?: string | undefined
  /**
   * The file operations to use, such as those of a sandbox. Defaults to those of {@link NodeFileSystem}, small content being
   * stored by a thread.
   */
  readonly fileSystem?: FileSystem | undefined
  /**
   * Wait until content has reached the medium before `store` resolves, so that it survives a power failure. Without it,
   * content survives a killed process but not a crash of the machine. Defaults to `false`.
   */
  readonly fsync?: boolean | undefined
}

/**
 * Keep content in plain files, which a shell can read and search, and which any number of processes may share.
 *
 * An unwritable directory or a full disk rejects with the code `unavailable` and a message that names the fix; what the
 * disk returns and was not stored there, with `corrupt`.
 *
 * @throws TypeError where an option is unknown or impossible.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { FileStorage } from '@spillway/file'
 *
 * const storage = new FileStorage(await mkdtemp(join(tmpdir(), 'artifacts-')))
 * const session = storage.scope('tenant-1', 'session-1')
 * const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 * const { content, contentType } = await session.retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * ```
 */
export class FileStorage extends ManagedStorage {
  constructor(options: string | FileStorageOptions = DEFAULT_DIRECTORY) {
    const { directory, fileSystem, fsync, ...managed } =
      typeof options === 'string' ? { directory: options } : checked(options)
    super(new FileDriver(driverOptions(directory, fileSystem, fsync)), managed)
  }
}

function checked(options: FileStorageOptions): FileStorageOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`FileStorage takes a directory or an object of options, got ${String(options)}.`)
  for (const name of Object.keys(options))
    if (!NAMES.includes(name))
      throw new TypeError(`Unknown storage option ${JSON.stringify(name)}. Known: ${NAMES.join(', ')}.`)
  return options
}

function driverOptions(
  directory: string = DEFAULT_DIRECTORY,
  fileSystem: FileSystem = new DefaultFileSystem(),
  fsync: boolean = false,
): FileDriverOptions {
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0'))
    throw new TypeError(`directory must be a path such as '${DEFAULT_DIRECTORY}', not empty and without NUL.`)
  for (const method of FILE_SYSTEM_METHODS)
    if (typeof (fileSystem as Partial<FileSystem> | null)?.[method] !== 'function')
      throw new TypeError(`fileSystem must have the method ${method}(). It needs ${FILE_SYSTEM_METHODS.join(', ')}.`)
  if (typeof fsync !== 'boolean') throw new TypeError(`fsync must be true or false, got ${String(fsync)}.`)
  if (fsync && fileSystem.sync === undefined)
    throw new TypeError('fsync needs a fileSystem with the method sync(). Add it, or leave fsync out.')
  const path = resolve(directory)
  return { directory: sep === '/' ? path : path.replaceAll(sep, '/'), fileSystem, fsync }
}
