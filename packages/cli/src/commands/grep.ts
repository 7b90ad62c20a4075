import { estimateTokens } from '@spillway/core'
import { Option, type Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { usageError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { highlight } from '../highlight.ts'
import { collect, parseCount, parseLimit } from '../option-parsers.ts'
import { printJson, printLine } from '../output.ts'
import { DEFAULT_MAX_TOKENS, hasMatches, retrieve } from '../retrieval.ts'
import { addSearchOptions, searchParameters, type SearchOptions } from '../search-options.ts'
import { addStoreOptions, storeArguments, withStore, type StoreOptions } from '../store-options.ts'

interface GrepOptions extends StoreOptions, SearchOptions {
  readonly regexp?: readonly string[]
  readonly context: number
  readonly maxTokens: number
}

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
  action(command, grep)
}

async function grep({ args: [pattern], options, command }: Invocation<GrepOptions>): Promise<number> {
  const { regexp = [], query } = options
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...regexp]
  if (patterns.includes('')) throw usageError('The pattern must not be empty.')
  if (patterns.length === 0 && query === undefined) throw usageError('Give a pattern, or --query with words.')
  return withStore(options, async (storage) => {
    const call = {
      ...(patterns.length === 0 ? {} : { patterns, context_lines: options.context }),
      ...searchParameters(options),
    }
    const { content } = await retrieve(storage, call, options.maxTokens, storeArguments(command))
    const text = content[0]?.type === 'text' ? content[0].text : ''
    await (options.json === true
      ? printJson({ ...(pattern === undefined ? {} : { pattern }), text, tokens: estimateTokens(text) })
      : printLine(highlight(text)))
    return hasMatches(text) ? EXIT_CODE.ok : EXIT_CODE.nothing
  })
}
