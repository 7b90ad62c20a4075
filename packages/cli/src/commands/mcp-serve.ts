import type { Command } from 'commander'
import { action } from '../action.ts'
import { addListenOptions } from '../listen/listen-options.ts'
import { addAnswerOptions } from '../mcp/offloader-options.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway mcp serve`. */
export function addMcpServeCommand(parent: Command): void {
  const command = parent
    .command('serve')
    .summary('be an MCP server that searches and reads what is stored')
    .description(
      'Serve what is stored to a host that only needs retrieval: a tool that searches and reads by reference, and one by ' +
        'which an agent puts content aside. With --scope, everything in it can be searched; without, a reference is needed.',
    )
    .option('--read-only', 'leave out the tool that stores')
    .option('--log-events', 'write every event to standard error, as lines of JSON')
  addAnswerOptions(command, '2500')
  addListenOptions(command)
  addStoreOptions(command, { json: false })
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway mcp serve --store file:./.spillway --scope project-1
  $ spillway mcp serve --store redis://localhost:6379 --listen 8004 --tokens tokens.json`,
  )
  action(command, async () => (await import('../actions/mcp-serve.ts')).mcpServe)
}
