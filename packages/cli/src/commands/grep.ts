import { Option, type Command } from 'commander'
import { action } from '../action.ts'
import { collect, parseCount, parseLimit } from '../option-parsers.ts'
import { addSearchOptions, DEFAULT_MAX_TOKENS } from '../search-options.ts'
import { addStoreOptions } from '../store-options.ts'

/** Add `spillway grep`. */
export function addGrepCommand(program: Command): void {
  const command = program
    .command('grep')
    .summary('search everything that is stored')
    .description('Search the text of every entry of exactly this scope, the newest first.')
    .argument('[pattern]', 'a regular expression or keyword')
    .option('-e, --regexp <pattern>', 'one more pattern; may be repeated, each is counted', collect)
    .option('-C, --context <count>', 'lines around each match', parseCount, 2)
  addSearchOptions(command)
  command.addOption(
    new Option('--max-tokens <count>', 'tokens of the answer; none for no limit')
      .argParser(parseLimit)
      .default(DEFAULT_MAX_TOKENS, '2500'),
  )
  addStoreOptions(command)
  action(command, async () => (await import('../actions/grep.ts')).grep)
}
