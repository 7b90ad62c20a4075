import type { Command } from 'commander'
import { parseCount, parsePositive, parseLimit } from '../option-parsers.ts'

export interface OffloaderOptions {
  readonly scope?: readonly string[]
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly maxRetrievalTokens?: number
}

export function addResultOptions(command: Command): Command {
  return command
    .option('--max-tokens <count>', 'results with more tokens than this are offloaded (default: 2500)', parsePositive)
    .option('--preview-tokens <count>', 'tokens of a preview (default: 1000)', parseCount)
}

export function addAnswerOptions(command: Command, limit: string): Command {
  return command.option(
    '--max-retrieval-tokens <count>',
    `tokens of one answer of the retrieval tool (default: ${limit}); none for no limit`,
    parseLimit,
  )
}
