import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { collect, parseCount, parsePositive, parseScope } from '../option-parsers.ts'

/** By shell commands, or by an MCP server's tool. */
export type Reading = 'command' | 'mcp'

/** Options of the hook; its installer passes them on. */
export interface HookOptions {
  readonly store?: string
  readonly scope?: readonly string[]
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly except?: readonly string[]
  readonly reading: Reading
  readonly command: string
}

export function addHookOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--store <url>', 'where content is (default: .spillway in the project)').env('SPILLWAY_STORE'),
    )
    .addOption(
      new Option('--scope <segments>', 'stay behind this wall; the id of the session is a segment of its own behind it')
        .env('SPILLWAY_SCOPE')
        .argParser(parseScope),
    )
    .option('--max-tokens <count>', 'output with more tokens than this is offloaded (default: 2500)', parsePositive)
    .option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount)
    .option('--except <tool>', 'leave the output of this tool as it is; may be repeated', collect)
    .addOption(
      new Option('--reading <way>', 'how the agent reads on: by commands, or by the MCP server of this scope')
        .choices(['command', 'mcp'] satisfies Reading[])
        .default('command' satisfies Reading),
    )
    .option('--command <command>', 'how the shell of the agent starts this program', 'spillway')
}

/** Return the store of a hook with an absolute path. Defaults to `.spillway` in the project. */
export function storeOfHook(store: string | undefined, project: string): string {
  if (store === undefined) return `file:${resolve(project, '.spillway')}`
  const [, scheme, path] = /^(file|sqlite):(?!\/)(.+)$/i.exec(store) ?? []
  return scheme === undefined || path === undefined ? store : `${scheme}:${resolve(project, path)}`
}
