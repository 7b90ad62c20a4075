import { estimateTokens } from '@spillway/core'
import type { Invocation } from '../action.ts'
import { usageError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { highlight } from '../highlight.ts'
import { printJson, printLine } from '../output.ts'
import { hasMatches, retrieve } from '../retrieval.ts'
import { searchParameters, type SearchOptions } from '../search-options.ts'
import { storeArguments, type StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

interface GrepOptions extends StoreOptions, SearchOptions {
  readonly regexp?: readonly string[]
  readonly context: number
  readonly maxTokens: number
}

/** Run `spillway grep`. */
export async function grep({ args: [pattern], options, command }: Invocation<GrepOptions>): Promise<number> {
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
