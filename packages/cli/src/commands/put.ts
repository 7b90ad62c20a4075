import type { Command } from 'commander'
import { action } from '../action.ts'
import { parseContentType } from '../option-parsers.ts'
import { addStoreOptions } from '../store-options.ts'

export function addPutCommand(program: Command): void {
  const command = program
    .command('put')
    .summary('store a file or standard input')
    .description('Store a file, or standard input, and print its reference.')
    .argument('[file]', 'the file; - or nothing for standard input')
    .option('-t, --type <mime>', 'its content type; else told by its first bytes and its extension', parseContentType)
    .option('-n, --name <name>', "what its reference begins with; else the file's name")
    .option('-q, --quiet', 'print the reference alone, also on a terminal')
  addStoreOptions(command)
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway put server.log
  $ kubectl logs my-pod | spillway put --name my-pod`,
  )
  action(command, async () => (await import('../actions/put.ts')).put)
}
