/** What the model is shown of a tool that says nothing of it. */
export interface DefaultModelOutput {
  readonly type: 'text' | 'json'
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
export function defaultModelOutput(output: unknown): DefaultModelOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}
