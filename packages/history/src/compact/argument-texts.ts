import { parseJsonText } from '@spillway/text/internal'
import { parseExactJson } from '@spillway/text/internal/json'
import type { ArchivedItem, HistoryArchive } from '../archive/history-archive.ts'
import type { HistoryMessage, HistoryToolCall } from '../history-message.ts'

/** Name of the field for the arguments' replacement. APIs require an object even if the model wrote another value. */
const WHOLE = 'offloaded'
const MAX_DEPTH = 64
const MAX_VALUES = 20_000

/** Return a call's arguments as a value with exact numbers. Return `undefined` if their text is not JSON. */
export const argumentsOf = ({ input, inputIsText }: HistoryToolCall): unknown =>
  inputIsText && typeof input === 'string' ? parseJsonText(input, parseExactJson) : input

export const withArguments = (call: HistoryToolCall, value: unknown): HistoryToolCall => ({
  ...call,
  input: call.inputIsText ? JSON.stringify(value) : value,
})

export const withWhole = (call: HistoryToolCall, text: string): HistoryToolCall =>
  isFreeText(call) ? { ...call, input: text } : withArguments(call, { [WHOLE]: text })

/** Return the text that replaces all arguments of a call, if any. */
export function wholeOf(call: HistoryToolCall): string | undefined {
  if (isFreeText(call)) return call.input as string
  const value = argumentsOf(call)
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== WHOLE) return undefined
  const text = (value as Record<string, unknown>)[WHOLE]
  return typeof text === 'string' ? text : undefined
}

const isFreeText = ({ input, inputIsText }: HistoryToolCall): boolean => typeof input === 'string' && !inputIsText

/** Apply a function to all texts in a JSON value, in order. If no text changes, return the same value. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  let left = MAX_VALUES
  const map = (one: unknown, depth: number): unknown => {
    if (typeof one === 'string') return change(one)
    if (typeof one !== 'object' || one === null || depth > MAX_DEPTH || (left -= 1) < 0) return one
    if (Array.isArray(one)) {
      const items = one.map((item: unknown) => map(item, depth + 1))
      return items.every((item, index) => item === one[index]) ? one : items
    }
    if (Object.getPrototypeOf(one) !== Object.prototype) return one
    const entries = Object.entries(one).map(([key, item]): [string, unknown] => [key, map(item, depth + 1)])
    const isSame = entries.every(([key, item]) => item === (one as Record<string, unknown>)[key])
    return isSame ? one : Object.fromEntries(entries)
  }
  return map(value, 0)
}

export function findNames({ role, parts }: HistoryMessage, archive: HistoryArchive): readonly ArchivedItem[] {
  const items: ArchivedItem[] = []
  const collect = (text: string): string => {
    items.push(...(archive.readReplacement(text)?.items ?? []))
    return text
  }
  for (const part of parts) {
    if (part.type === 'tool-result')
      for (const content of part.content) if (content.type === 'text') collect(content.text)
    if (part.type === 'tool-call') mapTexts(argumentsOf(part), collect)
    if (part.type === 'text' && role === 'user') collect(part.text)
    if (part.type === 'text' && role === 'system') items.push(...(archive.readSnapshot(part.text)?.groups ?? []))
  }
  return items
}
