import { StorageError, type Storage } from '@spillway/core'
import type {
  BackendProtocolV2,
  EditResult,
  FileDownloadResponse,
  FileUploadResponse,
  GlobResult,
  GrepMatch,
  GrepResult,
  LsResult,
  ReadRawResult,
  ReadResult,
  WriteResult,
} from 'deepagents'
import { assertRules, mimeTypeFor, rulesOver, writtenTo } from './deepagents-rules.ts'
import { bytesOf, isText, outlineOf, outlines, sized } from './file-data.ts'
import { refuseFilePath } from './file-path.ts'
import { findMatches } from './find-matches.ts'
import { refuseGlob } from './refuse-glob.ts'
import { readPage } from './read-page.ts'
import { listed, listFiles, readChunks, removeFile, SLICE_BYTES, storeFile } from './stored-files.ts'
import type { ListedStorage, StoredFile } from './stored-files.ts'

/** Matches of one search, and UTF-16 units of their lines, at most. */
const MAX_MATCHES = 10_000
const MAX_MATCHED_LENGTH = 4_194_304
/** Bytes of media that the tools of deepagents hand to a model, at most. */
const MAX_MEDIA_BYTES = 10_485_760

/** Options of {@link StorageBackend}. */
export interface StorageBackendOptions {
  /**
   * The folder in which results of tools appear. Defaults to `/large_tool_results/`, where the tools of deepagents tell
   * the model to look; `/` where the backend is mounted at such a path.
   */
  readonly resultFolder?: string | undefined
}

/**
 * A file system for the agents of deepagents over a Spillway storage.
 *
 * What was offloaded is a file that can be read and searched, `/large_tool_results/<reference>.txt`, and never changed.
 * What the agent writes is stored beside it, and is there for as long as the storage keeps it. Failures come back as
 * `error`, as the protocol has it; an outage is never a missing file.
 *
 * @param storage - The storage of one scope, or what gives it at each operation. It must have `list()`.
 * @throws TypeError where the storage cannot list, or an option is impossible.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { StorageBackend } from '@spillway/langchain/deepagents'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const backend = new StorageBackend(storage.scope('thread-1'))
 * await backend.write('/notes.md', 'buy milk')
 * await backend.edit('/notes.md', 'milk', 'oat milk')
 * const { matches } = await backend.grep('oat')
 * console.assert(matches?.[0]?.text === 'buy oat milk')
 * ```
 */
export class StorageBackend implements BackendProtocolV2 {
  readonly #storage: () => ListedStorage
  readonly #resultFolder: string
  /** The end of the latest change of each path: one at a time, so that none is lost. */
  readonly #changes = new Map<string, Promise<unknown>>()

  constructor(
    storage: Storage | (() => Storage),
    { resultFolder = '/large_tool_results/' }: StorageBackendOptions = {},
  ) {
    if (resultFolder !== '/' && refuseFilePath(resultFolder.replace(/\/$/, '')) !== undefined)
      throw new TypeError(
        `resultFolder must be an absolute path such as '/results/', got ${JSON.stringify(resultFolder)}.`,
      )
    assertRules()
    this.#resultFolder = resultFolder.endsWith('/') ? resultFolder : `${resultFolder}/`
    if (typeof storage === 'function') {
      this.#storage = () => listed(storage())
    } else {
      const checked = listed(storage)
      this.#storage = () => checked
    }
  }

  /** List a folder: its files, and the folders in it with a slash at their end. */
  async ls(path: string): Promise<LsResult> {
    return await this.#answer(async (files) => {
      const folder = typeof path === 'string' && path.endsWith('/') ? path.slice(0, -1) : path
      const error = folder === '' ? undefined : refuseFilePath(folder)
      if (error !== undefined) return { error }
      return { files: sized(rulesOver(outlines(files)).ls(path).files, files) }
    })
  }

  /**
   * Read lines from `offset`, counted from 0, or media as bytes. Text is read in slices, as far as needed: where it is
   * large and goes on, `totalLines` is left out.
   */
  async read(path: string, offset = 0, limit = 500): Promise<ReadResult> {
    return await this.#answer(async (files, storage) => {
      const file = files.get(path)
      if (file === undefined) return missing(path)
      const { mimeType } = outlineOf(file)
      const { size, reference } = file.info
      if (isText(mimeType)) {
        return { ...(await readPage(readChunks(storage, file), offset, limit, size <= SLICE_BYTES)), mimeType }
      }
      if (size > MAX_MEDIA_BYTES) return { error: `'${path}' has ${size} bytes of ${mimeType}: too large to be read.` }
      return { content: (await storage.retrieve(reference)).content, mimeType }
    })
  }

  /** Return the whole of a file, as one text where it is text. */
  async readRaw(path: string): Promise<ReadRawResult> {
    return await this.#answer(async (files, storage) => {
      const file = files.get(path)
      if (file === undefined) return missing(path)
      const { content } = await storage.retrieve(file.info.reference)
      const outline = outlineOf(file)
      return { data: { ...outline, content: isText(outline.mimeType) ? decode(content) : content } }
    })
  }

  /** Store a file. One that exists is replaced or refused, as the version of deepagents in use has it. */
  async write(path: string, content: string): Promise<WriteResult> {
    return await this.#change(path, async (file, storage) => {
      const { data, error } = writtenTo(path, content, file === undefined ? {} : { [path]: outlineOf(file) })
      if (data === undefined) return { error: error ?? `Cannot write to ${path}.` }
      const bytes = bytesOf(data)
      await storeFile(storage, path, bytes.content, bytes.contentType, file)
      return { path, filesUpdate: null }
    })
  }

  /** Replace text in a file that the agent wrote. */
  async edit(path: string, oldText: string, newText: string, replaceAll = false): Promise<EditResult> {
    return await this.#change(path, async (file, storage) => {
      if (file === undefined) return { error: `Error: ${missing(path).error}` }
      const outline = outlineOf(file)
      const { content: stored } = await storage.retrieve(file.info.reference)
      const content = isText(outline.mimeType) ? exactText(stored) : undefined
      if (content === undefined) return { error: `Error: '${path}' is not UTF-8 text. Write it as a whole.` }
      const {
        error,
        filesUpdate,
        occurrences = 0,
      } = rulesOver({ [path]: { ...outline, content } }).edit(path, oldText, newText, replaceAll)
      const data = filesUpdate?.[path]
      if (data === undefined) return { error: error ?? `Error: '${path}' cannot be edited.` }
      await storeFile(storage, path, bytesOf(data).content, file.info.contentType, file)
      return { path, filesUpdate: null, occurrences }
    })
  }

  /** Find the lines that contain a literal text, in text files: at most 10,000 of them. */
  async grep(
    pattern: string,
    path: string | null = '/',
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<GrepResult> {
    return await this.#answer(async (files, storage) => {
      const error = glob === null || glob === '' ? undefined : refuseGlob(glob)
      if (error !== undefined) return { error }
      // The text files among them, found by an empty line that each outline has; a single file is one in any version.
      const file = files.get(path ?? '/')
      const rules = rulesOver(file === undefined ? outlines(files) : { [file.path]: outlineOf(file) })
      const searched = rules.grep('', file === undefined ? (path ?? '/') : '/', glob).matches ?? []
      const matches: GrepMatch[] = []
      let length = 0
      for (const { path: found } of searched) {
        for await (const match of findMatches(found, readChunks(storage, files.get(found)!), pattern)) {
          if (matches.length >= (maxCount ?? MAX_MATCHES) || length > MAX_MATCHED_LENGTH)
            return { matches, truncated: true }
          matches.push(match)
          length += match.text.length
        }
      }
      return { matches }
    })
  }

  /** Find files by a pattern of their paths, the latest first. */
  async glob(pattern: string, path = '/'): Promise<GlobResult> {
    return await this.#answer(async (files) => {
      const error = refuseGlob(pattern)
      if (error !== undefined) return { error }
      return { files: sized(rulesOver(outlines(files)).glob(pattern, path).files, files) }
    })
  }

  /** Remove a file that the agent wrote, or all of them in a folder. Results of tools stay. */
  async delete(path: string): Promise<{ path?: string; error?: string; filesUpdate?: null }> {
    return await this.#answer(async (files, storage) => {
      const base = path.replace(/\/+$/, '')
      const found = [...files.values()].filter((file) => file.path === base || file.path.startsWith(`${base}/`))
      if (found.length === 0) return { error: `Error: File '${path}' not found` }
      const written = found.filter(({ version }) => version > 0)
      if (written.length === 0) return { error: readOnly(path) }
      if (storage.delete === undefined) return { error: `Error: The storage cannot remove '${path}'.` }
      for (const file of written) await this.#inTurn(file.path, () => removeFile(storage, file))
      return { path, filesUpdate: null }
    })
  }

  /** Store bytes as they are, in place of what is there. A result of a tool is `permission_denied`, as is an outage. */
  async uploadFiles(uploads: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const responses: FileUploadResponse[] = []
    for (const [path, content] of uploads) {
      if (refuseFilePath(path) !== undefined) {
        responses.push({ path, error: 'invalid_path' })
        continue
      }
      const { error } = await this.#change(path, async (file, storage) => {
        await storeFile(storage, path, content, mimeTypeFor(path), file)
        return { error: undefined }
      })
      responses.push({ path, error: error === undefined ? null : 'permission_denied' })
    }
    return responses
  }

  /** Return the bytes of files. The protocol has no code for an outage: it is `permission_denied`, not a missing file. */
  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const answer = await this.#answer(async (files, storage) => {
      const responses: FileDownloadResponse[] = []
      for (const path of paths) responses.push(await download(path, files, storage))
      return { responses }
    })
    if ('responses' in answer) return answer.responses
    return paths.map((path) => ({ path, content: null, error: 'permission_denied' }))
  }

  /** Run an operation over the files of the scope; whatever fails is its answer. */
  async #answer<Result>(
    run: (files: ReadonlyMap<string, StoredFile>, storage: ListedStorage) => Promise<Result>,
  ): Promise<Result | { error: string }> {
    try {
      const storage = this.#storage()
      return await run(await listFiles(storage, this.#resultFolder), storage)
    } catch (error) {
      // An agent goes on after a failed operation, whatever failed, where a rejection would end its run.
      const { message } = error as Error
      return { error: StorageError.isInstance(error) ? message : `The operation failed: ${message}. Try it once more.` }
    }
  }

  /** Run a change of one file, after those of the same path that came before. */
  async #change<Result>(
    path: string,
    run: (file: StoredFile | undefined, storage: ListedStorage) => Promise<Result>,
  ): Promise<Result | { error: string }> {
    const refused = refuseFilePath(path)
    if (refused !== undefined) return { error: `Error: ${refused}` }
    return await this.#inTurn(path, () =>
      this.#answer(async (files, storage) => {
        const file = files.get(path)
        return file?.version === 0 ? { error: readOnly(path) } : await run(file, storage)
      }),
    )
  }

  async #inTurn<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
    const before = this.#changes.get(path)
    const change = (async () => {
      await Promise.allSettled([before])
      return await run()
    })()
    this.#changes.set(path, change)
    try {
      return await change
    } finally {
      if (this.#changes.get(path) === change) this.#changes.delete(path)
    }
  }
}

async function download(
  path: string,
  files: ReadonlyMap<string, StoredFile>,
  storage: Storage,
): Promise<FileDownloadResponse> {
  const failed = (error: FileDownloadResponse['error']): FileDownloadResponse => ({ path, content: null, error })
  if (refuseFilePath(path) !== undefined) return failed('invalid_path')
  const file = files.get(path)
  if (file !== undefined) return { path, content: (await storage.retrieve(file.info.reference)).content, error: null }
  return failed([...files.keys()].some((other) => other.startsWith(`${path}/`)) ? 'is_directory' : 'file_not_found')
}

const decode = (content: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)

/** Text whose bytes come back the same, or `undefined` where they would not. */
function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

const missing = (path: string): { error: string } => ({ error: `File '${path}' not found` })

const readOnly = (path: string): string =>
  `Error: '${path}' is what a tool returned and cannot be changed. Write to another path.`
