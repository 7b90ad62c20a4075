import { close, constants, fstat, open as openFile, read, type Stats } from 'node:fs'
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
/** A read takes at most 2 GiB. Smaller reads keep the thread pool available for others. */
const MAX_READ_BYTES = 64 * 1024 * 1024
/** Linux caches larger writes in large pages. If these are scarce, 10 MB takes 17 ms instead of 3 ms. */
const MAX_WRITE_BYTES = 1024 * 1024
const PARALLEL_WRITES = 8
/** Read up to so many bytes before the file's size is known. */
const MAX_GUESS_BYTES = 1024 * 1024
/** Read so many bytes if the file can have any size. */
const SMALL_BYTES = 4 * 1024
/** Do not follow links or wait for the writer of a named pipe. Windows has neither flag. */
const OPEN_PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * File system of the machine, based on `node:fs`.
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
  /** On Windows, open files cannot be linked. */
  readonly linksOpenFiles: boolean = process.platform !== 'win32'

  async createFile(path: string): Promise<FileWriter> {
    const handle = await open(path, 'wx', OWNER_ONLY_FILE)
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
    const file = await openDescriptor(path, OPEN_PLAIN)
    try {
      const { offset, length } = range ?? { offset: 0, length: Infinity }
      const guess = new Uint8Array(length <= MAX_GUESS_BYTES ? length : SMALL_BYTES)
      // Read and stat in parallel: the bytes count only if the path is a plain file of that size.
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
    const handle = await open(path, OPEN_PLAIN)
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
    return describe(await lstat(path))
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(from, to)
  }

  async removeFile(path: string): Promise<void> {
    await unlink(path)
  }

  async createDirectory(path: string): Promise<void> {
    await mkdir(path, OWNER_ONLY_DIRECTORY)
  }

  async removeDirectory(path: string): Promise<void> {
    await rmdir(path)
  }

  async *list(path: string): AsyncGenerator<DirectoryItem> {
    for await (const item of await opendir(path, { bufferSize: DIRECTORY_BUFFER_ITEMS }))
      yield { name: item.name, kind: item.isFile() ? 'file' : item.isDirectory() ? 'directory' : 'other' }
  }

  async link(from: string, to: string): Promise<void> {
    await link(from, to)
  }

  async setModifiedAt(path: string, modifiedAt: number): Promise<void> {
    await lutimes(path, modifiedAt / 1000, modifiedAt / 1000)
  }

  async realPath(path: string): Promise<string> {
    return realpath(path)
  }

  async sync(path: string): Promise<void> {
    const handle = await open(path, OPEN_PLAIN)
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

/** The last piece is written last: a file of full length is then complete, even after a crash. */
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

/** A plain descriptor costs half of a `FileHandle`. The caller must close it. */
const openDescriptor: (path: string, flags: number) => Promise<number> = promisify(openFile)

const statDescriptor: (descriptor: number) => Promise<Stats> = promisify(fstat)

async function readDescriptor(descriptor: number, into: Uint8Array, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, 0, into.length, offset, (error, bytesRead) => (error ? reject(error) : resolve(bytesRead)))
  })
}

/** A file that was only read can be closed without waiting. */
function closeDescriptor(descriptor: number): void {
  close(descriptor, () => undefined)
}
