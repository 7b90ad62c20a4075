import type { RetrievalCall } from '@spillway/core'
import type { Command } from 'commander'
import { usageError } from './cli-error.ts'
import { parseCount, parsePositive } from './option-parsers.ts'

/** Tokens that an answer has at most, unless the caller says otherwise. */
export const DEFAULT_MAX_TOKENS = 2_500

/** Options of commands that ask the retrieval tool. */
export interface SearchOptions {
  readonly ignoreCase?: boolean
  readonly count?: boolean
  readonly limit?: number
  readonly skip?: number
  readonly fromEnd?: boolean
  readonly last?: number
  readonly query?: string
}

/** Add the options that say how to search, and what of it to show. */
export function addSearchOptions(command: Command): void {
  command
    .option('-i, --ignore-case', 'match in any case')
    .option('-c, --count', 'only count the matches')
    .option('--limit <count>', 'matches, values, passages or rows, at most', parsePositive)
    .option('--skip <count>', 'how many of them to pass over', parseCount)
    .option('--from-end', 'the last matches instead of the first')
    .option('--last <count>', 'the last matches: --limit with --from-end', parsePositive)
    .option('-q, --query <words>', 'the best passages for words')
}

/** Write the options as parameters of the retrieval tool. */
export function searchParameters(options: SearchOptions): RetrievalCall {
  const { last, limit, fromEnd } = options
  if (last !== undefined && (limit !== undefined || fromEnd === true)) {
    throw usageError('--last N is --limit N with --from-end: leave these out.')
  }
  return {
    query: options.query,
    ignore_case: options.ignoreCase,
    count_only: options.count,
    limit: last ?? limit,
    skip: options.skip,
    from_end: last === undefined ? fromEnd : true,
  }
}
