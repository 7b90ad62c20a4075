import { basename } from 'node:path'
import { ContextOffloader, type ContentBlock, type Outcome, type Storage } from '@spillway/core'
import type { Invocation } from '../action.ts'
import { describeError, errorJson } from '../cli-error.ts'
import { formatBytes, quoteForShell } from '../format.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import { nameOptions } from '../name-options.ts'
import { note, noteLine, OutputClosedError, print, printJson, printLine } from '../output.ts'
import { commandGuide, NO_RETRIEVAL } from '../retrieval-commands.ts'
import { assertWritable } from '../run/assert-writable.ts'
import { Progress } from '../run/progress.ts'
import { RescuedOutput } from '../run/rescued-output.ts'
import { startCommand, type CommandExit } from '../run/start-command.ts'
import { hidesStore, isEphemeral, storeArguments, type StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

interface RunOptions extends StoreOptions {
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly name?: string
}

const HIDDEN_STORE =
  'The URL of the store has a password, so the commands above do not name it: put it into SPILLWAY_STORE for them.'

/** Run `spillway run`. */
export async function run({ args: [name = '', ...args], options, command }: Invocation<RunOptions>): Promise<number> {
  holdDownMemory()
  const use = async (storage: Storage): Promise<number> => {
    const offloader = createOffloader(storage, options, storeArguments(command))
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
        // An ended stream means an ended command.
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

function createOffloader(storage: Storage, options: RunOptions, storeArguments: string): ContextOffloader {
  return nameOptions(
    () =>
      new ContextOffloader({
        storage,
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
 * Save what can be saved where storing has failed while the command runs: it goes on, and its output is passed on as it
 * is, from as far back as is still known. With `--json`, standard output is JSON alone, and the output goes to standard
 * error.
 */
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
      // Nobody reads it any more, but the command must not be stopped by that.
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
