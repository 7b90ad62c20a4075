/** What became of an output. */
export interface KnownOutput<Output> {
  /** What stands in its place; `undefined` where it stays. */
  readonly shown: Output | undefined
}

/**
 * Remembers what became of the outputs of tool calls in one run, in a framework that hands over copies of all of them
 * with every call of the model.
 *
 * Outputs are told apart by the id of their call and by what they hold, as ids may come again. It keeps what it is given:
 * make one for each run.
 *
 * @example
 * ```ts
 * import { KnownOutputs } from '@spillway/core/adapter'
 *
 * const outputs = new KnownOutputs<{ text: string }>()
 * outputs.add('call_1', { text: 'a long text' }, { text: 'a preview' })
 * outputs.add('call_2', { text: 'a short text' })
 * console.assert(outputs.find('call_1', { text: 'a long text' })?.shown?.text === 'a preview')
 * console.assert(outputs.find('call_2', { text: 'a short text' })?.shown === undefined)
 * console.assert(outputs.find('call_2', { text: 'another text' }) === undefined)
 * ```
 */
export class KnownOutputs<Output> {
  readonly #ofCall = new Map<string, (KnownOutput<Output> & { readonly output: Output })[]>()

  /** Remember what became of an output; without `shown` it stays. */
  add(toolCallId: string, output: Output, shown?: Output): void {
    const known = this.#ofCall.get(toolCallId) ?? []
    known.push({ output, shown })
    this.#ofCall.set(toolCallId, known)
  }

  /** Find what became of an output or of a copy of it; `undefined` where it is not known. */
  find(toolCallId: string, output: Output): KnownOutput<Output> | undefined {
    return this.#ofCall.get(toolCallId)?.find((known) => isEqual(known.output, output))
  }
}

/** Whether two values of JSON are equal. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [one, other] = [a, b] as readonly Readonly<Record<string, unknown>>[]
  const keys = Object.keys(a)
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(one?.[key], other?.[key]))
  )
}
