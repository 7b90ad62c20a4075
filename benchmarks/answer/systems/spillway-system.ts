import { ContextOffloader, type ContentBlock, type ContextOffloaderOptions } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { ToolResult } from '../answer-case.ts'
import {
  escapeRegex,
  inlineSession,
  markedLines,
  type Intent,
  type Session,
  type System,
  type ToolCall,
} from './system.ts'

const TEXT_OF = (blocks: readonly ContentBlock[]): string =>
  blocks.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
const GAP_CALL = /line_range \{ start: (\d+), end: (\d+) \}/g

/** Spillway with its defaults, with another preview size, or with the start of the content instead of a preview. */
export function spillwaySystem(
  version: string,
  { name = 'Spillway', previewTokens, headPreview = false, withTool = true }: SpillwaySystemOptions = {},
): System {
  return {
    name,
    version,
    emulated: false,
    takes: () => true,
    open: async (result) => {
      const session = await openSession(result, previewTokens === undefined ? {} : { previewTokens }, headPreview)
      return withTool ? session : { ...session, tools: [], plan: () => undefined, offered: () => [] }
    },
  }
}

/** Options of {@link spillwaySystem}. */
export interface SpillwaySystemOptions {
  readonly name?: string
  readonly previewTokens?: number
  /** Whether the first 4,000 characters replace the preview, which shows the value of the tool alone. */
  readonly headPreview?: boolean
  /** Whether the agent has the retrieval tool. Without this tool, the result shows the value of the preview alone. */
  readonly withTool?: boolean
}

async function openSession(
  { text, toolName, toolInput, purpose, heldOut }: ToolResult,
  options: Pick<ContextOffloaderOptions, 'previewTokens'>,
  headPreview: boolean,
): Promise<Session> {
  const offloader = new ContextOffloader({
    storage: new InMemoryStorage(),
    previewers: [heldOut?.()].filter((previewer) => previewer !== undefined),
    ...options,
  })
  const scope = offloader.forScope('benchmark', 'session')
  const outcome = await scope.offload({
    toolName,
    toolCallId: 'call_Ab3dEf6h',
    input: toolInput,
    purpose,
    content: [{ type: 'text', text }],
  })
  const shown = TEXT_OF(outcome.content)
  if (outcome.status !== 'offloaded') return inlineSession(shown)
  const reference = outcome.stored[0]?.reference ?? ''
  const { name, description, inputSchema, execute } = scope.retrievalTool
  const call = (input: object): ToolCall => ({ tool: name, input: { reference, ...input } })
  return {
    shown: headPreview ? withHead(shown, text) : shown,
    inline: false,
    tools: [{ name, description, inputSchema }],
    literalOnly: false,
    plan: (intent) => {
      const input = inputOf(intent)
      return input === undefined ? undefined : call(input)
    },
    run: async ({ input }) => TEXT_OF((await execute(input)).content),
    hits: markedLines,
    totalLines: (text_) => numberOf(/\[Lines [\d,]+-[\d,]+ of ([\d,]+)|, ([\d,]+) lines\)|\[([\d,]+) lines\]/, text_),
    counted: (answer) =>
      numberOf(
        /^\[(?:Last \d+ of |[\d,]+ matches in )?([\d,]+) (?:match|line)|^row\| count\(\*\)\n1\| (\d+)$/m,
        answer,
      ),
    next: (answer) => {
      const json = /\[[^\n]*To continue: \S+ (\{.*\})\]/.exec(answer)?.[1]
      return json === undefined ? undefined : { tool: name, input: JSON.parse(json) as Record<string, unknown> }
    },
    offered: (preview) =>
      [...preview.matchAll(GAP_CALL)]
        .map((match) => ({ start: Number(match[1]), end: Number(match[2]) }))
        .toSorted((one, other) => other.end - other.start - (one.end - one.start))
        .map((range) => call({ line_range: range })),
    close: () => undefined,
  }
}

function inputOf(intent: Intent): object | undefined {
  switch (intent.want) {
    case 'grep':
      return {
        pattern: intent.literals.map(escapeRegex).join('|'),
        ...(intent.ignoreCase && { ignore_case: true }),
        context_lines: intent.context,
        ...(intent.fromEnd === true && { from_end: true }),
      }
    case 'lines':
      return { line_range: { start: intent.first, end: intent.last } }
    case 'tail':
      return { from_end: true, context_lines: intent.count }
    case 'total':
      return undefined
    case 'rows':
      return {
        sql: `SELECT ${name(intent.keyColumn)}, ${name(intent.field)} FROM t WHERE ${equals(intent.keyColumn, intent.key)}`,
      }
    case 'sibling':
      return {
        json_path: `$..[?@[${JSON.stringify(intent.keyName)}] == ${JSON.stringify(intent.key)}][${JSON.stringify(intent.field)}]`,
      }
    case 'path':
      return { json_path: `$${intent.path.map((key) => `[${JSON.stringify(key)}]`).join('')}` }
    case 'count':
      return { pattern: escapeRegex(intent.literal), count_only: true }
    case 'count-rows':
      return { sql: `SELECT count(*) FROM t WHERE ${equals(intent.column, intent.value)}` }
    case 'words':
      return { query: intent.words }
    case 'all':
      return {}
    default:
      throw new Error(`There is no intent ${(intent satisfies never as Intent).want}.`)
  }
}

const name = (column: string): string => `"${column.replaceAll('"', '""')}"`

const equals = (column: string, value: string): string => `${name(column)} = '${value.replaceAll("'", "''")}'`

function withHead(shown: string, text: string): string {
  const references = shown.slice(shown.lastIndexOf('[Stored references:]'))
  return `${shown.split('\n', 2).join('\n')}\n${text.slice(0, 4_000)}\n${references}`
}

/** Return the first matched group of a pattern as a number. Groups may contain thousands separators. */
function numberOf(pattern: RegExp, text: string): number | undefined {
  const digits = pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''))
}
