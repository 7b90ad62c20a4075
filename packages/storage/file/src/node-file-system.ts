import {
  close,
  closeSync,
  constants,
  existsSync,
  fstat,
  open as openFile,
  read,
  readlinkSync,
  type Stats,
} from 'node:fs'
import {
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  opendir,
  realpath,
  rename,
  rmdir,
  unlink,
  type FileHandle,
} from 'node:fs/promises'
import { promisify } from 'node:util'
import {
  folderOf,
  settled,
  type DirectoryItem,
  type FileContent,
  type FileReader,
  type FileStatus,
  type FileSystem,
  type FileWriter,
} from './file-system.ts'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700
const DIRECTORY_BUFFER_ITEMS = 256
/** Largest read in bytes, far below the system's limit of 2 GiB, so that no read blocks the thread pool for long. */
const MAX_READ_BYTES = 64 * 1024 * 1024
/** Largest write in bytes. Linux caches larger writes in large pages: if these are scarce, 10 MB take 17 ms, not 3. */
const MAX_WRITE_BYTES = 1024 * 1024
const PARALLEL_WRITES = 8
/** Number of bytes to read before the file's size is known. */
const MAX_GUESS_BYTES = 1024 * 1024
/** Number of bytes to read if the file can have any size. */
const SMALL_BYTES = 4 * 1024
/** Flags to open a file without following links, and without waiting for a named pipe. Windows lacks these flags. */
const OPEN_PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * File system of the machine, based on `node:fs`.
 *
 * On Linux, paths go through open folders, so that a link that replaces a folder is not followed.
 *
 * @example
 * ```ts
 * import { FileStorage, NodeFileSystem } from '@spillway/file'
 *
 * const storage = new FileStorage({ directory: './artifacts', fileSystem: new NodeFileSystem() })
 * console.assert(storage.locate !== undefined)
 * ```
 */
export class NodeFileSystem implements FileSystem {
  /** Files can be linked while open, except on Windows. */
  readonly linksOpenFiles: boolean = process.platform !== 'win32'

  async createFile(path: string): Promise<FileWriter> {
    const handle = await inFolder(path, (at) => open(at, 'wx', OWNER_ONLY_FILE))
    let size = 0
    return {
      write: async (bytes) => {
        const start = size
        size += bytes.byteLength
        await writeAll(handle, bytes, start)
      },
      close: () => handle.close(),
    }
  }

  async readFile(path: string, range?: { readonly offset: number; readonly length: number }): Promise<FileContent> {
    const file = await inFolder(path, (at) => openDescriptor(at, OPEN_PLAIN))
    try {
      const { offset, length } = range ?? { offset: 0, length: Infinity }
      const guess = new Uint8Array(length <= MAX_GUESS_BYTES ? length : SMALL_BYTES)
      // Read and stat in parallel. The bytes are used only if the path is a plain file of that size.
      const [described, read] = await Promise.allSettled([statDescriptor(file), readDescriptor(file, guess, offset)])
      if (described.status === 'rejected') throw described.reason
      const status = plainFile(describe(described.value), path)
      if (read.status === 'rejected') throw read.reason
      const wanted = Math.max(0, Math.min(length, status.size - offset))
      if (read.value < wanted) {
        const readSome = (into: Uint8Array, at: number): Promise<number> => readDescriptor(file, into, at)
        return { content: await readAll(readSome, offset, new Uint8Array(wanted)), status }
      }
      // Small content must not keep a large buffer in memory.
      return { content: wanted < guess.length / 2 ? guess.slice(0, wanted) : guess.subarray(0, wanted), status }
    } finally {
      closeDescriptor(file)
    }
  }

  async openFile(path: string): Promise<FileReader> {
    const handle = await inFolder(path, (at) => open(at, OPEN_PLAIN))
    try {
      const status = plainFile(describe(await handle.stat()), path)
      const readSome = async (into: Uint8Array, at: number): Promise<number> =>
        (await handle.read(into, 0, into.length, at)).bytesRead
      return {
        status,
        read: async ({ offset, length }, buffer) => {
          const start = Math.min(offset, status.size)
          const end = Math.min(start + length, status.size)
          return await readAll(readSome, start, buffer?.subarray(0, end - start) ?? new Uint8Array(end - start))
        },
        close: () => handle.close(),
      }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async stat(path: string): Promise<FileStatus> {
    return describe(await inFolder(path, (at) => lstat(at)))
  }

  async rename(from: string, to: string): Promise<void> {
    await inFolder(from, (at) => inFolder(to, (target) => rename(at, target)))
  }

  async removeFile(path: string): Promise<void> {
    await inFolder(path, (at) => unlink(at))
  }

  async createDirectory(path: string): Promise<void> {
    await inFolder(path, (at) => mkdir(at, OWNER_ONLY_DIRECTORY))
  }

  async removeDirectory(path: string): Promise<void> {
    await inFolder(path, (at) => rmdir(at))
  }

  async *list(path: string): AsyncGenerator<DirectoryItem> {
    const options = { bufferSize: DIRECTORY_BUFFER_ITEMS }
    for await (const item of await inFolder(`${path}/.`, (at) => opendir(at, options)))
      yield { name: item.name, kind: item.isFile() ? 'file' : item.isDirectory() ? 'directory' : 'other' }
  }

  async link(from: string, to: string): Promise<void> {
    await inFolder(from, (at) => inFolder(to, (target) => link(at, target)))
  }

  async setModifiedAt(path: string, modifiedAt: number): Promise<void> {
    await inFolder(path, (at) => lutimes(at, modifiedAt / 1000, modifiedAt / 1000))
  }

  async realPath(path: string): Promise<string> {
    return openFolders === undefined ? realpath(path) : openFolders.realPath(path)
  }

  async sync(path: string): Promise<void> {
    const handle = await inFolder(path, (at) => open(at, OPEN_PLAIN))
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

function describe(stats: Stats): FileStatus {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
    size: stats.size,
    // Times are set as seconds in floating point: 1.234 s is read back as 1233.9999 ms.
    modifiedAt: Math.round(stats.mtimeMs),
  }
}

function plainFile(status: FileStatus, path: string): FileStatus {
  if (status.kind === 'file') return status
  throw Object.assign(new Error(`EINVAL: not a plain file, '${path}'`), { code: 'EINVAL' })
}

/** Writes the final chunk after all others. A file with its full length is then complete, even after a crash. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  const last = Math.max(0, bytes.byteLength - MAX_WRITE_BYTES)
  let next = 0
  const writeSome = async (): Promise<void> => {
    while (next < last) {
      const at = next
      next = Math.min(last, at + MAX_WRITE_BYTES)
      await writePiece(handle, bytes.subarray(at, next), start + at)
    }
  }
  await settled(Array.from({ length: PARALLEL_WRITES }, writeSome))
  await writePiece(handle, bytes.subarray(last), start + last)
}

async function writePiece(handle: FileHandle, piece: Uint8Array, start: number): Promise<void> {
  for (let at = 0; at < piece.byteLength;) {
    const { bytesWritten } = await handle.write(piece, at, piece.byteLength - at, start + at)
    at += bytesWritten
  }
}

async function readAll(
  readSome: (into: Uint8Array, at: number) => Promise<number>,
  offset: number,
  content: Uint8Array,
): Promise<Uint8Array> {
  for (let at = 0; at < content.length;) {
    const bytesRead = await readSome(content.subarray(at, at + MAX_READ_BYTES), offset + at)
    if (bytesRead === 0) return content.subarray(0, at)
    at += bytesRead
  }
  return content
}

/** Opens a file as a plain descriptor, which is half as expensive as a `FileHandle`. The caller must close it. */
const openDescriptor: (path: string, flags: number) => Promise<number> = promisify(openFile)

const statDescriptor: (descriptor: number) => Promise<Stats> = promisify(fstat)

async function readDescriptor(descriptor: number, into: Uint8Array, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, 0, into.length, offset, (error, bytesRead) => (error ? reject(error) : resolve(bytesRead)))
  })
}

/** Closes a file that was only read. The caller need not wait for it. */
function closeDescriptor(descriptor: number): void {
  close(descriptor, () => undefined)
}

/** Flags to open a folder, even if it is unreadable. The number is Linux's `O_PATH`, which Node.js lacks. */
const OPEN_FOLDER = 0o10000000 | (constants.O_DIRECTORY ?? 0)
const MAX_OPEN_FOLDERS = 16
/** Milliseconds for which a folder stays open. While a folder is open, its disk cannot be unmounted. */
const KEEP_OPEN_MS = 1_000
const DELETED = ' (deleted)'

interface OpenFolder {
  readonly descriptor: number
  /** A path that leads to the open folder, even if the folder was moved. */
  readonly path: string
  users: number
  isKept: boolean
}

/**
 * Keeps folders open for a short time. Each use checks that the folder is still at its path, without access to the
 * disk.
 */
class OpenFolders {
  readonly #kept = new Map<string, OpenFolder>()

  /** Returns a folder that is still open and still at its path. The caller must release the folder. */
  find(path: string): OpenFolder | undefined {
    const folder = this.#kept.get(path)
    if (folder === undefined || readlinkSync(folder.path) !== path) return undefined
    folder.users += 1
    return folder
  }

  /** Rejects with `ELOOP` if a symbolic link leads elsewhere. The caller must release the folder. */
  async open(path: string): Promise<OpenFolder> {
    const { folder, real } = await this.#open(path)
    if (real === path) return folder
    this.release(folder)
    const code = real === path + DELETED ? 'ENOENT' : 'ELOOP'
    throw Object.assign(new Error(`${code}: the folder is missing or is a symbolic link, '${path}'`), { code, path })
  }

  async realPath(path: string): Promise<string> {
    const found = this.find(path)
    const { folder, real } = found === undefined ? await this.#open(path) : { folder: found, real: path }
    this.release(folder)
    return real.endsWith(DELETED) ? realpath(path) : real
  }

  release(folder: OpenFolder): void {
    folder.users -= 1
    this.#closeUnused(folder)
  }

  async #open(path: string): Promise<{ readonly folder: OpenFolder; readonly real: string }> {
    const descriptor = await openDescriptor(path, OPEN_FOLDER)
    const folder = { descriptor, path: `/proc/self/fd/${descriptor}`, users: 1, isKept: false }
    const real = readlinkSync(folder.path)
    if (real === path) this.#keep(path, folder)
    return { folder, real }
  }

  #keep(path: string, folder: OpenFolder): void {
    this.#letGo(path)
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= MAX_OPEN_FOLDERS) this.#letGo(oldest)
    this.#kept.set(path, folder)
    folder.isKept = true
    if (this.#kept.size > 1) return
    setTimeout(() => {
      for (const kept of this.#kept.keys()) this.#letGo(kept)
    }, KEEP_OPEN_MS).unref()
  }

  #letGo(path: string): void {
    const folder = this.#kept.get(path)
    if (folder === undefined) return
    this.#kept.delete(path)
    folder.isKept = false
    this.#closeUnused(folder)
  }

  #closeUnused({ descriptor, users, isKept }: OpenFolder): void {
    if (users === 0 && !isKept) closeSync(descriptor)
  }
}

/** Only Linux has paths through open folders, and Node.js refuses them with `--permission`. */
const openFolders: OpenFolders | undefined =
  process.platform === 'linux' && process.permission === undefined && existsSync('/proc/self/fd')
    ? new OpenFolders()
    : undefined

/** Runs an operation on a path. If the platform allows it, the path goes through an open folder. */
export async function inFolder<Result>(path: string, run: (path: string) => Promise<Result>): Promise<Result> {
  if (openFolders === undefined) return run(path)
  const name = folderOf(path)
  const folder = openFolders.find(name) ?? (await openFolders.open(name))
  try {
    return await run(folder.path + path.slice(path.lastIndexOf('/')))
  } finally {
    openFolders.release(folder)
  }
}
