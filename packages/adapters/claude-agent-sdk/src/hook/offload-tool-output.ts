import { constants } from 'node:fs'
import { open, realpath, type FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, sep } from 'node:path'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { maxResultTokensOf, offloadParts, decodeExactly } from '@spillway/core/adapter'
import type { PostToolUseAnswer, PostToolUseInput } from './post-tool-use.ts'
import { partOfBlock, readToolOutput, type OutputPart } from './tool-output.ts'

/** Larger output is stored as a stream, so its reference differs each time. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024

/**
 * Offload large output of a Claude Code tool, and return the answer of the hook `PostToolUse`. If the output is not
 * offloaded, return `{}`.
 *
 * All output of a shell command is stored, even the part that Claude Code has written to a file. If storing fails,
 * `onEvent` of the offloader gets the error. Never rejects for any output.
 *
 * @param offloader - The offloader of the session.
 *
 * @example
 * ```ts
 * import { offloadToolOutput } from '@spillway/claude-agent-sdk/hook'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
 * const call = { session_id: 'session-1', transcript_path: '/home/me/.claude/projects/app/session-1.jsonl' }
 * const tool = { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: { command: 'npm test' } }
 * const tool_response = { stdout: 'ok 1 - adds\n'.repeat(2_000), stderr: '', interrupted: false }
 * const { hookSpecificOutput } = await offloadToolOutput(session, { ...call, ...tool, tool_response })
 * console.assert(hookSpecificOutput !== undefined)
 * ```
 */
export async function offloadToolOutput(
  offloader: ContextOffloader,
  input: PostToolUseInput,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<PostToolUseAnswer> {
  if (input.tool_name.endsWith(RETRIEVAL_TOOL_NAME)) return {}
  const { persistedOutputPath: path } = Object(input.tool_response) as { readonly persistedOutputPath?: unknown }
  const staysWhole = maxResultTokensOf(offloader, input.tool_name) === Infinity
  const updatedToolOutput =
    path === undefined || staysWhole
      ? await offloadOutput(offloader, input, signal, input.tool_response)
      : await offloadSaved(offloader, input, signal, path)
  return updatedToolOutput === undefined
    ? {}
    : { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } }
}

async function offloadOutput(
  offloader: ContextOffloader,
  request: PostToolUseInput,
  signal: AbortSignal | undefined,
  response: unknown,
): Promise<unknown> {
  const { tool_name: toolName, tool_use_id: toolCallId, tool_input: input } = request
  const output = readToolOutput({ ...request, tool_response: response })
  if (output === undefined) return undefined
  const outcome = await offloadParts<OutputPart>(offloader, {
    toolName,
    toolCallId,
    input,
    signal,
    parts: output.parts,
    toBlock: ({ block }) => block,
    fromText: (text) => ({ value: text, block: { type: 'text', text } }),
    fromBlock: partOfBlock,
  })
  if (outcome.status === 'inline') return undefined
  const [replacement, ...rest] = outcome.parts
  return output.write(String(replacement.value), rest)
}

/** A file that cannot be read is not offloaded: Claude Code shows its start and its path. */
async function offloadSaved(
  offloader: ContextOffloader,
  request: PostToolUseInput,
  signal: AbortSignal | undefined,
  path: unknown,
): Promise<unknown> {
  const { tool_name: toolName, tool_use_id: toolCallId, tool_response: response } = request
  const started = performance.now()
  let saved: SavedOutput | undefined
  try {
    saved = await openSavedOutput(path, request.transcript_path)
    if (saved === undefined) return undefined
    const stdout = saved.size <= MAX_WHOLE_BYTES ? await saved.text() : undefined
    return stdout === undefined
      ? await offloadChunks(offloader, request, signal, saved)
      : await offloadOutput(offloader, request, signal, { ...(response as object), stdout })
  } catch (error) {
    // After any error, the event has the error, and Claude Code shows the beginning and the path of the file.
    const tokens = { original: Math.ceil((saved?.size ?? 0) / 4) }
    const durationMs = performance.now() - started
    const failed = { type: 'offload-failed', toolName, toolCallId, error, failures: 1, tokens, durationMs } as const
    offloader.options.onEvent?.(failed)
    return undefined
  } finally {
    await saved?.close()
  }
}

async function offloadChunks(
  offloader: ContextOffloader,
  request: PostToolUseInput,
  signal: AbortSignal | undefined,
  saved: SavedOutput,
): Promise<unknown> {
  const { tool_name: toolName, tool_use_id: toolCallId, tool_input: input, tool_response: response } = request
  if (offloader.mode !== 'offload') return undefined
  const candidate = { toolName, toolCallId, input, isError: false, tokens: Math.ceil(saved.size / 4) }
  if ((await offloader.options.shouldOffload?.(candidate)) === false) return undefined
  const { stderr } = response as { readonly stderr?: unknown }
  const chunks = withLast(saved.chunks(), typeof stderr === 'string' ? stderr : '')
  const { content } = await offloader.offloadStream({ toolName, toolCallId, input, signal, chunks })
  const [replacement] = content
  if (replacement?.type !== 'text') return undefined
  return readToolOutput(request)?.write(replacement.text, [])
}

/** Append standard error, which the model would see last. */
async function* withLast(chunks: AsyncIterable<Uint8Array>, text: string): AsyncGenerator<Uint8Array> {
  yield* chunks
  if (text !== '') yield new TextEncoder().encode(`\n${text}`)
}

const FOLDER = 'tool-results'

type SavedOutput = ReturnType<typeof savedOutput>

/**
 * Open a file in a folder `tool-results` beneath the transcripts of the project. Returns `undefined` for any other
 * path, for a link, and for a missing file.
 *
 * Tools write a part of the hook's input, but must not choose which file is stored.
 */
async function openSavedOutput(path: unknown, transcriptPath: string): Promise<SavedOutput | undefined> {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  if (!isAbsolute(path) || !isAbsolute(transcriptPath)) return undefined
  let file: FileHandle | undefined
  try {
    const [real, project] = await Promise.all([realpath(path), realpath(dirname(transcriptPath))])
    if (basename(dirname(real)) !== FOLDER || !real.startsWith(project + sep)) return undefined
    // A link or an endless pipe may have replaced the file since the check.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (stats.isFile()) return savedOutput(file, stats.size)
    await file.close()
  } catch (error) {
    await file?.close()
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || !['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EINVAL'].includes(code)) throw error
  }
  return undefined
}

const savedOutput = (file: FileHandle, size: number) => ({
  size,
  chunks: (): AsyncIterable<Uint8Array> =>
    file.createReadStream({ start: 0, autoClose: false, highWaterMark: 262_144 }),
  /** Returns `undefined` if the file is not UTF-8. */
  text: async () => decodeExactly(await file.readFile()),
  close: () => file.close(),
})
