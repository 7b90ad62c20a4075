import { open, type FileHandle } from 'node:fs/promises'
import { extname } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { formatBytes } from '../../format.ts'
import { detectFormat } from './detect-format.ts'
import { fileLines } from './file-lines.ts'
import { FORMAT_NAMES, type FormatName } from './format-name.ts'
import { TRANSCRIPT_FORMATS } from './formats.ts'
import { skipBlanks } from './json-spans.ts'
import { LIST_KEYS, readDocument } from './read-document.ts'
import { readLines } from './read-lines.ts'
import { parseJson, readingFile, transcriptError } from './transcript-error.ts'
import type { Transcript } from './transcript.ts'

/** All messages of a transcript are in memory at once, in about twice its size. */
const MAX_SHARE_OF_MEMORY = 1 / 3
const LINE_EXTENSIONS: ReadonlySet<string> = new Set(['.jsonl', '.ndjson'])
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/**
 * Read a file with a conversation: a JSON array, a document that has one, messages on lines, or a session of Claude Code.
 *
 * Throws a {@link CliError} that names the line for what cannot be read.
 *
 * @param given - The format; without it, it is told by the messages.
 */
export async function readTranscript(path: string, given?: FormatName): Promise<Transcript> {
  const handle = await readingFile(path, () => open(path))
  try {
    const { size, mtimeMs, isFile } = await readingFile(path, async () => {
      const stats = await handle.stat()
      return { size: stats.size, mtimeMs: stats.mtimeMs, isFile: stats.isFile() }
    })
    if (!isFile) throw transcriptError(path, undefined, 'is no file.')
    const maxBytes = getHeapStatistics().heap_size_limit * MAX_SHARE_OF_MEMORY
    if (size > maxBytes)
      throw transcriptError(
        path,
        undefined,
        `has ${formatBytes(size)}, and there is memory for ${formatBytes(maxBytes)}. For more: NODE_OPTIONS=--max-old-space-size=${Math.ceil(size / MAX_SHARE_OF_MEMORY / 1_048_576)}.`,
      )
    const read = await readingFile(path, () => readMessages(path, handle, given))
    const { messages, listKey, system } = read
    if (messages.length === 0) throw transcriptError(path, undefined, 'has no messages.')
    const name =
      given ??
      read.format ??
      detectFormat(
        messages.map(({ value }) => value),
        listKey,
        system !== undefined,
      )
    if (name === undefined)
      throw transcriptError(
        path,
        messages[0]?.line,
        `messages of an unknown format. Name it by --format: ${FORMAT_NAMES.join(', ')}.`,
      )
    return { path, size, mtimeMs, ...read, format: TRANSCRIPT_FORMATS[name] }
  } finally {
    await handle.close()
  }
}

type Read = Omit<Transcript, 'path' | 'size' | 'mtimeMs' | 'format'> & {
  /** Where the layout tells it. */
  readonly format?: FormatName
  readonly listKey: string | undefined
  readonly system: unknown
}

async function readMessages(path: string, handle: FileHandle, given: FormatName | undefined): Promise<Read> {
  if (given === 'claude-code' || (await hasLines(path, handle))) {
    const read = await readLines(path, handle, given === undefined ? undefined : given === 'claude-code')
    const format = read.layout.kind === 'session' ? { format: 'claude-code' as const } : {}
    return { ...read, ...format, listKey: undefined, system: undefined }
  }
  const bytes = new Uint8Array((await handle.stat()).size)
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  const read = readDocument(path, bytes)
  return { ...read, notes: [], system: read.layout.system?.value }
}

/** Whether a file has a value on each line, and is no document. */
async function hasLines(path: string, handle: FileHandle): Promise<boolean> {
  if (LINE_EXTENSIONS.has(extname(path).toLowerCase())) return true
  let first: unknown
  for await (const { bytes, line } of fileLines(handle)) {
    const start = skipBlanks(bytes, 0)
    if (start === bytes.length) continue
    // A second value behind the first.
    if (first !== undefined) return true
    if (bytes[start] === OPEN_BRACKET) return false
    if (bytes[start] !== OPEN_BRACE) throw transcriptError(path, line, 'is no JSON.')
    first = parseJson(new TextDecoder().decode(bytes))
    // An object that goes on over several lines.
    if (first === undefined) return false
  }
  // One object alone, a document with a list or one message; or nothing.
  return !LIST_KEYS.some((key) => Array.isArray((Object(first) as Record<string, unknown>)[key]))
}
