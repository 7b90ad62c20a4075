import type { Command } from 'commander'
import { action } from '../action.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway rm`. */
export function addRmCommand(program: Command): void {
  const command = program
    .command('rm')
    .summary('remove entries')
    .description('Remove entries of exactly this scope. Exits with 1 where one of them was not there.')
    .argument('<references...>', 'the references of the entries')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/rm.ts')).rm)
}
