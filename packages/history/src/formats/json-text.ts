import type { HistoryContent, HistoryToolCall } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'

/**
 * Write a value of another format as JSON text. Throws a `TypeError` that names its place where JSON cannot express it.
 *
 * @example
 * ```ts
 * import { jsonText } from '@spillway/history/format'
 *
 * console.assert(jsonText({ line: 7 }, 'messages[0].parts[0]') === '{"line":7}')
 * ```
 */
export function jsonText(value: unknown, place: string): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    // Cycles and big integers are a TypeError, and what is too deep or too long a RangeError.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new TypeError(`${place} cannot be written as JSON: ${error.message}`, { cause: error })
  }
}

/**
 * Join what a tool returned where only one text has a place, with JSON as text; `undefined` where some of it is neither.
 * Empty texts say nothing, and leave no line.
 */
export function resultText(content: readonly HistoryContent[], place: string): string | undefined {
  const texts: string[] = []
  for (const piece of content) {
    if (piece.type !== 'text' && piece.type !== 'json') return undefined
    const text = piece.type === 'text' ? piece.text : jsonText(piece.value, place)
    if (text !== '') texts.push(text)
  }
  return texts.join('\n')
}

/** Write the arguments of a call as JSON text: as the model wrote them, where they are text. */
export const argumentsText = ({ input, inputIsText }: HistoryToolCall, place: string): string =>
  inputIsText && typeof input === 'string' ? input : jsonText(input, place)

/**
 * Return the arguments of a call as a value; text that is no JSON comes back as it is.
 *
 * @example
 * ```ts
 * import { argumentsValue } from '@spillway/history/format'
 *
 * const call = { type: 'tool-call', id: 'call_1', name: 'grep', input: '[1,2]', inputIsText: true } as const
 * console.assert(Array.isArray(argumentsValue(call)))
 * ```
 */
export function argumentsValue({ input, inputIsText }: HistoryToolCall): unknown {
  if (!inputIsText || typeof input !== 'string') return input
  try {
    // A model may write nothing where a tool takes no arguments.
    return input.trim() === '' ? {} : JSON.parse(input)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return input
  }
}

/**
 * Return the arguments of a call as the object that some APIs demand; what is none becomes its only field.
 *
 * @example
 * ```ts
 * import { argumentsObject } from '@spillway/history/format'
 *
 * const call = { type: 'tool-call', id: 'call_1', name: 'read', input: '{"path":"app.log"}', inputIsText: true } as const
 * console.assert(argumentsObject(call)['path'] === 'app.log')
 * ```
 */
export function argumentsObject(call: HistoryToolCall): Fields {
  const value = argumentsValue(call)
  return isFields(value) ? value : { input: value }
}
