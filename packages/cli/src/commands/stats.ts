import type { Command } from 'commander'
import { action } from '../action.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway stats`. */
export function addStatsCommand(program: Command): void {
  const command = program
    .command('stats')
    .summary('count entries and bytes')
    .description('Count the entries and bytes of this scope and those below it, in all and by content type.')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/stats.ts')).stats)
}
