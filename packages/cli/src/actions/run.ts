import { ContextOffloader, StorageError, type ContentBlock, type EventJournal, type Outcome } from '@spillway/core'
import { randomBytes } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Invocation } from '../commands/command.ts'
import { CliError, describeError, errorJson, EXIT_CODE, nameOptions } from '../cli-error.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import {
  clearStatus,
  formatAge,
  formatBytes,
  formatCount,
  note,
  noteLine,
  OutputError,
  print,
  printJson,
  printLine,
  quoteForShell,
  showStatus,
} from '../output.ts'
import { programName } from '../program-name.ts'
import { commandGuide, NO_RETRIEVAL } from '../retrieval-commands.ts'
import { OutputEntry } from '../run/output-entry.ts'
import { redactCommand } from '../run/redact-command.ts'
import { RescuedOutput } from '../run/rescued-output.ts'
import { runDirectly, startCommand, type CommandExit, type RunningCommand } from '../run/start-command.ts'
import { hidesStore, isEphemeral, redactUrl, storeArguments, type StoreOptions } from '../store/store-options.ts'
import { unlessRefused } from '../unless-refused.ts'
import { localPath, withStore, type OpenStore, type Store } from '../store/with-store.ts'

interface RunOptions extends StoreOptions {
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly name?: string
  readonly maxBytes: number
  readonly timeout?: number
  readonly shell?: boolean
  readonly tee?: boolean
  readonly keepCommand?: boolean
}

const HIDDEN_STORE =
  'The URL of the store has a password, so the commands above do not name the store: put the URL into SPILLWAY_STORE for them.'

export async function run({ args: words, options, command }: Invocation<RunOptions>): Promise<number> {
  holdDownMemory()
  const [name = '', ...args] = options.shell === true ? [words.join(' ')] : words
  if (process.env['SPILLWAY_OFF'] === '1') return (await runDirectly(name, args, options.shell)).code
  const key = options.name ?? nameOf(name)
  const tees = options.tee ?? process.stderr.isTTY
  const isShown = tees && process.stdout.isTTY && options.json !== true
  const line = options.shell === true ? name : [name, ...args].map(quoteForShell).join(' ')
  const use = async (storage: Store, journal: EventJournal | undefined): Promise<number> => {
    const entry = new OutputEntry(storage, {
      key,
      maxBytes: options.maxBytes,
      metadata: { tool: 'run', ...(options.keepCommand === true && { command: redactCommand(line) }) },
      end: () => ({
        state: child.stoppedBy() === undefined ? 'complete' : 'aborted',
        metadata: { exitCode: String(exit?.code), lines: String(entry.lines) },
      }),
    })
    const offloader = createOffloader({ storage, journal }, options, storeArguments(command))
    await assertWritable(storage, options.store)
    const child = await startCommand(name, args, { shell: options.shell, timeoutMs: options.timeout })
    const progress = progressOf(key, tees)
    const output = new RescuedOutput(child.output)
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of output) {
        progress.update(chunk)
        if (tees) await note(chunk)
        await entry.push(chunk)
        yield chunk
      }
    }
    let unwritten: OutputError | undefined
    let exit: CommandExit | undefined
    void child.exit.then((result) => (exit = result))
    try {
      const arriving = chunks()
      const start = await readStart(arriving, options)
      const outcome =
        start.outcome ??
        (await offloader.offloadStream({
          toolName: 'run',
          toolCallId: key,
          input: { command: line },
          chunks: continued(start.bytes, arriving),
          store: (output, contentType) => entry.store(output, contentType),
          // The exit code is known when the stream ends, because the command ends first.
          isError: () => exit?.code !== 0,
        }))
      await progress.stop()
      if (outcome.status === 'inline') await entry.finishSmall()
      if (isShown) await reportShown(outcome, command)
      else await report(outcome, await child.exit, options)
      if (outcome.status === 'offloaded') await noteStored(await entry.committed(), command)
    } catch (error) {
      await progress.stop()
      if (error instanceof OutputError) unwritten = error
      else {
        unwritten = await passThrough(error, { output, entry, isShown }, options)
        if (options.json === true)
          await printJson({ ...exitJson(await child.exit), status: 'failed', error: errorJson(error) })
      }
    } finally {
      child.release()
    }
    await noteEnd(child, options)
    const { code } = await child.exit
    if (unwritten === undefined || unwritten.isClosed) return code
    const stored = await entry.committed()
    await noteLine(
      stored === undefined ? unwritten.message : `${unwritten.message} It is stored as ${stored.reference}.`,
    )
    return code === 0 ? unwritten.exitCode : code
  }
  return withStore(options, use, { allowEphemeral: true })
}

const DEFAULT_MAX_TOKENS = 2_500

/** Read the start of the output. Small output is inline by its bytes alone: a token has at least one byte. */
async function readStart(
  chunks: AsyncGenerator<Uint8Array>,
  { maxTokens = DEFAULT_MAX_TOKENS, json = false }: RunOptions,
): Promise<{ readonly bytes: Uint8Array; readonly outcome?: Outcome }> {
  const parts: Uint8Array[] = []
  for (let size = 0; size <= maxTokens && !json;) {
    const { done, value } = await chunks.next()
    if (done === true) {
      const bytes = Buffer.concat(parts)
      const data = { type: 'document', mediaType: 'application/octet-stream', data: bytes } as const
      return { bytes, outcome: { status: 'inline', reason: 'within-limit', content: [data], tokens: { original: 0 } } }
    }
    parts.push(value)
    size += value.byteLength
  }
  return { bytes: Buffer.concat(parts) }
}

async function* continued(start: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (start.byteLength > 0) yield start
  yield* rest
}

/** Return the first word that is not an assignment, because the value of a variable could be secret. */
function nameOf(command: string): string {
  const word = command.split(/\s+/).find((part) => part !== '' && !part.includes('=')) ?? 'sh'
  return basename(word)
}

async function reportShown(outcome: Outcome, command: Command): Promise<void> {
  const [stored] = outcome.status === 'offloaded' ? outcome.stored : []
  if (stored === undefined) return
  const shown = `${programName()} get ${stored.reference}${storeArguments(command)}`
  await noteLine(`${formatBytes(stored.size)} are stored. To search them: ${shown} --pattern REGEX`)
}

async function noteStored(stored: Awaited<ReturnType<OutputEntry['committed']>>, command: Command): Promise<void> {
  if (stored?.omitted !== undefined) {
    const { bytes, lines, afterLine } = stored.omitted
    const range = `lines ${formatCount(afterLine + 1)} to ${formatCount(afterLine + lines)}`
    await noteLine(`--max-bytes was reached: ${formatBytes(bytes)} in the middle (${range}) are not stored.`)
  }
  if (hidesStore(command)) await noteLine(HIDDEN_STORE)
}

async function noteEnd(child: RunningCommand, { timeout }: RunOptions): Promise<void> {
  if (child.stoppedBy() === 'timeout')
    await noteLine(`The command was ended after ${formatAge(timeout ?? 0)} (--timeout).`)
  const holders = child.heldBy()
  if (holders.length > 0)
    await noteLine(
      `The command has ended, but its output is still held by ${holders.join(', ')}. Their later output is ` +
        'not stored. To keep it, write it to a file: COMMAND > FILE 2>&1 &',
    )
}

function createOffloader(store: OpenStore, options: RunOptions, storeArguments: string): ContextOffloader {
  return nameOptions(
    () =>
      new ContextOffloader({
        ...store,
        maxResultTokens: options.maxTokens,
        previewTokens: options.previewTokens,
        includeRetrievalTool: false,
        showLocation: false,
        guide: isEphemeral(options) ? NO_RETRIEVAL : commandGuide(storeArguments),
      }),
  )
}

async function report(outcome: Outcome, exit: CommandExit, options: RunOptions): Promise<void> {
  const [block] = outcome.content
  const bytes = bytesOf(block)
  if (options.json === true) {
    const text =
      block?.type === 'text' ? { content: block.text } : { contentBase64: Buffer.from(bytes).toString('base64') }
    const stored = outcome.status === 'offloaded' ? { stored: outcome.stored } : {}
    await printJson({ ...exitJson(exit), status: outcome.status, tokens: outcome.tokens, ...stored, ...text })
    return
  }
  if (outcome.status === 'offloaded' && block?.type === 'text') await printLine(block.text)
  else await print(bytes)
}

/**
 * Print the output of a command after a storage failure: all earlier output that is still available, and the rest.
 * Returns the error if the output cannot be printed.
 */
async function passThrough(
  error: unknown,
  { output, entry, isShown }: { output: RescuedOutput; entry: OutputEntry; isShown: boolean },
  options: RunOptions,
): Promise<OutputError | undefined> {
  const { message } = describeError(error)
  await entry.abandon()
  // `output` retains more bytes than can wait for the store, so all bytes that it lost were stored.
  const first =
    output.lost === 0
      ? '; none of it is lost'
      : `, without the first ${formatBytes(output.lost)}, which are stored as ${entry.reference}`
  await noteLine(`The output could not be stored: ${message} The unchanged output follows${first}.`)
  let unwritten: OutputError | undefined
  for await (const chunk of output.rest(isShown)) {
    if (unwritten !== undefined) continue
    try {
      await (options.json === true ? note(chunk) : print(chunk))
    } catch (failure) {
      // The command continues even if its output cannot be printed.
      if (!(failure instanceof OutputError)) throw failure
      unwritten = failure
    }
  }
  return unwritten
}

function exitJson({ code, signal }: CommandExit): Record<string, unknown> {
  return { exitCode: code, signal: signal ?? null }
}

function bytesOf(block: ContentBlock | undefined): Uint8Array {
  if (block?.type === 'text') return new TextEncoder().encode(block.text)
  return block !== undefined && 'data' in block && block.data !== undefined ? block.data : new Uint8Array()
}

const INTERVAL_MS = 200
const QUIET_MS = 2_000

/** Shows the progress of a command on a terminal, and its last line while it may wait for input. */
function progressOf(label: string, isShown: boolean) {
  const start = Date.now()
  let bytes = 0
  let last = start
  let line = ''
  // If output is shown, the user also sees the prompts in it, and needs no progress.
  const timer = isShown ? undefined : setInterval(() => show(), INTERVAL_MS).unref()

  function update(chunk: Uint8Array): void {
    bytes += chunk.byteLength
    last = Date.now()
    const text = Buffer.from(chunk.subarray(-MAX_LINE_BYTES)).toString()
    line = text.trimEnd().split('\n').at(-1)?.trim() ?? ''
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await clearStatus()
  }

  function show(): void {
    const now = Date.now()
    const waits = now - last >= QUIET_MS && process.stdin.isTTY
    const state = waits ? `it may wait for input: ${line}` : formatBytes(bytes)
    showStatus(`${label}: ${Math.floor((now - start) / 1000)} s, ${state}`)
  }

  return { update, stop }
}

const MAX_LINE_BYTES = 200
const PROBE_BYTES = 16

/** Throws if the store cannot be written. Checks the parent of a missing folder or file, and creates nothing. */
async function assertWritable(storage: Store, url: string): Promise<void> {
  try {
    if (canBeWritten(url)) return
    // Random content is always written. Content that is already stored would not be.
    const reference = await storage.store('spillway_probe', randomBytes(PROBE_BYTES), 'application/octet-stream')
    await storage.delete(reference)
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    // Some messages contain this advice already.
    const message = describeError(error).message.replace(/(?:, or|:) choose another with --store or SPILLWAY_STORE/, '')
    throw new CliError(
      error.code,
      EXIT_CODE.storage,
      `The store ${redactUrl(url)} cannot be written: ${message} ` +
        'The command was not run. Choose another store with --store or SPILLWAY_STORE.',
      { cause: error },
    )
  }
}

/** Return whether a local store can be created, or is a writable folder. A database is not checked. */
function canBeWritten(url: string): boolean {
  const path = localPath(url)
  const isThere = (each: string, mode = constants.F_OK): boolean =>
    unlessRefused(() => accessSync(each, mode) ?? true) === true
  if (path === undefined || (isThere(path) && !/^file:/i.test(url))) return false
  let folder = resolve(path)
  while (!isThere(folder)) folder = dirname(folder)
  // The slash makes the check fail for a file.
  return isThere(`${folder}/`, constants.W_OK | constants.X_OK)
}
