import { parseJsonText } from '@spillway/text/internal/json'
import { gapCalls } from '@spillway/core/internal'
import { corePreviewers } from '@spillway/previews'
import { LineCounter, readText, toolIntent, withPreviewers } from '@spillway/previews/internal'
import type { HistoryToolCall } from '../history-message.ts'
import type { CompactionContext } from './compaction-context.ts'

/** Longer arguments tell nothing of what a call was after that is worth parsing them. */
const MAX_INPUT_LENGTH = 65_536

/** What is previewed. */
export interface PreviewedContent {
  readonly text: string
  readonly contentType: string
  readonly toolName: string
  /** The call that it is the result of. */
  readonly call: HistoryToolCall | undefined
  readonly isError: boolean
  readonly budgetTokens: number
}

/** Preview what a history no longer holds, and count its lines. */
export async function previewContent(
  content: PreviewedContent,
  { offloader: { options }, countTokens }: CompactionContext,
): Promise<{ readonly lines: number; readonly preview: string }> {
  const { text, contentType, toolName, call, isError, budgetTokens } = content
  if (budgetTokens === 0) return { lines: countLines(text), preview: '' }
  const input = call === undefined ? undefined : inputValue(call)
  const previewing = { call: { toolName, input, intent: toolIntent(toolName, input) }, contentType }
  // What a previewer cannot do, its fallback by lines does: a preview this short needs no event.
  const reading = {
    ...previewing,
    previewers: withPreviewers(options.previewers, corePreviewers),
    onFallback: () => {},
  }
  const { lines, write } = await readText(text, reading)
  const preview = await write({ budgetTokens, countTokens, isError, ...gapCalls(options) })
  return { lines, preview }
}

function countLines(text: string): number {
  const counter = new LineCounter()
  counter.push(text)
  return counter.lines
}

/** Return the arguments of a call as a value; `undefined` where they are none, or long. */
function inputValue({ input, inputIsText }: HistoryToolCall): unknown {
  if (!inputIsText) return input
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return undefined
  return parseJsonText(input)
}
