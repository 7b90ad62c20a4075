import { estimateTokens } from '@spillway/core'
import { Option, type Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { usageError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { highlight } from '../highlight.ts'
import { parseCount, parseTokenLimit } from '../option-parsers.ts'
import { printJson, printLine } from '../output.ts'
import { DEFAULT_MAX_TOKENS, hasMatches, retrieve } from '../retrieval.ts'
import { addStoreOptions, storeArguments, withStore, type StoreOptions } from '../store-options.ts'

interface GrepOptions extends StoreOptions {
  readonly context: number
  readonly ignoreCase?: boolean
  readonly maxTokens: number
}

/** Add `spillway grep`. */
export function addGrepCommand(program: Command): void {
  const command = program
    .command('grep')
    .summary('search everything that is stored')
    .description('Search the text of every entry of exactly this scope, the newest first.')
    .argument('<pattern>', 'a regular expression or keyword')
    .option('-C, --context <count>', 'lines around each match', parseCount, 2)
    .option('-i, --ignore-case', 'match in any case')
    .addOption(
      new Option('--max-tokens <count>', 'tokens of the answer; none for no limit')
        .argParser(parseTokenLimit)
        .default(DEFAULT_MAX_TOKENS, '2500'),
    )
  addStoreOptions(command)
  action(command, grep)
}

async function grep({ args: [pattern = ''], options, command }: Invocation<GrepOptions>): Promise<number> {
  if (pattern === '') throw usageError('The pattern must not be empty.')
  return withStore(options, async (storage) => {
    const call = { pattern, context_lines: options.context, ignore_case: options.ignoreCase }
    const { content } = await retrieve(storage, call, options.maxTokens, storeArguments(command))
    const text = content[0]?.type === 'text' ? content[0].text : ''
    await (options.json === true
      ? printJson({ pattern, text, tokens: estimateTokens(text) })
      : printLine(highlight(text)))
    return hasMatches(text) ? EXIT_CODE.ok : EXIT_CODE.nothing
  })
}
