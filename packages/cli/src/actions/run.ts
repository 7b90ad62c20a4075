import {
  ContextOffloader,
  StorageError,
  type ContentBlock,
  type EventJournal,
  type Outcome,
  type Storage,
} from '@spillway/core'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { Invocation } from '../commands/command.ts'
import { CliError, describeError, errorJson, EXIT_CODE, nameOptions } from '../cli-error.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import {
  clearStatus,
  formatBytes,
  note,
  noteLine,
  OutputClosedError,
  print,
  printJson,
  printLine,
  quoteForShell,
  showStatus,
} from '../output.ts'
import { commandGuide, NO_RETRIEVAL } from '../retrieval-commands.ts'
import { RescuedOutput } from '../run/rescued-output.ts'
import { startCommand, type CommandExit } from '../run/start-command.ts'
import { hidesStore, isEphemeral, redactUrl, storeArguments, type StoreOptions } from '../store-options.ts'
import { localPath, withStore, type OpenStore } from '../with-store.ts'

interface RunOptions extends StoreOptions {
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly name?: string
}

const HIDDEN_STORE =
  'The URL of the store has a password, so the commands above do not name it: put it into SPILLWAY_STORE for them.'

export async function run({ args: [name = '', ...args], options, command }: Invocation<RunOptions>): Promise<number> {
  holdDownMemory()
  const use = async (storage: Storage, journal: EventJournal | undefined): Promise<number> => {
    const offloader = createOffloader({ storage, journal }, options, storeArguments(command))
    await assertWritable(storage, options.store)
    const child = await startCommand(name, args)
    const progress = new Progress(basename(name))
    const output = new RescuedOutput(child.output, (bytes) => progress.update(bytes))
    let exit: CommandExit | undefined
    void child.exit.then((result) => (exit = result))
    try {
      const outcome = await offloader.offloadStream({
        toolName: 'run',
        toolCallId: options.name ?? basename(name),
        input: { command: [name, ...args].map(quoteForShell).join(' ') },
        chunks: output,
        // The stream ends after the command.
        isError: () => exit?.code !== 0,
      })
      await progress.stop()
      await report(outcome, await child.exit, options)
      if (outcome.status === 'offloaded' && hidesStore(command)) await noteLine(HIDDEN_STORE)
    } catch (error) {
      await progress.stop()
      if (!(error instanceof OutputClosedError)) {
        await passThrough(error, output, options)
        if (options.json === true)
          await printJson({ ...exitJson(await child.exit), status: 'failed', error: errorJson(error) })
      }
    } finally {
      child.release()
    }
    return (await child.exit).code
  }
  return withStore(options, use, { allowEphemeral: true })
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

/** The command continues after a storage failure, and its output is passed on from as far back as possible. */
async function passThrough(error: unknown, output: RescuedOutput, options: RunOptions): Promise<void> {
  const { message } = describeError(error)
  const lost = output.lost === 0 ? 'none of it is lost' : `the first ${formatBytes(output.lost)} are lost`
  await noteLine(`The output could not be stored: ${message} It follows as it is; ${lost}.`)
  let printing = true
  for await (const chunk of output.rest()) {
    if (!printing) continue
    try {
      await (options.json === true ? note(chunk) : print(chunk))
    } catch (failure) {
      // The command continues without a reader.
      if (!(failure instanceof OutputClosedError)) throw failure
      printing = false
    }
  }
}

function exitJson({ code, signal }: CommandExit): Record<string, unknown> {
  return { exitCode: code, signal: signal ?? null }
}

function bytesOf(block: ContentBlock | undefined): Uint8Array {
  if (block?.type === 'text') return new TextEncoder().encode(block.text)
  return block !== undefined && 'data' in block && block.data !== undefined ? block.data : new Uint8Array()
}

const INTERVAL_MS = 200

class Progress {
  readonly #label: string
  readonly #start = Date.now()
  readonly #timer: NodeJS.Timeout
  #bytes = 0

  constructor(label: string) {
    this.#label = label
    this.#timer = setInterval(() => this.#show(), INTERVAL_MS).unref()
  }

  update(bytes: number): void {
    this.#bytes = bytes
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await clearStatus()
  }

  #show(): void {
    const seconds = Math.floor((Date.now() - this.#start) / 1000)
    showStatus(`${this.#label}: ${formatBytes(this.#bytes)}, ${seconds} s`)
  }
}

const PROBE_BYTES = 16

/** Checked before the command runs. A missing folder or file is not created, only its parent is checked. */
async function assertWritable(storage: Storage, url: string): Promise<void> {
  try {
    if (await canBeMade(localPath(url))) return
    // Random bytes are always written.
    const reference = await storage.store('spillway_probe', randomBytes(PROBE_BYTES), 'application/octet-stream')
    await storage.delete?.(reference)
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

async function canBeMade(path: string | undefined): Promise<boolean> {
  if (path === undefined) return false
  const absolute = resolve(path)
  if (await isThere(absolute)) return false
  let folder = dirname(absolute)
  while (!(await isThere(folder))) folder = dirname(folder)
  // The slash excludes files.
  return await isThere(`${folder}/`, constants.W_OK | constants.X_OK)
}

async function isThere(path: string, mode: number = constants.F_OK): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}
