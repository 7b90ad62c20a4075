import { parseJsonText } from '@spillway/core/adapter'
import { extensionForContentType, StorageError, type OperationOptions } from '@spillway/core'
import type {
  ArchivedItem,
  ArchivedKind,
  ArchiveReceipt,
  HistoryArchive,
  HistorySnapshot,
  ParsedReplacement,
  ParsedSnapshot,
  NewArchivedItem,
  ReplacedContent,
} from '@spillway/history'
import { HttpError } from '../app/http-error.ts'
import { fileNamePart, joinAsWritten, sha256Hex, virtualPath, type FileRecord } from '../files/file-record.ts'
import type { ScopeFiles } from '../files/scope-files.ts'

export interface FileArchiveOptions {
  /** The virtual folder, as written by the caller. */
  readonly folder: string
  /** Part of the file names of summarized messages. */
  readonly chatId: string
  /** Number of characters of a result to keep in its message. */
  readonly previewLength: number
}

interface ArchivedFile {
  readonly file: FileRecord
  readonly writtenPath: string
  readonly created: boolean
  readonly text: string | undefined
}

const DIGEST_DIGITS = 16
const ELLIPSIS = '...'
const CONCURRENT_READS = 16
const GROUP = 'compressed_group_'
const UNITS_PER_TOKEN = 4
const MEDIA: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document'])

/**
 * Archives histories in virtual files that have ReMe's names.
 *
 * A text counts as a reference only after {@link FileArchive.learn} has found a file that begins with the text. So
 * forged references and quotations have no effect.
 */
export class FileArchive implements HistoryArchive {
  readonly #files: ScopeFiles
  readonly #options: FileArchiveOptions
  readonly #filesByName = new Map<string, FileRecord>()
  readonly stored: Map<string, ArchivedFile> = new Map<string, ArchivedFile>()
  readonly #replacements = new Set<string>()

  constructor(files: ScopeFiles, options: FileArchiveOptions) {
    this.#files = files
    this.#options = options
  }

  /** Look up the files that messages name. Rejects like `list` and `retrieve`. */
  async learn(messages: readonly unknown[]): Promise<void> {
    const texts = new Set<string>()
    const paths = new Set<string>()
    for (const message of messages)
      for (const text of textsOf(message))
        for (const path of pathsIn(text)) {
          texts.add(text)
          paths.add(path)
        }
    for (const [path, file] of await this.#files.findAll(paths)) this.#filesByName.set(nameOf(path), file)
    const open = [...texts]
    for (let batch = open.splice(0, CONCURRENT_READS); batch.length > 0; batch = open.splice(0, CONCURRENT_READS))
      await Promise.all(batch.map((text) => this.#learnText(text)))
  }

  async #learnText(text: string): Promise<void> {
    const marks = readMarks(text)
    const [first] = marks
    const path = first === undefined ? undefined : resolved(first.path)
    const file = path === undefined ? undefined : this.#filesByName.get(nameOf(path))
    if (file === undefined) return
    const beginning = text.slice(0, text.length - writeMarks(marks).length)
    if (!beginning.endsWith(ELLIPSIS)) return
    const preview = beginning.slice(0, -ELLIPSIS.length)
    if (await this.#files.beginsWith(file, preview)) this.#replacements.add(text)
  }

  async store(item: NewArchivedItem, { signal }: OperationOptions = {}): Promise<ArchiveReceipt> {
    const { content, contentType, kind } = item
    const digest = await sha256Hex(content)
    const paths = await this.#pathsFor(item, digest)
    const { file, created } = await this.#files.store(paths, { content, contentType, digest }, { signal })
    const name = nameOf(file.path)
    const before = this.stored.get(name)
    const fileName = file.path.slice(file.path.lastIndexOf('/') + 1)
    const text = MEDIA.has(kind) ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
    const writtenPath = joinAsWritten(this.#options.folder, fileName)
    this.#filesByName.set(name, file)
    this.stored.set(name, { file, writtenPath, created: created || before?.created === true, text })
    return {
      name,
      rollback: async () => {
        if (before === undefined) this.stored.delete(name)
        if (created) await this.#files.discard(file)
      },
    }
  }

  async retrieve(
    name: string,
    { signal }: OperationOptions = {},
  ): Promise<{ content: Uint8Array; contentType: string }> {
    const file = this.#filesByName.get(name) ?? (await this.#files.find(pathOfName(name)))
    const found =
      file && (await this.#files.use(file, ({ reference }) => this.#files.storage.retrieve(reference, { signal })))
    if (found !== undefined) {
      // Summarized messages name further files, which may be read next.
      if (file?.path.endsWith('.json') === true) await this.#learnFrom(found.content)
      return found
    }
    throw new StorageError('not-found', `There is no file ${pathOfName(name)}.`, { reference: name })
  }

  async #learnFrom(content: Uint8Array): Promise<void> {
    const messages = parseJsonText(new TextDecoder().decode(content))
    if (Array.isArray(messages)) await this.learn(messages)
  }

  async has(name: string): Promise<boolean> {
    return this.#filesByName.has(name) || (await this.#files.find(pathOfName(name))) !== undefined
  }

  async use(name: string, { signal }: OperationOptions = {}): Promise<void> {
    const file = this.#filesByName.get(name)
    if (file !== undefined)
      await this.#files.storage.retrieveRange?.(file.reference, { offset: 0, length: 1 }, { signal })
  }

  writeReplacement({ subject, items }: ReplacedContent): string {
    const text = items.find((item) => item.kind !== 'original' && item.text !== undefined)?.text ?? ''
    const preview = text.slice(0, this.#options.previewLength).replace(/[\uD800-\uDBFF]$/, '')
    const marks = items.map(({ name, kind }) => {
      const of: MarkSubject = kind === 'original' ? 'original' : subject
      return { subject: of, path: this.#writtenPathOf(name) }
    })
    const written = `${preview}${ELLIPSIS}${writeMarks(marks)}`
    this.#replacements.add(written)
    return written
  }

  readReplacement(text: string): ParsedReplacement | undefined {
    if (!this.#replacements.has(text)) return undefined
    const items: ArchivedItem[] = []
    let subject: ParsedReplacement['subject'] = 'result'
    for (const mark of readMarks(text)) {
      const path = resolved(mark.path)
      const file = path === undefined ? undefined : this.#filesByName.get(nameOf(path))
      if (path === undefined || file === undefined) return undefined
      if (mark.subject !== 'original') subject = mark.subject
      const { contentType, size } = file
      items.push({ name: nameOf(path), kind: kindOf(mark.subject, contentType), contentType, size })
    }
    if (items.length === 0) return undefined
    const bytes = items.reduce((sum, { kind, size }) => sum + (kind === 'original' ? 0 : size), 0)
    const tokens = Math.ceil(bytes / UNITS_PER_TOKEN)
    return { subject, items, blocks: items.length, tokens, isError: false, isBrief: true }
  }

  writeSnapshot(snapshot: HistorySnapshot): string {
    return writeSnapshotText(snapshot, (name) => this.#writtenPathOf(name))
  }

  readSnapshot(text: string): ParsedSnapshot | undefined {
    const noted = readSnapshotText(text)
    if (noted === undefined) return undefined
    const groups: ParsedSnapshot['groups'][number][] = []
    for (const { count, path, retained } of noted.groups) {
      const normalized = resolved(path)
      const file = normalized === undefined ? undefined : this.#filesByName.get(nameOf(normalized))
      if (normalized === undefined || file === undefined || !isGroup(normalized)) return undefined
      const { contentType, size } = file
      groups.push({ name: nameOf(normalized), kind: 'messages', contentType, size, count, retained })
    }
    return { ...noted, groups }
  }

  #writtenPathOf(name: string): string {
    const { writtenPath } = this.stored.get(name) ?? {}
    if (writtenPath !== undefined) return writtenPath
    // A file of an earlier history may be in another folder, so the whole path is written.
    const path = pathOfName(name)
    const own = virtualPath(this.#options.folder)
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    return folder === own ? joinAsWritten(this.#options.folder, path.slice(path.lastIndexOf('/') + 1)) : path
  }

  async #pathsFor(
    { kind, callId, part, contentType }: NewArchivedItem,
    wholeDigest: string,
  ): Promise<Iterable<string>> {
    const folder = virtualPath(this.#options.folder)
    const within = (name: string): string => (folder === '' ? name : `${folder}/${name}`)
    const digest = wholeDigest.slice(0, DIGEST_DIGITS)
    if (kind === 'messages') {
      const chat = await fileNamePart(this.#options.chatId)
      return numbered((number) => within(`${GROUP}${chat}_${number}.json`))
    }
    if (kind === 'message') return [within(`message_${digest}.txt`), within(`message_${wholeDigest}.txt`)]
    const id = callId === '' ? digest : await fileNamePart(callId)
    const suffix = part === '0' ? '' : `_${await fileNamePart(part)}`
    const extension = kind === 'original' ? '.json' : MEDIA.has(kind) ? extensionForContentType(contentType) : '.txt'
    const base = `tool_call_${id}${suffix}`
    return [
      within(base + extension),
      within(`${base}_${digest}${extension}`),
      within(`${base}_${wholeDigest}${extension}`),
    ]
  }
}

function* numbered(path: (number: number) => string): Generator<string> {
  for (let number = 0; ; number += 1) yield path(number)
}

/** Encode a path as an archive name, because such names contain no blanks. */
const nameOf = (path: string): string => encodeURI(path.toWellFormed())
const pathOfName = (name: string): string => decodeURI(name)

function kindOf(subject: MarkSubject, contentType: string): ArchivedKind {
  if (subject !== 'result') return subject
  const [type] = contentType.split('/', 1)
  if (contentType === 'application/json') return 'json'
  if (type === 'text') return 'text'
  return type === 'image' || type === 'audio' || type === 'video' ? type : 'document'
}

const isGroup = (path: string): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith(GROUP)

function resolved(path: string): string | undefined {
  try {
    return virtualPath(path)
  } catch (error) {
    if (error instanceof HttpError) return undefined
    throw error
  }
}

function* pathsIn(text: string): Generator<string> {
  const written = [...readMarks(text), ...(readSnapshotText(text)?.groups ?? [])]
  for (const { path } of written) {
    const normalized = resolved(path)
    if (normalized !== undefined) yield normalized
  }
}

function* textsOf(value: unknown): Generator<string> {
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined || open.length > 0; next = open.pop()) {
    if (typeof next === 'string') yield* textAndArguments(next)
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next))
  }
}

/** Yield a text, and the texts in arguments of a call, which are JSON in a string. */
function* textAndArguments(text: string): Generator<string> {
  yield text
  if (text.startsWith('{') && text.includes(' is stored in ')) yield* textsOf(parseJsonText(text) ?? '')
}

const START = '<state_snapshot>\n'
const END = '\n</state_snapshot>'
const SEPARATOR = '\n\n'
const HEADING = /^\[Compressed conversation history: (\d+) messages, ~(\d+) tokens\]$/
const GROUP_NOTE = /^\(Original (\d+) messages are stored in: (.+?)(?:; kept ([\d, ]+))?\)$/

interface NotedGroup {
  readonly count: number
  readonly path: string
  readonly retained: readonly number[]
}

interface NotedSnapshot extends Pick<ParsedSnapshot, 'text' | 'tokens' | 'around'> {
  readonly groups: readonly NotedGroup[]
}

export function writeSnapshotText({ text, groups, tokens }: HistorySnapshot, pathOf: (name: string) => string): string {
  const messages = groups.reduce((sum, { count }) => sum + count, 0)
  const lines = groups.map(({ name, count, retained }) => {
    const positions = retained.length === 0 ? '' : `; kept ${retained.join(', ')}`
    return `(Original ${count} messages are stored in: ${pathOf(name)}${positions})`
  })
  return [
    `${START}${text}${END}`,
    `[Compressed conversation history: ${messages} messages, ~${tokens} tokens]`,
    ...lines,
  ].join('\n')
}

/** Parse the snapshot in the text of a system message; `undefined` without a snapshot. */
export function readSnapshotText(text: string): NotedSnapshot | undefined {
  const start = text.lastIndexOf(START)
  const end = start < 0 ? -1 : text.indexOf(END, start)
  if (end < 0) return undefined
  const [heading = '', ...lines] = text.slice(end + END.length + 1).split('\n')
  const tokens = HEADING.exec(heading)?.[2]
  if (tokens === undefined) return undefined
  const groups: NotedGroup[] = []
  let rest = 0
  for (; rest < lines.length; rest++) {
    const [, count, path, retained] = GROUP_NOTE.exec(lines[rest]!) ?? []
    if (count === undefined || path === undefined) break
    groups.push({
      count: Number(count),
      path,
      retained: retained === undefined ? [] : retained.split(', ').map(Number),
    })
  }
  if (groups.length === 0) return undefined
  const after = lines.slice(rest).join('\n')
  const before = start === 0 ? '' : text.slice(0, Math.max(0, start - SEPARATOR.length))
  const around = start === 0 && after === '' ? undefined : before + (after === '' ? '' : `\n${after}`)
  return { text: text.slice(start + START.length, end), groups, tokens: Number(tokens), around }
}

type MarkSubject = 'result' | 'argument' | 'message' | 'original'

/** A reference in a text. */
export interface StoredMark {
  readonly subject: MarkSubject
  /** The path as written in the text, relative or absolute. */
  readonly path: string
}

const SUBJECTS = {
  result: 'detailed result',
  argument: 'detailed argument',
  message: 'detailed message',
  original: 'original message',
} as const

const MARK = / \((detailed result|detailed argument|detailed message|original message) is stored in /g
/** Limit of the references in a list. Only an attacker would write a longer list. */
const MAX_MARKS = 64

export const writeMarks = (marks: readonly StoredMark[]): string =>
  marks.map(({ subject, path }) => ` (${SUBJECTS[subject]} is stored in ${path})`).join('')

/** Parse the references at the end of a text, in order. Return an empty list for any other text. */
export function readMarks(text: string): readonly StoredMark[] {
  if (!text.endsWith(')')) return []
  const marks: StoredMark[] = []
  let end = text.length
  const found = [...text.matchAll(MARK)].slice(-MAX_MARKS)
  for (const match of found.toReversed()) {
    const start = match.index + match[0].length
    const path = text.slice(start, end - 1)
    // References are adjacent, so other text before them is content.
    if (text[end - 1] !== ')' || path === '' || /[\n\r]/.test(path)) break
    marks.unshift({ subject: subjectOf(match[1] ?? ''), path })
    end = match.index
  }
  return marks
}

const subjectOf = (phrase: string): MarkSubject =>
  (Object.keys(SUBJECTS) as MarkSubject[]).find((subject) => SUBJECTS[subject] === phrase) ?? 'result'
