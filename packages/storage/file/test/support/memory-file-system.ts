import type { DirectoryItem, FileContent, FileStatus, FileStep, FileSystem, FileWriter } from '../../src/index.ts'
import { takeSteps } from './take-steps.ts'

interface MemoryFile {
  readonly kind: 'file'
  bytes: Uint8Array
  modifiedAt: number
}

interface MemoryDirectory {
  readonly kind: 'directory'
  modifiedAt: number
}

const TURNS_OF_A_LOOKUP = 5

/** A file system in memory that has only the required operations, as a sandbox might. */
export class MemoryFileSystem implements FileSystem {
  readonly nodes = new Map<string, MemoryFile | MemoryDirectory>([['/', { kind: 'directory', modifiedAt: 0 }]])

  async createFile(path: string): Promise<FileWriter> {
    this.#mustBeFree(path)
    const file: MemoryFile = { kind: 'file', bytes: new Uint8Array(), modifiedAt: Date.now() }
    this.#add(path, file)
    return {
      write: async (bytes) => {
        const grown = new Uint8Array(file.bytes.length + bytes.length)
        grown.set(file.bytes)
        grown.set(bytes, file.bytes.length)
        file.bytes = grown
        file.modifiedAt = Date.now()
      },
      close: async () => {},
    }
  }

  async readFile(path: string, range?: { readonly offset: number; readonly length: number }): Promise<FileContent> {
    const { bytes } = this.#file(path)
    const content = range === undefined ? bytes.slice() : bytes.slice(range.offset, range.offset + range.length)
    return { content, status: await this.stat(path) }
  }

  async stat(path: string): Promise<FileStatus> {
    const node = this.nodes.get(path) ?? fail('ENOENT', path)
    return { kind: node.kind, size: node.kind === 'file' ? node.bytes.length : 0, modifiedAt: node.modifiedAt }
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#file(from)
    this.#add(to, file)
    if (from !== to) this.nodes.delete(from)
  }

  async removeFile(path: string): Promise<void> {
    this.#file(path)
    this.nodes.delete(path)
  }

  async createDirectory(path: string): Promise<void> {
    this.#mustBeFree(path)
    this.#add(path, { kind: 'directory', modifiedAt: Date.now() })
  }

  async removeDirectory(path: string): Promise<void> {
    if (this.nodes.get(path)?.kind !== 'directory') fail('ENOENT', path)
    if ([...this.nodes.keys()].some((other) => other.startsWith(`${path}/`))) fail('ENOTEMPTY', path)
    this.nodes.delete(path)
  }

  async *list(path: string): AsyncGenerator<DirectoryItem> {
    if (this.nodes.get(path)?.kind !== 'directory') fail('ENOENT', path)
    for (const [other, { kind }] of [...this.nodes])
      if (other !== path && parentOf(other) === path) yield { name: other.slice(path.length + 1), kind }
  }

  async realPath(path: string): Promise<string> {
    return this.nodes.has(path) ? path : fail('ENOENT', path)
  }

  protected linkNode(from: string, to: string): void {
    this.#mustBeFree(to)
    this.#add(to, this.#file(from))
  }

  protected async setTime(path: string, modifiedAt: number): Promise<void> {
    const file = this.#file(path)
    // As in a kernel, the file may be renamed between its lookup and the change of its time.
    for (let turn = 0; turn < TURNS_OF_A_LOOKUP; turn += 1) await new Promise(setImmediate)
    file.modifiedAt = modifiedAt
  }

  #file(path: string): MemoryFile {
    const node = this.nodes.get(path) ?? fail('ENOENT', path)
    return node.kind === 'file' ? node : fail('EISDIR', path)
  }

  #mustBeFree(path: string): void {
    if (this.nodes.has(path)) fail('EEXIST', path)
  }

  #add(path: string, node: MemoryFile | MemoryDirectory): void {
    const parent = this.nodes.get(parentOf(path)) ?? fail('ENOENT', path)
    if (parent.kind !== 'directory') fail('ENOTDIR', path)
    parent.modifiedAt = Date.now()
    this.nodes.set(path, node)
  }
}

/** A file system in memory with hard links and settable times. */
export class LinkingMemoryFileSystem extends MemoryFileSystem {
  readonly linksOpenFiles = true

  async link(from: string, to: string): Promise<void> {
    this.linkNode(from, to)
  }

  async setModifiedAt(path: string, modifiedAt: number): Promise<void> {
    await this.setTime(path, modifiedAt)
  }
}

/** A file system in memory that runs steps in one batch. */
export class SteppingMemoryFileSystem extends LinkingMemoryFileSystem {
  async runSteps(steps: readonly FileStep[]): Promise<number> {
    return takeSteps(this, steps)
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))

function fail(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code })
}
