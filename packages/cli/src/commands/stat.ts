import type { Command } from 'commander'
import { action } from '../action.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway stat`. */
export function addStatCommand(program: Command): void {
  const command = program
    .command('stat')
    .summary('describe one entry')
    .description('Describe an entry: size, content type, times, and how a shell reaches it.')
    .argument('<reference>', 'the reference of the entry')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/stat.ts')).stat)
}
