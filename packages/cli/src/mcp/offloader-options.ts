import { ContextOffloader, type Storage } from '@spillway/core'
import { pdfPreviewer } from '@spillway/previews/pdf'
import type { Command } from 'commander'
import { nameOptions } from '../name-options.ts'
import { parseCount, parsePositive, parseLimit } from '../option-parsers.ts'
import type { EventLog } from './event-log.ts'

/** Options that say what is offloaded, and how much of it comes back at a time. */
export interface OffloaderOptions {
  /** The wall that all of it stays behind. */
  readonly scope?: readonly string[]
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly maxRetrievalTokens?: number
}

/** Give a command the limits of results and previews. */
export function addResultOptions(command: Command): Command {
  return command
    .option('--max-tokens <count>', 'results with more tokens than this are offloaded (default: 2500)', parsePositive)
    .option('--preview-tokens <count>', 'tokens of a preview (default: 1000)', parseCount)
}

/** Give a command the limit of answers, whose default is `limit`. */
export function addAnswerOptions(command: Command, limit: string): Command {
  return command.option(
    '--max-retrieval-tokens <count>',
    `tokens of one answer of the retrieval tool (default: ${limit}); none for no limit`,
    parseLimit,
  )
}

/** Make the offloader of a command over the whole of a store; wrong options are told under the names that they have there. */
export function createOffloader(storage: Storage, options: OffloaderOptions, log: EventLog): ContextOffloader {
  return nameOptions(() => {
    const offloader = new ContextOffloader({
      storage,
      maxResultTokens: options.maxTokens,
      previewTokens: options.previewTokens,
      maxRetrievalTokens: options.maxRetrievalTokens,
      previewers: [pdfPreviewer()],
      onEvent: (event) => log.offload(event),
    })
    return options.scope === undefined ? offloader : offloader.forScope(...options.scope)
  })
}
