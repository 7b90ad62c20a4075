import { resolve } from 'node:path'
import type { PostToolUseInput } from '@spillway/claude-agent-sdk/hook'
import type { OffloadEvent, RetrievalGuide } from '@spillway/core'
import type { Invocation } from '../commands/command.ts'
import { describeError, EXIT_CODE } from '../cli-error.ts'
import { formatJson, noteLine, printLine, quoteForShell } from '../output.ts'
import type { HookOptions } from '../commands/options.ts'
import { encodeScope } from '../option-parsers.ts'
import { redactUrl } from '../store/store-options.ts'
import { commandGuide } from '../retrieval-commands.ts'
import { DEFAULT_AGE, openJournal, openStore, tidyStore } from '../store/with-store.ts'

const DEFAULT_MAX_TOKENS = 2_500

/** Act as a `PostToolUse` hook of Claude Code. Always exits with 0, so that no output is lost. */
export async function hook({ options }: Invocation<HookOptions>): Promise<number> {
  const text = await readInput()
  // A token has at least one byte, so small output needs no further code.
  if (Buffer.byteLength(text) <= (options.maxTokens ?? DEFAULT_MAX_TOKENS)) return EXIT_CODE.ok
  let problem: unknown
  try {
    problem = await offload(text, options)
  } catch (error) {
    // The output stays after any error.
    problem = error
  }
  if (problem === undefined) return EXIT_CODE.ok
  const message = `The output of a tool was not offloaded: ${describeError(problem).message}`
  await noteLine(message)
  await printLine(formatJson({ systemMessage: `spillway: ${message}` }))
  return EXIT_CODE.ok
}

/** Return the store of a hook with an absolute path. Defaults to `.spillway` in the project. */
function storeOfHook(store: string | undefined, project: string): string {
  if (store === undefined) return `file:${resolve(project, '.spillway')}`
  const [, scheme, path] = /^(file|sqlite):(?!\/)(.+)$/i.exec(store) ?? []
  return scheme === undefined || path === undefined ? store : `${scheme}:${resolve(project, path)}`
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the error that prevented storing; `undefined` on success. */
async function offload(text: string, options: HookOptions): Promise<unknown> {
  const input = parseInput(text)
  if (options.except?.includes(input.tool_name) === true) return undefined
  const [{ ContextOffloader, scopeOf }, { offloadToolOutput }] = await Promise.all([
    import('@spillway/core'),
    import('@spillway/claude-agent-sdk/hook'),
  ])
  const scope = scopeOfHook(options, input)
  const store = storeOfHook(options.store, process.env['CLAUDE_PROJECT_DIR'] ?? input.cwd)
  const isDefault = options.store === undefined
  const storage = await openStore(store, isDefault ? DEFAULT_AGE : {})
  const journal = await openJournal(store)
  // The agent's shell has the same environment, and no model may see a password.
  const { store: given = '' } = options
  const hidesStore = redactUrl(given) !== given
  let failure: unknown
  const reading =
    options.reading === 'mcp'
      ? {}
      : {
          includeRetrievalTool: false,
          showLocation: false,
          guide: guideOf(options, hidesStore ? undefined : store, scope),
        }
  try {
    const offloader = new ContextOffloader({
      storage: scopeOf(storage, scope),
      journal,
      maxResultTokens: options.maxTokens,
      previewTokens: options.previewTokens,
      onEvent: (event: OffloadEvent) => {
        if (event.type === 'offload-failed') failure = event.error
      },
      ...reading,
    })
    const answer = await offloadToolOutput(offloader, input)
    if (answer.hookSpecificOutput !== undefined) await printLine(formatJson(answer))
  } finally {
    await journal?.close?.()
    if (isDefault) await tidyStore(storage, store)
    await storage.close?.()
  }
  return failure
}

interface HookInput extends PostToolUseInput {
  readonly cwd: string
}

const FIELDS = ['session_id', 'transcript_path', 'cwd', 'tool_name', 'tool_use_id'] as const

function parseInput(text: string): HookInput {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new TypeError('Standard input is no JSON. This command is a hook: let Claude Code start it.', {
      cause: error,
    })
  }
  const fields = Object(input) as Readonly<Record<string, unknown>>
  const missing = FIELDS.find((name) => typeof fields[name] !== 'string' || fields[name] === '')
  if (missing !== undefined || fields['hook_event_name'] !== 'PostToolUse')
    throw new TypeError(
      `Standard input is not what Claude Code tells a hook PostToolUse: ${missing ?? 'hook_event_name'} is missing. ` +
        'See spillway hook claude-code install --help.',
    )
  return input as HookInput
}

/** An MCP server knows no session, so hook and server share one configured scope. */
function scopeOfHook({ scope = [], reading }: HookOptions, { session_id: session }: HookInput): readonly string[] {
  if (reading === 'command') return [...scope, session]
  if (scope.length > 0) return scope
  throw new TypeError('With --reading mcp the hook needs the --scope that the MCP server has.')
}

function guideOf({ command }: HookOptions, store: string | undefined, scope: readonly string[]): RetrievalGuide {
  const words = [...(store === undefined ? [] : ['--store', store]), '--scope', encodeScope(scope)]
  const guide = commandGuide(words.map((word) => ` ${quoteForShell(word)}`).join(''))
  const named = (line: string): string => line.replace('spillway get', () => `${command} get`)
  return { ...guide, instructions: (...given) => guide.instructions(...given).map(named) }
}
