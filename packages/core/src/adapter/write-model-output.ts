import type { ContentBlock } from '@spillway/text/internal'
import { writeModelPart, type ModelMediaForm, type ModelOutputPart } from './write-model-part.ts'

/** An output for the model of the AI SDK that JSON can express. */
export type ModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: ModelOutputPart[] }

/**
 * Write blocks, such as an answer of the retrieval tool, as what `toModelOutput` returns: one text, or parts where not all
 * of them are text.
 *
 * Parts have no mark of an error; the retrieval tool answers with media only where it has not failed.
 *
 * @param form - How media are written; see {@link writeModelPart}.
 *
 * @example
 * ```ts
 * import { writeModelOutput } from '@spillway/core/adapter'
 *
 * const output = writeModelOutput([{ type: 'text', text: 'no such reference' }], { isError: true, form: 'file-data' })
 * console.assert(output.type === 'error-text' && output.value === 'no such reference')
 * ```
 */
export function writeModelOutput(
  blocks: readonly ContentBlock[],
  { isError, form }: { readonly isError: boolean; readonly form: ModelMediaForm },
): ModelOutput {
  const parts = blocks.map((block) => writeModelPart(block, form))
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []))
  if (texts.length < parts.length) return { type: 'content', value: parts }
  return { type: isError ? 'error-text' : 'text', value: texts.join('\n') }
}
