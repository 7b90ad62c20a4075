/** What the model is shown of a tool's output, of any kind: what `toModelOutput` returns. */
export interface ShownOutput {
  readonly type: string
  readonly value: unknown
}

/**
 * Write what a tool without `toModelOutput` returned as the AI SDK shows it to the model: a string as text, anything else
 * as JSON, nothing as `null`. The value is the very object.
 *
 * @example
 * ```ts
 * import { defaultModelOutput } from '@spillway/core/adapter'
 *
 * console.assert(defaultModelOutput('two users').type === 'text')
 * console.assert(defaultModelOutput(undefined).value === null)
 * ```
 */
export function defaultModelOutput(output: unknown): ShownOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}
