import { randomUUID } from 'node:crypto'
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliError, usageError } from '../../cli-error.ts'
import { EXIT_CODE } from '../../exit-code.ts'
import { print } from '../../output.ts'
import type { OutputOptions } from '../history-options.ts'
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
  if (path === '-' || overwrites || !(await exists(path))) return
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
  const pieces = piecesOf(transcript, conversation)
  const source = await readingFile(transcript.path, () => open(transcript.path))
  try {
    const { size, mtimeMs, mode } = await source.stat()
    if (size !== transcript.size || mtimeMs !== transcript.mtimeMs)
      throw new CliError('changed', EXIT_CODE.nothing, `${transcript.path} has changed meanwhile. Run it again.`)
    if (output.path === '-') {
      for await (const chunk of bytesOf(pieces, source)) await print(chunk)
      return
    }
    await readingFile(output.path, () => replaceFile(output, pieces, source, mode))
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
  const isThere = await exists(path)
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

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
