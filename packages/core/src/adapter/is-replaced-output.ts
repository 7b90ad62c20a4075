import { isReplacement } from '../offload/replacement.ts'
import type { ModelOutput } from './write-model-output.ts'

/**
 * Tell whether an output for the model, such as one of a saved conversation, begins with the text that stands in the place
 * of what was offloaded.
 *
 * A tool may return such a text itself: what it says must hold the limit like any other.
 *
 * @example
 * ```ts
 * import { isReplacedOutput } from '@spillway/core/adapter'
 *
 * console.assert(isReplacedOutput({ type: 'text', value: '[Offloaded: 1 blocks, ~20,000 tokens]\nThe tool result …' }))
 * console.assert(!isReplacedOutput({ type: 'text', value: 'two users' }))
 * ```
 */
export function isReplacedOutput({ value }: ModelOutput): boolean {
  const [first] = typeof value === 'string' ? [{ text: value }] : value
  return first !== undefined && 'text' in first && isReplacement(first.text)
}
