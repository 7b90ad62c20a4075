import type { Command } from 'commander'
import { action } from '../action.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway ls`. */
export function addLsCommand(program: Command): void {
  const command = program
    .command('ls')
    .summary('list what is stored')
    .description(
      'List the entries of exactly this scope, the newest first: reference, bytes, time, content type, key.\n\n' +
        'Into a pipe: one line an entry, columns parted by tabs, sizes in bytes, times in UTC.',
    )
    .option('--below', 'also list the scopes below this one; their entries are reached with --scope')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/ls.ts')).ls)
}
