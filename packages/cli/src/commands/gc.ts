import type { Command } from 'commander'
import { action } from '../action.ts'
import { parseDuration } from '../option-parsers.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway gc`. */
export function addGcCommand(program: Command): void {
  const command = program
    .command('gc')
    .summary('remove what is old or was left behind')
    .description('Remove what killed writers left behind and, with --ttl, entries that were not used for that long.')
    .option('--ttl <time>', 'remove entries unused for this long: 90s, 30m, 12h, 7d, 2w', parseDuration)
  addStoreOptions(command)
  command.addHelpText('after', '\nExample, for a nightly job:\n  $ spillway gc --ttl 7d')
  action(command, async () => (await import('../actions/gc.ts')).gc)
}
