import { randomUUID } from 'node:crypto'
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliError, usageError } from '../../cli-error.ts'
import { EXIT_CODE } from '../../exit-code.ts'
import { print } from '../../output.ts'
import type { OutputOptions } from '../history-options.ts'
import type { Span } from './json-spans.ts'
import { readingFile } from './transcript-error.ts'
import { piecesOf, type Piece } from './transcript-pieces.ts'
import type { Conversation, Transcript } from './transcript.ts'

const CHUNK_BYTES = 1_048_576

/** Where a transcript is written. */
export interface TranscriptOutput {
  /** `-` is standard output. */
  readonly path: string
  /** Whether a file may be there already, the transcript itself among them. */
  readonly overwrites: boolean
}

/** Where the options of a command want a transcript; undefined where it is not written. */
export function outputOf({
  output,
  force = false,
  json = false,
}: OutputOptions & { readonly json?: boolean }): TranscriptOutput | undefined {
  if (output === '-' && json) throw usageError('--output - and --json both write standard output.')
  return output === undefined ? undefined : { path: output, overwrites: force }
}

/** Refuse to write over a file that nobody asked to be replaced; before any work is done. */
export async function assertOutput({ path, overwrites }: TranscriptOutput): Promise<void> {
  const place = path === '-' || overwrites ? 'nothing' : await readingFile(path, () => placeOf(path))
  if (place === 'nothing' || place === 'stream') return
  throw new CliError('exists', EXIT_CODE.usage, `${path} is there already. To replace it, add --force.`)
}

/**
 * Write a transcript with other messages. What has not changed is copied byte by byte. A file is written beside its place
 * and then put there in one step.
 *
 * Throws a {@link CliError} where the transcript has changed since it was read.
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
    const pieces = await piecesOf(transcript, conversation, (span) => readSpan(source, span))
    if (output.path === '-') {
      for await (const chunk of bytesOf(pieces, source)) await print(chunk)
      return
    }
    await readingFile(output.path, async () =>
      (await placeOf(output.path)) === 'stream'
        ? writeStream(output.path, pieces, source)
        : replaceFile(output, pieces, source, mode),
    )
  } finally {
    await source.close()
  }
}

async function replaceFile(
  { path, overwrites }: TranscriptOutput,
  pieces: readonly Piece[],
  source: FileHandle,
  mode: number,
): Promise<void> {
  // A link stays a link, and a file as readable as it was; a new one as the transcript, and writable.
  const isThere = (await placeOf(path)) === 'file'
  const target = isThere ? await realpath(path) : path
  const permissions = isThere ? (await stat(target)).mode : mode | 0o600
  const unnamed = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`)
  try {
    const file = await open(unnamed, 'wx', 0o600)
    try {
      await file.chmod(permissions & 0o777)
      for await (const chunk of bytesOf(pieces, source)) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await assertOutput({ path, overwrites })
    await rename(unnamed, target)
  } finally {
    await rm(unnamed, { force: true })
  }
}

async function readSpan(source: FileHandle, { start, end }: Span): Promise<Uint8Array> {
  const bytes = Buffer.alloc(end - start)
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await source.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes
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

/** Write to a pipe or a device, which stays what it is. */
async function writeStream(path: string, pieces: readonly Piece[], source: FileHandle): Promise<void> {
  const file = await open(path, 'w')
  try {
    for await (const chunk of bytesOf(pieces, source)) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}

/** What is at a path: a file or folder, or a pipe or device, which cannot be replaced and need not be. */
async function placeOf(path: string): Promise<'nothing' | 'file' | 'stream'> {
  try {
    const found = await stat(path)
    return found.isFile() || found.isDirectory() ? 'file' : 'stream'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing'
    throw error
  }
}
