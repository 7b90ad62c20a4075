/** Options that several commands share, with the types of their values. */
import type { HistoryMode } from '@spillway/history'
import type { ContextOffloadSettings, ServerLimits } from '@spillway/server'
import { InvalidArgumentError, type Option } from 'commander'
import {
  collect,
  parseAddress,
  parseBytes,
  parseCount,
  parseDuration,
  parseLimit,
  parsePositive,
  parseScope,
  parseShare,
  parseText,
  type ListenAddress,
} from '../option-parsers.ts'
import { BACKENDS } from '../store/backends.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { COLOR_CHOICES } from '../output.ts'
import { option } from './command.ts'

export const JSON_OPTION: Option = option('--json', 'print JSON, even for errors')

/** The options of commands with a store that print no JSON. */
export const STORE_OPTIONS: readonly Option[] = [
  option('--store <url>', `where content is: ${BACKENDS.map(({ example }) => example).join(', ')}`, {
    env: 'SPILLWAY_STORE',
    initial: 'file:.spillway',
    described: '.spillway in this folder or the nearest folder above',
  }),
  option('--scope <segments>', 'use only this scope, such as tenant-1/session-9; repeated options are joined', {
    env: 'SPILLWAY_SCOPE',
    parse: parseScope,
  }),
]
const VERBOSE = option('-v, --verbose', 'print the path or URL of the store')
const COLOR = option('--color <when>', 'auto: on a terminal, unless NO_COLOR is set', { choices: COLOR_CHOICES })
export const STORE_AND_JSON_OPTIONS: readonly Option[] = [...STORE_OPTIONS, JSON_OPTION, VERBOSE, COLOR]

export interface SearchOptions {
  readonly ignoreCase?: boolean
  readonly count?: boolean
  readonly fromEnd?: boolean
  readonly after?: number
  readonly query?: string
}

export const SEARCH_OPTIONS: readonly Option[] = [
  option('-i, --ignore-case', 'ignore the case of letters'),
  option('-c, --count', 'print only the number of matches'),
  option('--from-end', 'print the last matches or lines instead of the first'),
  option('--after <count>', 'continue a cut answer, with the number that the answer gives', parseCount),
  option('-q, --query <words>', 'print the passages that match these words best', parseText),
]

export interface OffloaderOptions {
  readonly scope?: readonly string[]
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly maxRetrievalTokens?: number
}

/** Limits of results and answers; `answerDefault` describes the limit of answers. */
export const offloaderOptions = (answerDefault: string): readonly Option[] => [
  option('--max-tokens <count>', 'results with more tokens than this are offloaded (default: 2500)', parsePositive),
  option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount),
  answerOption(answerDefault),
]

export const answerOption = (answerDefault: string): Option =>
  option(
    '--max-retrieval-tokens <count>',
    `limit of one answer of the retrieval tool in tokens (default: ${answerDefault}); none for no limit`,
    parseLimit,
  )

export interface ListenOptions {
  readonly listen?: ListenAddress
  readonly tokens?: string
  readonly allowHost?: readonly string[]
}

/** Options of commands that serve over HTTP; `listens` describes `--listen`. */
export const listenOptions = (
  listens = 'serve over HTTP at this address, not over stdio; the default host is 127.0.0.1',
): readonly Option[] => [
  option('--listen <[host:]port>', listens, parseAddress),
  option('--tokens <file>', 'tokens of callers, with their scopes: JSON, [{ "token": "…", "scope": ["tenant-1"] }]'),
  option('--allow-host <name>', 'a host name that clients use, in addition to localhost; may be repeated', collect),
]

export interface ModelOptions {
  readonly model?: string
  readonly modelBaseUrl?: string
}

/** The base URL of the model without `--model-base-url`. */
export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

export const MODEL_OPTIONS: readonly Option[] = [
  option('--model <name>', 'the model that writes summaries, such as gpt-5-mini; without it, nothing is summarized'),
  option(
    '--model-base-url <url>',
    `URL of an API like OpenAI's chat completions (default: ${DEFAULT_BASE_URL}); ` +
      'the key is in SPILLWAY_MODEL_API_KEY, or else in OPENAI_API_KEY',
  ),
]

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
  readonly reading?: 'tool' | 'command'
}

export interface ExpandOptions extends TranscriptOptions, OutputOptions {}

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

export const TRANSCRIPT_OPTIONS: readonly Option[] = [
  option('--format <name>', 'the format of the messages (default: detected)', { choices: FORMAT_NAMES }),
  ...STORE_AND_JSON_OPTIONS,
]
export const OUTPUT_OPTIONS: readonly Option[] = [
  option('-o, --output <file>', 'file for the new transcript, - for standard output; without it, nothing is written'),
  option('--force', 'replace an existing output file, even the transcript itself'),
]

const MODES: readonly HistoryMode[] = ['compact', 'compress', 'auto']
const KEEP_RECENT = option(
  '--keep-recent <count>',
  'number of last messages that are never changed (default: 1, compress: 2)',
  parseCount,
)
const RATIO = option('--ratio <share>', 'auto summarizes if more than this share is left (default: 0.75)', parseShare)
const GROUP_TOKENS = option(
  '--group-tokens <count>',
  'tokens of each group of messages that is summarized (default: 0, one group)',
  parseCount,
)

export const COMPACTION_OPTIONS: readonly Option[] = [
  option('--mode <mode>', 'compact: make references; compress: summarize; auto: both, as needed', {
    choices: MODES,
    initial: 'auto' satisfies HistoryMode,
  }),
  option('--max-total-tokens <count>', 'limit of the whole history, in tokens (default: 20000)', parsePositive),
  option(
    '--max-tool-message-tokens <count>',
    'results and arguments with more tokens become references (default: 2000)',
    parsePositive,
  ),
  KEEP_RECENT,
  option('--preview-tokens <count>', 'tokens of the preview next to a reference (default: 50)', parseCount),
  RATIO,
  GROUP_TOKENS,
  option('--instructions <text>', 'instructions for summaries, such as "Keep all names of customers."'),
  ...MODEL_OPTIONS,
  option(
    '--reading <way>',
    'how the agent retrieves content: with its tool or with commands (default: tool; in sessions of Claude Code: command)',
    { choices: ['tool', 'command'] },
  ),
]

/** Options of the command for the defaults of `/context_offload`, with the names that `history compact` has. */
export interface ContextOffloadOptions extends Pick<
  CompactOptions,
  'maxTotalTokens' | 'maxToolMessageTokens' | 'ratio' | 'keepRecent' | 'groupTokens'
> {
  readonly mode?: HistoryMode
  readonly previewChars?: number
  readonly storeDir?: string
}

export const CONTEXT_OFFLOAD_OPTIONS: readonly Option[] = [
  option(
    '--mode <mode>',
    'mode of /context_offload if a request has none (default: auto); the next options, to --store-dir, are defaults of requests too',
    {
      choices: MODES,
    },
  ),
  option('--max-total-tokens <count>', 'limit of a whole history, in tokens (default: 20000)', parsePositive),
  option('--max-tool-message-tokens <count>', 'results with more tokens become files (default: 2000)', parsePositive),
  RATIO,
  KEEP_RECENT,
  GROUP_TOKENS,
  option('--preview-chars <count>', 'characters of a result that are kept before its path (default: 100)', parseCount),
  option(
    '--store-dir <folder>',
    'virtual folder of the files in the scope of the caller (default: the workspace)',
    parseFolder,
  ),
]

function parseFolder(text: string): string {
  if (/\\|\p{Cc}/u.test(text) || text.split('/').includes('..'))
    throw new InvalidArgumentError('Write a virtual folder with slashes and without .., such as context_store.')
  return text
}

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

type LimitName = 'maxBody' | 'maxContent' | 'maxConcurrent' | 'maxQueued' | 'maxMemory'
export type LimitOptions = Readonly<Partial<Record<LimitName | 'maxSpool' | 'rate' | 'bodyTimeout' | 'grace', number>>>

export const LIMIT_OPTIONS: readonly Option[] = [
  option('--max-body <bytes>', 'size limit of a JSON request (default: 64MB)', parseBytes),
  option('--max-content <bytes>', 'size limit of content that is streamed to the store (default: 1GB)', parseBytes),
  option('--max-memory <bytes>', 'limit of the estimated memory of all requests (default: 512MB)', parseBytes),
  option('--max-spool <bytes>', 'limit of the disk space for arriving bodies (default: 8GB)', parseBytes),
  option('--max-concurrent <count>', 'limit of requests that are processed at once (default: 16)', parsePositive),
  option('--max-queued <count>', 'limit of requests that wait; others get 503 (default: 256)', parsePositive),
  option(
    '--rate <count>',
    'limit of requests per second for each token or address; none for no limit (default: 100)',
    parseLimit,
  ),
  option('--body-timeout <time>', 'time limit for the arrival of a request body (default: 2m)', parseDuration),
  option('--grace <time>', 'time limit for open requests when the service stops (default: 10s)', parseDuration),
]

export function limitsOf(options: LimitOptions): Partial<{ [Name in keyof ServerLimits]: number | undefined }> {
  const { maxBody, maxContent, maxConcurrent, maxQueued, maxMemory, rate, bodyTimeout } = options
  return {
    maxBodyBytes: maxBody,
    maxContentBytes: maxContent,
    maxConcurrent,
    maxQueued,
    maxMemoryBytes: maxMemory,
    requestsPerSecond: rate,
    requestBurst: rate === undefined ? undefined : Math.max(1, 2 * rate),
    bodyTimeoutMs: bodyTimeout,
  }
}

/** Options of the hook; its installer passes them on. */
export interface HookOptions {
  readonly store?: string
  readonly scope?: readonly string[]
  readonly maxTokens?: number
  readonly previewTokens?: number
  readonly except?: readonly string[]
  /** Whether the agent reads content with shell commands, or with the tool of an MCP server. */
  readonly reading: 'command' | 'mcp'
  readonly command?: string
}

export const HOOK_OPTIONS: readonly Option[] = [
  option('--store <url>', 'the store with the content (default: .spillway in the project)', { env: 'SPILLWAY_STORE' }),
  option('--scope <segments>', 'scope of all sessions; the session id is added as the last segment', {
    env: 'SPILLWAY_SCOPE',
    parse: parseScope,
  }),
  option('--max-tokens <count>', 'output with more tokens than this is offloaded (default: 2500)', parsePositive),
  option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount),
  option('--except <tool>', 'do not offload output of this tool; may be repeated', collect),
  option('--reading <way>', 'how the agent retrieves content: with commands, or with the MCP server of this scope', {
    choices: ['command', 'mcp'],
    initial: 'command',
  }),
  option('--command <command>', "the command that starts this program in the agent's shell (default: spillway)"),
]
