import { contentTypeEssence, checkedCountTokens, estimateTokens } from '@spillway/text/internal'
import { withPreviewers } from './choose-previewers.ts'
import { corePreviewers } from './core-previewers.ts'
import type { PreviewFallback } from './preview-fallback.ts'
import type { Previewer, PreviewOptions } from './previewer.ts'
import { readText } from './read-text.ts'
import { toolIntent } from './detect/tool-intent.ts'

/** Options of {@link previewText}. */
export interface PreviewTextOptions extends Omit<PreviewOptions, 'countTokens'> {
  /** Token counter. Defaults to an estimate by characters. */
  readonly countTokens?: PreviewOptions['countTokens'] | undefined
  /** Content type. Defaults to `text/plain`, which means that the type is unknown. */
  readonly contentType?: string | undefined
  /** Tool that returned the text. `input` has the arguments of its call. */
  readonly toolName?: string | undefined
  readonly input?: unknown
  /** Text of the user or the model before the call. It is never shown, but lines with its names are preferred. */
  readonly purpose?: string | undefined
  /** Previewers to try first. They replace built-in previewers with the same name. */
  readonly previewers?: readonly Previewer[] | undefined
  /** Called if a previewer could not be used. */
  readonly onFallback?: ((fallback: PreviewFallback) => void) | undefined
}

/**
 * Preview a text within a budget of tokens. The preview has the most useful parts, and a mark for each hidden part.
 *
 * The preview never exceeds the budget, counted by `countTokens`. The preview is empty if nothing fits. The same text
 * and options always give the same preview.
 *
 * @example
 * ```ts
 * import { estimateTokens } from '@spillway/core'
 * import { previewText } from '@spillway/previews'
 *
 * const steps = Array.from({ length: 5_000 }, (_, index) => `step ${index} done`)
 * steps[2_500] = 'src/main.c:12:5: error: expected ;'
 * const preview = await previewText(steps.join('\n'), { budgetTokens: 200 })
 * console.assert(preview.includes('error: expected ;'))
 * console.assert(estimateTokens(preview) <= 200)
 * ```
 */
export async function previewText(text: string, options: PreviewTextOptions): Promise<string> {
  if (typeof text !== 'string') throw new TypeError(`previewText() needs a string, got ${typeof text}.`)
  const { budgetTokens } = Object(options) as Partial<PreviewTextOptions>
  if (!(typeof budgetTokens === 'number' && budgetTokens >= 0))
    throw new TypeError(`budgetTokens must be a number of tokens, 0 or more, got ${typeof budgetTokens}.`)
  const {
    toolName = '',
    input,
    purpose,
    contentType = 'text/plain',
    previewers = [],
    onFallback = () => {},
    ...rest
  } = options
  const preview = await readText(text, {
    call: { toolName, input, intent: toolIntent(toolName, input, purpose) },
    contentType: contentTypeEssence(contentType),
    previewers: withPreviewers(previewers, corePreviewers),
    onFallback,
  })
  const countTokens = rest.countTokens === undefined ? estimateTokens : checkedCountTokens(rest.countTokens)
  return preview.write({ ...rest, countTokens })
}
