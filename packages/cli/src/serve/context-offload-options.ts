import type { ContextOffloadSettings } from '@spillway/server'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { GROUP_TOKENS, KEEP_RECENT, RATIO } from '../history/history-options.ts'
import { parseCount, parsePositive } from '../option-parsers.ts'

/** Defaults of `/context_offload`, named as in `history compact`. */
export interface ContextOffloadOptions {
  readonly mode?: 'compact' | 'compress' | 'auto'
  readonly maxTotalTokens?: number
  readonly maxToolMessageTokens?: number
  readonly ratio?: number
  readonly keepRecent?: number
  readonly groupTokens?: number
  readonly previewChars?: number
  readonly storeDir?: string
}

export function addContextOffloadOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--mode <mode>',
        'of /context_offload, as all down to --store-dir, if a request has none (default: auto)',
      ).choices(['compact', 'compress', 'auto']),
    )
    .option('--max-total-tokens <count>', 'above this a history is made smaller (default: 20000)', parsePositive)
    .option(
      '--max-tool-message-tokens <count>',
      'results with more than this become files (default: 2000)',
      parsePositive,
    )
    .option(...RATIO)
    .option(...KEEP_RECENT)
    .option(...GROUP_TOKENS)
    .option('--preview-chars <count>', 'characters of a result that stay beside its path (default: 100)', parseCount)
    .option(
      '--store-dir <folder>',
      "the virtual folder of the files, in the caller's scope (default: the workspace)",
      parseFolder,
    )
}

function parseFolder(text: string): string {
  if (/\\|\p{Cc}/u.test(text) || text.split('/').includes('..'))
    throw new InvalidArgumentError('Write a virtual folder with slashes and without .., such as context_store.')
  return text
}

/** Convert the defaults to request fields. */
export const contextOffloadOf = (options: ContextOffloadOptions): ContextOffloadSettings => ({
  context_manage_mode: options.mode,
  max_total_tokens: options.maxTotalTokens,
  max_tool_message_tokens: options.maxToolMessageTokens,
  compact_ratio_threshold: options.ratio,
  keep_recent_count: options.keepRecent,
  group_token_threshold: options.groupTokens,
  preview_char_length: options.previewChars,
  store_dir: options.storeDir,
})
