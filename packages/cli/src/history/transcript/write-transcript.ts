import { open, realpath, stat, type FileHandle } from 'node:fs/promises'
import { CliError, EXIT_CODE, usageError } from '../../cli-error.ts'
import { print } from '../../output.ts'
import { replaceFile } from '../../replace-file.ts'
import type { OutputOptions } from '../../commands/options.ts'
import { writeJson, type Span } from './json-spans.ts'
import {
  readingFile,
  type Conversation,
  type SystemPlace,
  type Transcript,
  type TranscriptMessage,
} from './transcript.ts'

const CHUNK_BYTES = 1_048_576

interface TranscriptOutput {
  readonly path: string
  readonly overwrites: boolean
}

/** Return the output of a command's options; `undefined` if there is none. */
export function outputOf({
  output,
  force = false,
  json = false,
}: OutputOptions & { readonly json?: boolean }): TranscriptOutput | undefined {
  if (output === '-' && json) throw usageError('--output - and --json both write standard output.')
  return output === undefined ? undefined : { path: output, overwrites: force }
}

/** Throw if the output exists and `--force` is missing. */
export async function assertOutput({ path, overwrites }: TranscriptOutput): Promise<void> {
  const place = path === '-' || overwrites ? 'nothing' : await readingFile(path, () => placeOf(path))
  if (place === 'nothing' || place === 'stream') return
  throw new CliError('exists', EXIT_CODE.usage, `${path} is there already. To replace it, add --force.`)
}

/**
 * Write a transcript atomically, copying unchanged messages byte by byte. Throws a {@link CliError} if it has changed.
 */
export async function writeTranscript(
  transcript: Transcript,
  conversation: Conversation,
  output: TranscriptOutput,
): Promise<void> {
  const source = await readingFile(transcript.path, () => open(transcript.path))
  try {
    const { size, mtimeMs, mode } = await source.stat()
    if (size !== transcript.size || mtimeMs !== transcript.mtimeMs)
      throw new CliError('changed', EXIT_CODE.nothing, `${transcript.path} has changed meanwhile. Run it again.`)
    const pieces = piecesOf(transcript, conversation)
    if (output.path === '-') {
      for await (const chunk of bytesOf(pieces, source)) await print(chunk)
      return
    }
    await readingFile(output.path, async () => {
      const { path } = output
      const place = await placeOf(path)
      if (place === 'stream') return await writeStream(path, pieces, source)
      // A link stays a link; an existing file keeps its permissions.
      const isThere = place === 'file'
      const target = isThere ? await realpath(path) : path
      const permissions = isThere ? (await stat(target)).mode : mode | 0o600
      return await replaceFile(target, permissions, bytesOf(pieces, source), () => assertOutput(output))
    })
  } finally {
    await source.close()
  }
}

async function* bytesOf(pieces: readonly Piece[], source: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      yield Buffer.from(piece)
      continue
    }
    for (let at = piece.start; at < piece.end;) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(CHUNK_BYTES, piece.end - at), at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}

async function writeStream(path: string, pieces: readonly Piece[], source: FileHandle): Promise<void> {
  const file = await open(path, 'w')
  try {
    for await (const chunk of bytesOf(pieces, source)) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}

/** Pipes and devices are not replaced. */
async function placeOf(path: string): Promise<'nothing' | 'file' | 'stream'> {
  try {
    const found = await stat(path)
    return found.isFile() || found.isDirectory() ? 'file' : 'stream'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing'
    throw error
  }
}

type Piece = string | Span

interface Edit extends Span {
  readonly pieces: readonly Piece[]
}

/** Throws a `TypeError` if the file has no place for a new message, as in a session. */
function piecesOf(transcript: Transcript, conversation: Conversation): readonly Piece[] {
  const edits = [...systemEdits(transcript, conversation), ...messageEdits(transcript, conversation)]
  const pieces: Piece[] = []
  let at = 0
  for (const { start, end, pieces: made } of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push({ start: at, end: start }, ...made)
    at = end
  }
  return joined([...pieces, { start: at, end: transcript.size }])
}

function systemEdits({ layout, style }: Transcript, { system }: Conversation): readonly Edit[] {
  const place: SystemPlace | undefined = layout.kind === 'document' ? layout.system : undefined
  if (system === place?.value) return []
  if (place === undefined) throw new TypeError('This transcript has no place for a system prompt.')
  const { key, span, member, insertAt } = place
  if (system === undefined) return member === undefined ? [] : [{ ...member, pieces: [] }]
  const json = writeJson(system, { ...style, indent: undefined })
  if (span !== undefined) return [{ ...span, pieces: [json] }]
  const isSpread = style.indent !== undefined
  const blank = isSpread || style.isSpaced ? ' ' : ''
  // The list is indented one level less than its messages.
  const gap = isSpread ? style.eol + style.margin.slice(style.indent.length) : blank
  return [{ start: insertAt, end: insertAt, pieces: [`${JSON.stringify(key)}:${blank}${json},${gap}`] }]
}

function messageEdits(
  { messages, layout, style, size }: Transcript,
  { messages: next }: Conversation,
): readonly Edit[] {
  const byValue = new Map(messages.map((message, index) => [message.value, { message, index }]))
  const isInPlace =
    next.length === messages.length && next.every((value, at) => value === messages[at]!.value || !byValue.has(value))
  if (isInPlace)
    return messages.flatMap(({ start, end, value }, at) =>
      value === next[at] ? [] : [{ start, end, pieces: [writeJson(next[at], style)] }],
    )
  if (layout.kind === 'session') throw new TypeError('A session has no place for other messages.')
  const [separator, lead, trail, start, end] =
    layout.kind === 'document'
      ? [layout.separator, layout.lead, layout.trail, layout.inside.start, layout.inside.end]
      : [layout.eol, '', layout.endsWithEol ? layout.eol : '', messages[0]!.start, size]
  const pieces: Piece[] = []
  let before: { readonly message: TranscriptMessage; readonly index: number } | undefined
  for (const [at, value] of next.entries()) {
    const found = byValue.get(value)
    const isNext = before !== undefined && found?.index === before.index + 1
    if (isNext) pieces.push({ start: before!.message.end, end: found.message.start })
    else pieces.push(at === 0 ? lead : separator)
    pieces.push(found === undefined ? writeJson(value, style) : { start: found.message.start, end: found.message.end })
    before = found
  }
  return [{ start, end, pieces: next.length === 0 ? [] : [...pieces, trail] }]
}

function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (piece === '' || (typeof piece === 'object' && piece.start === piece.end)) continue
    if (typeof last === 'object' && typeof piece === 'object' && last.end === piece.start)
      all.splice(-1, 1, { start: last.start, end: piece.end })
    else all.push(piece)
  }
  return all
}
