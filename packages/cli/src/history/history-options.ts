import type { RetrievalGuide } from '@spillway/core'
import type { HistoryMode } from '@spillway/history'
import { Option, type Command } from 'commander'
import { addModelOptions, type ModelOptions } from '../model/model-options.ts'
import { collect, parseCount, parsePositive, parseShare } from '../option-parsers.ts'
import { quoteForShell } from '../output.ts'
import { formatCommand } from '../retrieval-commands.ts'
import { addStoreOptions, type StoreOptions } from '../store-options.ts'

export interface TranscriptOptions extends StoreOptions {
  readonly format?: FormatName
}

export interface OutputOptions {
  readonly output?: string
  readonly force?: boolean
}

export interface CompactOptions extends TranscriptOptions, OutputOptions, ModelOptions {
  readonly mode: HistoryMode
  readonly maxTotalTokens?: number
  readonly maxToolMessageTokens?: number
  readonly keepRecent?: number
  readonly groupTokens?: number
  readonly previewTokens?: number
  readonly ratio?: number
  readonly instructions?: string
  readonly reading?: Reading
  readonly plan?: boolean
}

export interface ExpandOptions extends TranscriptOptions, OutputOptions {
  readonly only?: readonly string[]
}

export function addTranscriptOptions(command: Command): Command {
  command
    .argument('<file>', 'a JSON array or document with messages, messages on lines, or a session of Claude Code')
    .addOption(
      new Option('--format <name>', 'the format of its messages; else it is told by them').choices(FORMAT_NAMES),
    )
  return addStoreOptions(command)
}

export function addOutputOptions(command: Command): Command {
  return command
    .option('-o, --output <file>', 'write the transcript here, - for standard output; without it nothing is written')
    .option('--force', 'replace the output where it is there, also where it is the transcript itself')
}

type NumberOption = readonly [flags: string, description: string, parse: (text: string) => number]

/** Options shared with the service's `/context_offload`. */
export const KEEP_RECENT: NumberOption = [
  '--keep-recent <count>',
  'so many of the last messages stay (default: 1, compress: 2)',
  parseCount,
]
export const RATIO: NumberOption = [
  '--ratio <share>',
  'auto summarises where more than this share is left (default: 0.75)',
  parseShare,
]
export const GROUP_TOKENS: NumberOption = [
  '--group-tokens <count>',
  'summarise so many tokens at a time; 0 for all at once (default: 0)',
  parseCount,
]

export function addCompactionOptions(command: Command): Command {
  command
    .addOption(
      new Option('--mode <mode>', 'compact: make references; compress: summarise; auto: both, as needed')
        .choices(['compact', 'compress', 'auto'] satisfies HistoryMode[])
        .default('auto' satisfies HistoryMode),
    )
    .option('--max-total-tokens <count>', 'above this the history is made smaller (default: 20000)', parsePositive)
    .option(
      '--max-tool-message-tokens <count>',
      'results and arguments of tools with more than this become references (default: 2000)',
      parsePositive,
    )
    .option(...KEEP_RECENT)
    .option('--preview-tokens <count>', 'tokens of the preview beside a reference (default: 50)', parseCount)
    .option(...RATIO)
    .option(...GROUP_TOKENS)
    .option('--instructions <text>', 'what summaries must heed, such as "Keep all names of customers."')
  addModelOptions(command)
  return command
    .addOption(
      new Option(
        '--reading <way>',
        'how the agent reads on: by its retrieval tool, or by commands in its shell (default: tool; for sessions of Claude Code: command)',
      ).choices(['tool', 'command'] satisfies Reading[]),
    )
    .option('--plan', 'say what would happen, by an estimate: no model is asked')
}

export const addOnlyOption = (command: Command): Command =>
  command.option('--only <reference>', 'put back this alone, and what goes with it; may be repeated', collect)

/** By the retrieval tool, or by shell commands. */
type Reading = 'tool' | 'command'

/** Create a one-line guide for shells; a history has many references. */
export const referenceGuide = (storeArguments: string): RetrievalGuide => ({
  instructions: ([reference = 'REFERENCE'], isText = true) => [
    `spillway get ${quoteForShell(reference)}${storeArguments} reads it${isText ? ' (--pattern REGEX, --lines A:B)' : ''}.`,
  ],
  formatCall: (call) => formatCommand(call, storeArguments),
})

/** Values of `--format`. */
export const FORMAT_NAMES = [
  'openai-chat',
  'openai-responses',
  'openai-agents',
  'anthropic',
  'ai-sdk',
  'gemini',
  'claude-code',
  'neutral',
] as const

export type FormatName = (typeof FORMAT_NAMES)[number]
