import { resolve } from 'node:path'
import type { OffloadEvent, RetrievalGuide } from '@spillway/core'
import type { Invocation } from '../commands/command.ts'
import { describeError } from '../cli-error.ts'
import { formatJson, noteLine, printLine, quoteForShell } from '../output.ts'
import type { HookOptions } from '../commands/options.ts'
import { HOSTS } from '../hook/hosts.ts'
import type { HookInput } from '../hook/offload-result.ts'
import { encodeScope } from '../option-parsers.ts'
import { backendOf } from '../store/backends.ts'
import { redactUrl } from '../store/store-options.ts'
import { commandGuide } from '../retrieval-commands.ts'

/** Output up to this number of tokens is not offloaded if `--max-tokens` is absent. */
export const DEFAULT_MAX_TOKENS = 2_500

/** Act as the hook of a host. Always exits with 0, so that no output is lost. */
export async function hook({ options, command }: Invocation<HookOptions>): Promise<void> {
  const { title } = HOSTS[command.name()] ?? {}
  if (process.stdin.isTTY)
    await noteLine(`${title} starts this hook. Add it with: spillway hook ${command.name()} install. Ctrl-D ends it.`)
  const text = await readInput()
  // A token has at least one byte, so small output needs no further code.
  if (Buffer.byteLength(text) <= (options.maxTokens ?? DEFAULT_MAX_TOKENS)) return
  let problem: unknown
  try {
    problem = await offload(text, options, command.name())
  } catch (error) {
    // The output stays unchanged after any error.
    problem = error
  }
  if (problem === undefined) return
  const message = `The output of a tool was not offloaded: ${describeError(problem).message}`
  await noteLine(message)
  await printLine(formatJson({ systemMessage: `spillway: ${message}` }))
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the error that prevented storing; `undefined` on success. */
async function offload(text: string, options: HookOptions, host: string): Promise<unknown> {
  const input = parseInput(text, host)
  if (options.except?.includes(input.tool_name) === true) return undefined
  // Loaded late, because most output is small and needs no offloader.
  const [{ ContextOffloader, RETRIEVAL_TOOL_NAME, scopeOf }, { OFFLOAD_RESULT }, stores] = await Promise.all([
    import('@spillway/core'),
    import('../hook/offload-result.ts'),
    import('../store/with-store.ts'),
  ])
  if (input.tool_name.endsWith(RETRIEVAL_TOOL_NAME)) return undefined
  const scope = scopeOfHook(options, input)
  const project = process.env['CLAUDE_PROJECT_DIR'] ?? input.cwd
  const named = options.store ?? 'file:.spillway'
  const path = stores.localPath(named)
  const store = path === undefined ? named : `${backendOf(named).scheme}:${resolve(project, path)}`
  const isDefault = options.store === undefined
  if (isDefault) (await import('../store/find-store.ts')).refuseOthersStore(project)
  const storage = await stores.openStore(store, isDefault ? stores.DEFAULT_AGE : {})
  const journal = await stores.openJournal(store)
  // The agent's shell has the same environment variables, so the URL can be left out if it has a password.
  const guide = guideOf(options, redactUrl(named) === named ? store : undefined, scope)
  let failure: unknown
  try {
    const offloader = new ContextOffloader({
      storage: scopeOf(storage, scope),
      journal,
      maxResultTokens: options.maxTokens,
      previewTokens: options.previewTokens,
      onEvent: (event: OffloadEvent) => {
        if (event.type === 'offload-failed') failure = event.error
      },
      ...(options.reading === 'command' && { includeRetrievalTool: false, showLocation: false, guide }),
    })
    const answer = await OFFLOAD_RESULT[host]?.(offloader, input)
    if (answer !== undefined) await printLine(formatJson(answer))
  } finally {
    await journal?.close?.()
    if (isDefault) await stores.tidyStore(storage, store)
    await storage.close()
  }
  return failure
}

const FIELDS = ['session_id', 'cwd', 'tool_name'] as const

function parseInput(text: string, name: string): HookInput {
  const { title = name, event } = HOSTS[name] ?? {}
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new TypeError(`Standard input is not JSON. This command is a hook: let ${title} start it.`, { cause: error })
  }
  const fields = Object(input) as Readonly<Record<string, unknown>>
  const missing = FIELDS.find((field) => typeof fields[field] !== 'string' || fields[field] === '')
  if (missing !== undefined || fields['hook_event_name'] !== event)
    throw new TypeError(
      `Standard input is not the input that ${title} sends to a hook ${event}: ${missing ?? 'hook_event_name'} is missing. ` +
        `See spillway hook ${name} install --help.`,
    )
  return input as HookInput
}

/** An MCP server does not know the session, so hook and server share one configured scope. */
function scopeOfHook({ scope = [], reading }: HookOptions, { session_id: session }: HookInput): readonly string[] {
  if (reading === 'command') return [...scope, session]
  if (scope.length > 0) return scope
  throw new TypeError('With --reading mcp the hook needs the --scope that the MCP server has.')
}

function guideOf({ command }: HookOptions, store: string | undefined, scope: readonly string[]): RetrievalGuide {
  const words = [...(store === undefined ? [] : ['--store', store]), '--scope', encodeScope(scope)]
  return commandGuide(words.map((word) => ` ${quoteForShell(word)}`).join(''), command)
}
