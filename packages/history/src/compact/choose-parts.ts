import type { ParsedReplacement } from '../archive/history-archive.ts'
import type { WorkingMessage } from '../history-outcome.ts'
import type {
  HistoryMessage,
  HistoryPart,
  HistoryText,
  HistoryToolCall,
  HistoryToolResult,
} from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import { countPart } from '../measure/count-message.ts'
import { argumentsOf, mapTexts } from './argument-texts.ts'

export type ChosenPart = {
  readonly workingMessage: WorkingMessage
  readonly position: number
  readonly tokens: number
} & (
  | { readonly kind: 'result'; readonly part: HistoryToolResult }
  /** A replacement written by the offloader, whose preview can be shortened. */
  | { readonly kind: 'replacement'; readonly part: HistoryToolResult; readonly replacement: ParsedReplacement }
  | { readonly kind: 'arguments'; readonly part: HistoryToolCall }
  | { readonly kind: 'text'; readonly part: HistoryText }
)

export function chooseParts(
  working: readonly WorkingMessage[],
  recent: number,
  options: ResolvedHistoryOptions,
): ChosenPart[] {
  const chosen: ChosenPart[] = []
  for (const [index, workingMessage] of working.entries()) {
    const { role, parts } = workingMessage.message
    if (role === 'system') workingMessage.reason ??= 'system'
    else if (index >= recent) workingMessage.reason ??= 'recent'
    else {
      const before = chosen.length
      for (const [position, part] of parts.entries()) {
        const choice = choosePart(part, options)
        if (choice !== undefined) chosen.push({ workingMessage, position, ...choice })
      }
      if (chosen.length === before) workingMessage.reason ??= reasonToStay(workingMessage, options)
    }
  }
  return chosen
}

export const hasLargeParts = ({ parts }: HistoryMessage, options: ResolvedHistoryOptions): boolean =>
  parts.some((part) => choosePart(part, options) !== undefined)

/** Choose the texts of a user message that are over `maxToolMessageTokens`. */
export function chooseTexts(
  workingMessage: WorkingMessage,
  { archive, countTokens, maxToolMessageTokens }: ResolvedHistoryOptions,
): ChosenPart[] {
  return workingMessage.message.parts.flatMap((part, position) => {
    if (part.type !== 'text' || archive.readReplacement(part.text)?.subject === 'message') return []
    const tokens = countPart(part, countTokens)
    return tokens > maxToolMessageTokens ? [{ kind: 'text', workingMessage, position, part, tokens }] : []
  })
}

type Choice = ChosenPart extends infer One
  ? One extends ChosenPart
    ? Omit<One, 'workingMessage' | 'position'>
    : never
  : never

function choosePart(part: HistoryPart, options: ResolvedHistoryOptions): Choice | undefined {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return undefined
  const { countTokens, maxToolMessageTokens } = options
  const tokens = countPart(part, countTokens)
  if (part.type === 'tool-call')
    return tokens > maxToolMessageTokens && !isCompactedCall(part, options)
      ? { kind: 'arguments', part, tokens }
      : undefined
  const replacement = replacementOf(part, options)
  // The size of the original decides, not the size of the replacement. The original is not stored again.
  if (replacement !== undefined && replacement.tokens > maxToolMessageTokens)
    return replacement.isBrief && tokens <= maxToolMessageTokens
      ? undefined
      : { kind: 'replacement', part, replacement, tokens }
  return tokens > maxToolMessageTokens ? { kind: 'result', part, tokens } : undefined
}

export function replacementOf(
  { content }: HistoryToolResult,
  { archive }: Pick<ResolvedHistoryOptions, 'archive'>,
): ParsedReplacement | undefined {
  const [first] = content
  return first?.type === 'text' ? archive.readReplacement(first.text) : undefined
}

function isCompactedCall(call: HistoryToolCall, { archive }: ResolvedHistoryOptions): boolean {
  let isCompacted = false
  mapTexts(argumentsOf(call), (text) => {
    isCompacted ||= archive.readReplacement(text)?.subject === 'argument'
    return text
  })
  return isCompacted
}

function reasonToStay(
  { message: { parts } }: WorkingMessage,
  options: ResolvedHistoryOptions,
): 'already-compacted' | 'not-tool-content' | 'within-limits' {
  const tools = parts.filter((part) => part.type === 'tool-call' || part.type === 'tool-result')
  if (tools.length === 0) return 'not-tool-content'
  const isCompacted = tools.some((part) =>
    part.type === 'tool-result' ? replacementOf(part, options)?.isBrief === true : isCompactedCall(part, options),
  )
  return isCompacted ? 'already-compacted' : 'within-limits'
}
