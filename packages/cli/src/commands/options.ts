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
  type ListenAddress,
} from '../option-parsers.ts'
import { BACKENDS } from '../store/backends.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { COLOR_CHOICES } from '../output.ts'
import { option } from './command.ts'

export const JSON_OPTION: Option = option('--json', 'print JSON, errors too')

/** The options of commands with a store that print no JSON. */
export const STORE_OPTIONS: readonly Option[] = [
  option('--store <url>', `where content is: ${BACKENDS.map(({ example }) => example).join(', ')}`, {
    env: 'SPILLWAY_STORE',
    initial: 'file:.spillway',
    described: '.spillway of this folder or the nearest one above',
  }),
  option('--scope <segments>', 'stay behind this wall, such as tenant-1/session-9; repeated ones are joined', {
    env: 'SPILLWAY_SCOPE',
    parse: parseScope,
  }),
]
const VERBOSE = option('-v, --verbose', 'say which store is used')
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
  option('-i, --ignore-case', 'match in any case'),
  option('-c, --count', 'only count the matches'),
  option('--from-end', 'the last matches or lines instead of the first'),
  option('--after <count>', 'continue a capped answer, as it says', parseCount),
  option('-q, --query <words>', 'the best passages for words'),
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
  option('--preview-tokens <count>', 'tokens of a preview (default: 1000)', parseCount),
  answerOption(answerDefault),
]

export const answerOption = (answerDefault: string): Option =>
  option(
    '--max-retrieval-tokens <count>',
    `tokens of one answer of the retrieval tool (default: ${answerDefault}); none for no limit`,
    parseLimit,
  )

export interface ListenOptions {
  readonly listen?: ListenAddress
  readonly tokens?: string
  readonly allowHost?: readonly string[]
}

/** Options of commands that serve over HTTP; `listens` describes `--listen`. */
export const listenOptions = (
  listens = 'serve over HTTP at this address instead; the host is 127.0.0.1 by default',
): readonly Option[] => [
  option('--listen <[host:]port>', listens, parseAddress),
  option('--tokens <file>', 'who may use it and in which scope: JSON, [{ "token": "…", "scope": ["tenant-1"] }]'),
  option('--allow-host <name>', 'a name by which clients reach it, beside localhost; may be repeated', collect),
]

export interface ModelOptions {
  readonly model?: string
  readonly modelBaseUrl?: string
}

/** The base URL of the model without `--model-base-url`. */
export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

export const MODEL_OPTIONS: readonly Option[] = [
  option('--model <name>', 'the model that writes summaries, such as gpt-5-mini; without one nothing is summarised'),
  option(
    '--model-base-url <url>',
    `where it is: any API like OpenAI's chat completions (default: ${DEFAULT_BASE_URL}); ` +
      'its key is read from SPILLWAY_MODEL_API_KEY, or else OPENAI_API_KEY',
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
  option('--format <name>', 'the format of its messages; else it is told by them', { choices: FORMAT_NAMES }),
  ...STORE_AND_JSON_OPTIONS,
]
export const OUTPUT_OPTIONS: readonly Option[] = [
  option('-o, --output <file>', 'write the transcript here, - for standard output; without it nothing is written'),
  option('--force', 'replace the output where it is there, also where it is the transcript itself'),
]

const MODES: readonly HistoryMode[] = ['compact', 'compress', 'auto']
const KEEP_RECENT = option(
  '--keep-recent <count>',
  'last messages that stay as they are (default: 1, compress: 2)',
  parseCount,
)
const RATIO = option('--ratio <share>', 'auto summarises if more than this share is left (default: 0.75)', parseShare)
const GROUP_TOKENS = option(
  '--group-tokens <count>',
  'summarise so many tokens at a time (default: 0, all at once)',
  parseCount,
)

export const COMPACTION_OPTIONS: readonly Option[] = [
  option('--mode <mode>', 'compact: make references; compress: summarise; auto: both, as needed', {
    choices: MODES,
    initial: 'auto' satisfies HistoryMode,
  }),
  option('--max-total-tokens <count>', 'above this the history is made smaller (default: 20000)', parsePositive),
  option(
    '--max-tool-message-tokens <count>',
    'larger results and arguments become references (default: 2000)',
    parsePositive,
  ),
  KEEP_RECENT,
  option('--preview-tokens <count>', 'tokens of the preview beside a reference (default: 50)', parseCount),
  RATIO,
  GROUP_TOKENS,
  option('--instructions <text>', 'what summaries must heed, such as "Keep all names of customers."'),
  ...MODEL_OPTIONS,
  option(
    '--reading <way>',
    'how the agent reads on: by its retrieval tool, or by commands in its shell (default: tool; for sessions of Claude Code: command)',
    { choices: ['tool', 'command'] },
  ),
]

/** Defaults of `/context_offload`, named as in `history compact`. */
export interface ContextOffloadOptions extends Pick<
  CompactOptions,
  'maxTotalTokens' | 'maxToolMessageTokens' | 'ratio' | 'keepRecent' | 'groupTokens'
> {
  readonly mode?: HistoryMode
  readonly previewChars?: number
  readonly storeDir?: string
}

export const CONTEXT_OFFLOAD_OPTIONS: readonly Option[] = [
  option('--mode <mode>', 'of /context_offload, as all down to --store-dir, if a request has none (default: auto)', {
    choices: MODES,
  }),
  option('--max-total-tokens <count>', 'above this a history is made smaller (default: 20000)', parsePositive),
  option('--max-tool-message-tokens <count>', 'larger results become files (default: 2000)', parsePositive),
  RATIO,
  KEEP_RECENT,
  GROUP_TOKENS,
  option('--preview-chars <count>', 'characters of a result that stay beside its path (default: 100)', parseCount),
  option(
    '--store-dir <folder>',
    "virtual folder of the files in the caller's scope (default: the workspace)",
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
  option('--max-body <bytes>', 'largest request of JSON (default: 64MB)', parseBytes),
  option('--max-content <bytes>', 'largest content that is streamed to the store (default: 1GB)', parseBytes),
  option('--max-memory <bytes>', 'estimated memory of all requests and answers, at most (default: 512MB)', parseBytes),
  option('--max-spool <bytes>', 'disk space of request bodies while they arrive, at most (default: 8GB)', parseBytes),
  option('--max-concurrent <count>', 'requests that are worked on at once, at most (default: 16)', parsePositive),
  option('--max-queued <count>', 'requests that wait, at most; others get 503 (default: 256)', parsePositive),
  option(
    '--rate <count>',
    'requests per second of a token or address, or none for no limit (default: 100)',
    parseLimit,
  ),
  option('--body-timeout <time>', 'how long the body of a request may take to arrive (default: 2m)', parseDuration),
  option('--grace <time>', 'time for open requests once the service is stopped (default: 10s)', parseDuration),
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
  readonly command: string
}

export const HOOK_OPTIONS: readonly Option[] = [
  option('--store <url>', 'where content is (default: .spillway in the project)', { env: 'SPILLWAY_STORE' }),
  option('--scope <segments>', 'stay behind this wall; the id of the session is a segment of its own behind it', {
    env: 'SPILLWAY_SCOPE',
    parse: parseScope,
  }),
  option('--max-tokens <count>', 'output with more tokens than this is offloaded (default: 2500)', parsePositive),
  option('--preview-tokens <count>', 'tokens of the preview (default: 300 to 1000, by kind of content)', parseCount),
  option('--except <tool>', 'leave the output of this tool as it is; may be repeated', collect),
  option('--reading <way>', 'how the agent reads on: by commands, or by the MCP server of this scope', {
    choices: ['command', 'mcp'],
    initial: 'command',
  }),
  option('--command <command>', 'how the shell of the agent starts this program', { initial: 'spillway' }),
]
