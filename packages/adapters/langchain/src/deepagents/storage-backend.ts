import { StorageError, type Storage } from '@spillway/core'
import {
  refuseFilePath,
  StoredFiles,
  type StoredFile,
  type StoredFilesOptions,
  type FileContent,
} from '@spillway/core/files'
import {
  StateBackend,
  type BackendProtocolV2,
  type EditResult,
  type FileDownloadResponse,
  type FileUploadResponse,
  type GlobResult,
  type GrepResult,
  type LsResult,
  type ReadRawResult,
  type ReadResult,
  type WriteResult,
  type FileData,
  type FileInfo,
} from 'deepagents'
import { contentTypeEssence, isTextContentType } from '@spillway/core/adapter'

/** Bytes of media that the tools of deepagents hand to a model, at most. */
const MAX_MEDIA_BYTES = 10_485_760

/** Options of {@link StorageBackend}. */
export interface StorageBackendOptions extends StoredFilesOptions {
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
  readonly #files: StoredFiles

  constructor(
    storage: Storage | (() => Storage),
    { resultFolder = '/large_tool_results/' }: StorageBackendOptions = {},
  ) {
    assertRules()
    this.#files = new StoredFiles(storage, { resultFolder })
  }

  /** List a folder: its files, and the folders in it with a slash at their end. */
  async ls(path: string): Promise<LsResult> {
    return await answer(async () => {
      const folder = typeof path === 'string' && path.endsWith('/') ? path.slice(0, -1) : path
      refuseIf(folder === '' ? undefined : refuseFilePath(folder))
      const files = await this.#files.list()
      return { files: sized(rulesOver(outlines(files)).ls(path).files, files) }
    })
  }

  /**
   * Read lines from `offset`, counted from 0, or media as bytes. Text is read in slices, as far as needed: where it is
   * large and goes on, `totalLines` is left out.
   */
  async read(path: string, offset = 0, limit = 500): Promise<ReadResult> {
    return await answer(async () => {
      const file = await this.#find(path)
      const { mimeType } = outlineOf(file)
      if (isText(mimeType)) return { ...(await readPage(file, offset, limit)), mimeType }
      if (file.size > MAX_MEDIA_BYTES)
        throw new Refusal(`'${path}' has ${file.size} bytes of ${mimeType}: too large to be read.`)
      return { content: await file.readBytes(), mimeType }
    })
  }

  /** Return the whole of a file, as one text where it is text. */
  async readRaw(path: string): Promise<ReadRawResult> {
    return await answer(async () => {
      const file = await this.#find(path)
      const outline = outlineOf(file)
      const content = await file.readBytes()
      return { data: { ...outline, content: isText(outline.mimeType) ? decode(content) : content } }
    })
  }

  /** Store a file. One that exists is replaced or refused, as the version of deepagents in use has it. */
  async write(path: string, content: string): Promise<WriteResult> {
    return await answer(async () => {
      await this.#files.update(path, (file) => {
        const { data, error } = writtenTo(path, content, file === undefined ? {} : { [path]: outlineOf(file) })
        if (data === undefined) throw new Refusal(error ?? `Cannot write to ${path}.`)
        return contentOf(data)
      })
      return { path, filesUpdate: null }
    })
  }

  /** Replace text in a file that the agent wrote. */
  async edit(path: string, oldText: string, newText: string, replaceAll = false): Promise<EditResult> {
    return await answer(async () => {
      let occurrences = 0
      await this.#files.update(path, async (file) => {
        if (file === undefined) throw new Refusal(`Error: File '${path}' not found`)
        const outline = outlineOf(file)
        const content = isText(outline.mimeType) ? exactText(await file.readBytes()) : undefined
        if (content === undefined) throw new Refusal(`Error: '${path}' is not UTF-8 text. Write it as a whole.`)
        const edited = rulesOver({ [path]: { ...outline, content } }).edit(path, oldText, newText, replaceAll)
        const data = edited.filesUpdate?.[path]
        if (data === undefined) throw new Refusal(edited.error ?? `Error: '${path}' cannot be edited.`)
        occurrences = edited.occurrences ?? 0
        return { content: contentOf(data).content, contentType: file.contentType }
      })
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
    return await answer(async () => {
      refuseIf(glob === null || glob === '' ? undefined : refuseGlob(glob))
      const files = await this.#files.list()
      // The text files among them, found by an empty line that each outline has; a single file is one in any version.
      const file = files.get(path ?? '/')
      const rules = rulesOver(file === undefined ? outlines(files) : { [file.path]: outlineOf(file) })
      const searched = rules.grep('', file === undefined ? (path ?? '/') : '/', glob).matches ?? []
      const { matches, truncated } = await this.#files.find(pattern, {
        files: searched.map((match) => files.get(match.path)!),
        maxMatches: maxCount ?? undefined,
      })
      return { matches: [...matches], ...(truncated ? { truncated } : {}) }
    })
  }

  /** Find files by a pattern of their paths, the latest first. */
  async glob(pattern: string, path = '/'): Promise<GlobResult> {
    return await answer(async () => {
      refuseIf(refuseGlob(pattern))
      const files = await this.#files.list()
      return { files: sized(rulesOver(outlines(files)).glob(pattern, path).files, files) }
    })
  }

  /** Remove a file that the agent wrote, or all of them in a folder. Results of tools stay. */
  async delete(path: string): Promise<{ path?: string; error?: string; filesUpdate?: null }> {
    return await answer(async () => {
      const removed = await this.#files.remove(path)
      if (removed.length === 0) throw new Refusal(`Error: File '${path}' not found`)
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
      const failure = await answer(() => this.#files.write(path, content, mimeTypeFor(path)))
      responses.push({ path, error: failure === undefined ? null : 'permission_denied' })
    }
    return responses
  }

  /** Return the bytes of files. The protocol has no code for an outage: it is `permission_denied`, not a missing file. */
  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const answered = await answer(async () => {
      const files = await this.#files.list()
      const responses: FileDownloadResponse[] = []
      for (const path of paths) responses.push(await download(path, files))
      return { responses }
    })
    if ('responses' in answered) return answered.responses
    return paths.map((path) => ({ path, content: null, error: 'permission_denied' }))
  }

  async #find(path: string): Promise<StoredFile> {
    const file = (await this.#files.list()).get(path)
    if (file === undefined) throw new Refusal(`File '${path}' not found`)
    return file
  }
}

async function download(path: string, files: ReadonlyMap<string, StoredFile>): Promise<FileDownloadResponse> {
  const failed = (error: FileDownloadResponse['error']): FileDownloadResponse => ({ path, content: null, error })
  if (refuseFilePath(path) !== undefined) return failed('invalid_path')
  const file = files.get(path)
  if (file !== undefined) return { path, content: await file.readBytes(), error: null }
  return failed([...files.keys()].some((other) => other.startsWith(`${path}/`)) ? 'is_directory' : 'file_not_found')
}

function refuseIf(reason: string | undefined): void {
  if (reason !== undefined) throw new Refusal(reason)
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

/** Says why an operation is refused, in the words that the answer has. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** Run an operation; whatever fails is its answer. */
async function answer<Result>(run: () => Promise<Result>): Promise<Result | { error: string }> {
  try {
    return await run()
  } catch (error) {
    // An agent goes on after a failed operation, whatever failed, where a rejection would end its run.
    return { error: describe(error) }
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal) return message
  if (!StorageError.isInstance(error)) return `The operation failed: ${message}. Try it once more.`
  // As deepagents begins what it refuses itself; an outage is none of that.
  return error.code === 'invalid-key' || error.code === 'unsupported' ? `Error: ${message}` : message
}

/** The text types that the tools of deepagents know as text. */
const KNOWN_TEXT = /^(?:text\/.+|application\/(?:json|javascript)|image\/svg\+xml)$/

/** A file in the form of deepagents, its content left out. */
type Outline = Extract<FileData, { mimeType: string }>

/** Describe a file without its content. */
function outlineOf({ contentType, createdAt, modifiedAt }: StoredFile): Outline {
  const essence = contentTypeEssence(contentType)
  const mimeType = isTextContentType(essence) && !isText(essence) ? 'text/plain' : essence
  return { content: '', mimeType, created_at: timeOf(createdAt), modified_at: timeOf(modifiedAt) }
}

/** Describe all files, as far as names, types and times go. */
function outlines(files: ReadonlyMap<string, StoredFile>): FileRecord {
  return Object.fromEntries([...files].map(([path, file]) => [path, outlineOf(file)]))
}

/** Put the sizes back that outlines do not have. */
function sized(infos: readonly FileInfo[] | undefined, files: ReadonlyMap<string, StoredFile>): FileInfo[] {
  return (infos ?? []).map((info) => ({ ...info, size: files.get(info.path)?.size ?? 0 }))
}

/** Whether the tools of deepagents show content of this type as text. */
function isText(mimeType: string): boolean {
  return KNOWN_TEXT.test(mimeType)
}

/** The bytes of what deepagents would write, and their type. */
function contentOf(data: FileData): FileContent {
  const content = Array.isArray(data.content) ? data.content.join('\n') : data.content
  const mimeType = 'mimeType' in data ? data.mimeType : 'text/plain'
  if (typeof content !== 'string') return { content, contentType: mimeType }
  return { content: new TextEncoder().encode(content), contentType: isText(mimeType) ? mimeType : 'text/plain' }
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Files in the form of deepagents, by path. */
type FileRecord = Readonly<Record<string, FileData>>

/**
 * The file system of deepagents itself over some files, which it does not change: it says what an operation would do.
 *
 * So patterns, messages and the rule for a path that exists are those of the version in use.
 */
export function rulesOver(files: FileRecord): StateBackend {
  return new StateBackend({ state: { files } })
}

/** Refuse a version of deepagents whose file system would look for its files elsewhere, and silently find none. */
function assertRules(): void {
  if (writtenTo('/a', 'a', {}).data === undefined)
    throw new TypeError(
      'This version of deepagents works differently inside. Update @spillway/langchain, or install deepagents 1.14.',
    )
}

/** What deepagents makes of a text that is written to a path, or why it refuses. */
function writtenTo(
  path: string,
  content: string,
  files: FileRecord,
): { readonly data?: FileData | undefined; readonly error?: string } {
  try {
    const { error, filesUpdate } = rulesOver(files).write(path, content)
    return error === undefined ? { data: filesUpdate?.[path] } : { error }
  } catch (error) {
    if ((error as Error).name !== 'InvalidCharacterError') throw error
    return { error: `Cannot write to ${path}: files of this type take their content as Base64, and this is not.` }
  }
}

/** The type that deepagents gives to files of this name. */
function mimeTypeFor(path: string): string {
  const { data } = writtenTo(path, '', {})
  return data !== undefined && 'mimeType' in data ? data.mimeType : 'text/plain'
}

/** No text has more lines; line numbers beyond 2^53 are not exact. */
const MAX_LINES = 2 ** 50

/** A page of a text, with the fields by which deepagents says what it shows and where to go on. */
interface Page {
  readonly content: string
  readonly totalLines?: number
  readonly startLine?: number
  readonly endLine?: number
  readonly nextOffset?: number
}

/** Read lines as the backends of deepagents do. `totalLines` is there where the end was reached. */
export async function readPage(file: StoredFile, offset: number, limit: number): Promise<Page> {
  const first = wholeNumber(offset)
  const { text, lines, totalLines, goesOn } = await file.readLines({
    start: first + 1,
    end: first + wholeNumber(limit),
  })
  if (lines === undefined) return { content: text }
  return {
    content: text,
    startLine: lines.start,
    endLine: lines.end,
    ...(totalLines === undefined ? {} : { totalLines }),
    ...(goesOn ? { nextOffset: lines.end } : {}),
  }
}

/** What deepagents makes of a bound that a model wrote. */
function wholeNumber(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.floor(value)), MAX_LINES) : 0
}

const MAX_LENGTH = 256
/** Parts whose length is open, in all and between two slashes: with more of them matching may take for ever. */
const MAX_OPEN_PARTS = 6
const MAX_STARS_OF_NAME = 2
const OPEN_PART = /\*+|\{/g

/**
 * Say why a pattern of paths is not matched, and what to do; `undefined` where it is.
 *
 * deepagents matches them by regular expressions that backtrack, and a model may write any: `*a*a*a*a*a*a*b` would hold
 * the process for minutes.
 */
export function refuseGlob(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === '') return 'A pattern must be a text, such as **/*.md.'
  const shown = JSON.stringify(pattern.slice(0, MAX_LENGTH))
  if (pattern.length > MAX_LENGTH) return `A pattern may have at most ${MAX_LENGTH} characters. Shorten it.`
  if (/[()]|[\]}]\+/.test(pattern))
    return `${shown} has parentheses or repeats. Write it with *, **, ?, [abc] and {a,b}.`
  const openParts = pattern.match(OPEN_PART)?.length ?? 0
  const starsOfName = Math.max(...pattern.split('/').map((name) => name.match(/\*+/g)?.length ?? 0))
  if (openParts <= MAX_OPEN_PARTS && starsOfName <= MAX_STARS_OF_NAME) return undefined
  return `${shown} has too many wildcards. Use at most ${MAX_STARS_OF_NAME} * between slashes and ${MAX_OPEN_PARTS} * and {} in all.`
}
