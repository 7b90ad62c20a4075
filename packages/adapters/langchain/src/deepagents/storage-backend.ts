import { StorageError, type Storage } from '@spillway/core'
import {
  refuseFilePath,
  StoredFiles,
  type FileContent,
  type StoredFile,
  type StoredFilesOptions,
} from '@spillway/core/files'
import {
  StateBackend,
  type BackendProtocolV2,
  type EditResult,
  type FileData,
  type FileDownloadResponse,
  type FileInfo,
  type FileUploadResponse,
  type GlobResult,
  type GrepResult,
  type LsResult,
  type ReadRawResult,
  type ReadResult,
  type WriteResult,
} from 'deepagents'
import { contentTypeEssence, isTextContentType, decodeExactly } from '@spillway/core/adapter'

/** The limit of the file tools of deepagents. */
const MAX_MEDIA_BYTES = 10_485_760

/** Options of {@link StorageBackend}. */
export interface StorageBackendOptions extends StoredFilesOptions {
  /** Result folder. Use `/` if the backend is mounted at such a path. Defaults to `/large_tool_results/`. */
  readonly resultFolder?: string | undefined
}

/**
 * A file system for agents of deepagents over a storage.
 *
 * Offloaded content is a read-only file, `/large_tool_results/<reference>.txt`. The agent's own files are in the same
 * storage, for as long as the storage keeps them. Operations do not reject: failures are returned as `error`.
 *
 * @param storage - The storage of one scope with `list()`, or a function that returns it at each operation.
 * @throws TypeError if the storage cannot list, and for an invalid option.
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

  /** List a folder. Names of folders in it end with a slash. */
  async ls(path: string): Promise<LsResult> {
    return await answer(async () => {
      const folder = typeof path === 'string' && path.endsWith('/') ? path.slice(0, -1) : path
      refuseIf(folder === '' ? undefined : refuseFilePath(folder))
      const files = await this.#files.list()
      return { files: sized(rulesOver(outlines(files)).ls(path).files, files) }
    })
  }

  /** Read lines from `offset`, counted from 0, or media as bytes. */
  async read(path: string, offset = 0, limit = 500): Promise<ReadResult> {
    return await this.#read(path, async (file): Promise<ReadResult> => {
      const { mimeType } = outlineOf(file)
      if (isText(mimeType)) return { ...(await readPage(file, offset, limit)), mimeType }
      if (file.size > MAX_MEDIA_BYTES)
        throw new Refusal(`'${path}' has ${file.size} bytes of ${mimeType}: too large to be read.`)
      return { content: await file.readBytes(), mimeType }
    })
  }

  /** Read a whole file. */
  async readRaw(path: string): Promise<ReadRawResult> {
    return await this.#read(path, async (file) => {
      const outline = outlineOf(file)
      const content = await file.readBytes()
      return { data: { ...outline, content: isText(outline.mimeType) ? decode(content) : content } }
    })
  }

  /** Store a file. The installed deepagents decides whether an existing file is replaced, or the write is refused. */
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
        const content = isText(outline.mimeType) ? decodeExactly(await file.readBytes()) : undefined
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

  /** Find lines with a literal text in text files, at most 10,000 lines. */
  async grep(
    pattern: string,
    path: string | null = '/',
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<GrepResult> {
    return await answer(async () => {
      refuseIf(glob === null || glob === '' ? undefined : refuseGlob(glob))
      const files = await this.#files.list()
      // Each outline has one empty line, so a search for `''` finds all text files. For a single file, searching from
      // `/` works in any version.
      const file = files.get(path ?? '/')
      const rules = rulesOver(file === undefined ? outlines(files) : { [file.path]: outlineOf(file) })
      const searched = rules.grep('', file === undefined ? (path ?? '/') : '/', glob).matches ?? []
      const { matches, damaged, truncated } = await this.#files.find(pattern, {
        files: searched.map((match) => files.get(match.path)!),
        maxMatches: maxCount ?? undefined,
      })
      // A result has no other field that says that files were not searched.
      if (damaged.length > 0 && matches.length === 0)
        throw new Refusal(`Error: No line was found, but these files are damaged: ${damaged.join(', ')}`)
      return { matches: [...matches], ...(truncated || damaged.length > 0 ? { truncated: true } : {}) }
    })
  }

  /** Find files by a path pattern, the latest first. */
  async glob(pattern: string, path = '/'): Promise<GlobResult> {
    return await answer(async () => {
      refuseIf(refuseGlob(pattern))
      const files = await this.#files.list()
      return { files: sized(rulesOver(outlines(files)).glob(pattern, path).files, files) }
    })
  }

  /** Remove a file or folder of the agent. Tool results cannot be removed. */
  async delete(path: string): Promise<{ path?: string; error?: string; filesUpdate?: null }> {
    return await answer(async () => {
      const removed = await this.#files.remove(path)
      if (removed.length === 0) throw new Refusal(`Error: File '${path}' not found`)
      return { path, filesUpdate: null }
    })
  }

  /** Store bytes, and replace existing bytes. For a tool result, and in an outage, the error is `permission_denied`. */
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

  /** Read the bytes of files. In an outage, the error is `permission_denied`. */
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

  #read<Result extends object>(
    path: string,
    read: (file: StoredFile) => Promise<Result>,
  ): Promise<Result | { error: string }> {
    return answer(async () => {
      const result = await this.#files.read(path, read)
      if (result === undefined) throw new Refusal(`File '${path}' not found`)
      return result
    })
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

/** A refused operation. The error's message is the answer for the model. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

async function answer<Result>(run: () => Promise<Result>): Promise<Result | { error: string }> {
  try {
    return await run()
  } catch (error) {
    // Any failure becomes an answer, because a rejection would end the agent's run.
    return { error: describe(error) }
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal) return message
  if (!StorageError.isInstance(error)) return `The operation failed: ${message}. Try it once more.`
  // deepagents starts its own refusals with `Error:`. An outage is not a refusal.
  return error.code === 'invalid-key' || error.code === 'unsupported' ? `Error: ${message}` : message
}

const KNOWN_TEXT = /^(?:text\/.+|application\/(?:json|javascript)|image\/svg\+xml)$/

type Outline = Extract<FileData, { mimeType: string }>

function outlineOf({ contentType, createdAt, modifiedAt }: StoredFile): Outline {
  const essence = contentTypeEssence(contentType)
  const mimeType = isTextContentType(essence) && !isText(essence) ? 'text/plain' : essence
  return { content: '', mimeType, created_at: timeOf(createdAt), modified_at: timeOf(modifiedAt) }
}

function outlines(files: ReadonlyMap<string, StoredFile>): FileRecord {
  return Object.fromEntries([...files].map(([path, file]) => [path, outlineOf(file)]))
}

function sized(infos: readonly FileInfo[] | undefined, files: ReadonlyMap<string, StoredFile>): FileInfo[] {
  return (infos ?? []).map((info) => ({ ...info, size: files.get(info.path)?.size ?? 0 }))
}

const isText = (mimeType: string): boolean => KNOWN_TEXT.test(mimeType)

function contentOf(data: FileData): FileContent {
  const content = Array.isArray(data.content) ? data.content.join('\n') : data.content
  const mimeType = 'mimeType' in data ? data.mimeType : 'text/plain'
  if (typeof content !== 'string') return { content, contentType: mimeType }
  return { content: new TextEncoder().encode(content), contentType: isText(mimeType) ? mimeType : 'text/plain' }
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

type FileRecord = Readonly<Record<string, FileData>>

/** The file system of the installed deepagents over our files. Its patterns, messages and rules apply. */
export const rulesOver = (files: FileRecord): StateBackend => new StateBackend({ state: { files } })

/** Throws for an unknown version of deepagents, whose file system would silently find no file. */
function assertRules(): void {
  if (writtenTo('/a', 'a', {}).data === undefined)
    throw new TypeError(
      'This version of deepagents is not supported. Update @spillway/langchain, or install deepagents 1.14.',
    )
}

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
    return {
      error: `Cannot write to ${path}: files of this type need content in Base64, and this content is not Base64.`,
    }
  }
}

function mimeTypeFor(path: string): string {
  const { data } = writtenTo(path, '', {})
  return data !== undefined && 'mimeType' in data ? data.mimeType : 'text/plain'
}

/** Line numbers beyond 2^53 are not exact. */
const MAX_LINES = 2 ** 50

interface Page {
  readonly content: string
  readonly totalLines?: number
  readonly startLine?: number
  readonly endLine?: number
  readonly nextOffset?: number
}

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
    totalLines,
    ...(goesOn ? { nextOffset: lines.end } : {}),
  }
}

/** Converts a line number that a model wrote, in the same way as deepagents. */
function wholeNumber(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.floor(value)), MAX_LINES) : 0
}

const MAX_LENGTH = 256
/** Largest numbers of wildcards in a pattern, and between two slashes. More wildcards may make matching endless. */
const MAX_OPEN_PARTS = 6
const MAX_STARS_OF_NAME = 2
const OPEN_PART = /\*+|\{/g

/** Return the reason to refuse a path pattern, if any: deepagents backtracks for minutes at `*a*a*a*a*a*a*b`. */
export function refuseGlob(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === '') return 'A pattern must be a text, such as **/*.md.'
  const shown = JSON.stringify(pattern.slice(0, MAX_LENGTH))
  if (pattern.length > MAX_LENGTH) return `A pattern may have at most ${MAX_LENGTH} characters. Shorten it.`
  if (/[()]|[\]}]\+/.test(pattern))
    return `${shown} has parentheses or repeats. Write it with *, **, ?, [abc] and {a,b}.`
  // Backslashes at the end make the matcher of deepagents endless, for example at `}\\\\`.
  if (pattern.endsWith('\\')) return `${shown} ends with a backslash. Remove the backslash.`
  const openParts = pattern.match(OPEN_PART)?.length ?? 0
  const starsOfName = Math.max(...pattern.split('/').map((name) => name.match(/\*+/g)?.length ?? 0))
  if (openParts <= MAX_OPEN_PARTS && starsOfName <= MAX_STARS_OF_NAME) return undefined
  return `${shown} has too many wildcards. Use at most ${MAX_STARS_OF_NAME} times * between two slashes, and at most ${MAX_OPEN_PARTS} times * or {} in total.`
}
