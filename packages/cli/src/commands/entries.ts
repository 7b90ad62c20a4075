import type { Command } from 'commander'
import { action } from '../action.ts'
import { parseDuration } from '../option-parsers.ts'
import { addStoreOptions } from '../store-options.ts'

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
  action(command, async () => (await import('../actions/entries.ts')).ls)
}

export function addStatCommand(program: Command): void {
  const command = program
    .command('stat')
    .summary('describe one entry')
    .description('Describe an entry: size, content type, times, and how a shell reaches it.')
    .argument('<reference>', 'the reference of the entry')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/entries.ts')).stat)
}

export function addStatsCommand(program: Command): void {
  const command = program
    .command('stats')
    .summary('count entries and bytes')
    .description('Count the entries and bytes of this scope and those below it, in all and by content type.')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/entries.ts')).stats)
}

export function addRmCommand(program: Command): void {
  const command = program
    .command('rm')
    .summary('remove entries')
    .description('Remove entries of exactly this scope. Exits with 1 where one of them was not there.')
    .argument('<references...>', 'the references of the entries')
  addStoreOptions(command)
  action(command, async () => (await import('../actions/entries.ts')).rm)
}

export function addGcCommand(program: Command): void {
  const command = program
    .command('gc')
    .summary('remove what is old or was left behind')
    .description('Remove what killed writers left behind and, with --ttl, entries that were not used for that long.')
    .option('--ttl <time>', 'remove entries unused for this long: 90s, 30m, 12h, 7d, 2w', parseDuration)
  addStoreOptions(command)
  command.addHelpText('after', '\nExample, for a nightly job:\n  $ spillway gc --ttl 7d')
  action(command, async () => (await import('../actions/entries.ts')).gc)
}
