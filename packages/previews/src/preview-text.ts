import { contentTypeEssence, checkedCountTokens, estimateTokens } from '@spillway/text/internal'
import { withPreviewers } from './choose-previewers.ts'
import { corePreviewers } from './core-previewers.ts'
import type { PreviewFallback } from './preview-fallback.ts'
import type { Previewer, PreviewOptions } from './previewer.ts'
import { readText } from './read-text.ts'
import { toolIntent } from './detect/tool-intent.ts'

/** What {@link previewText} is told. */
export interface PreviewTextOptions extends Omit<PreviewOptions, 'countTokens'> {
  /** Defaults to an estimate from the characters. */
  readonly countTokens?: PreviewOptions['countTokens'] | undefined
  /** Defaults to `text/plain`, which tells nothing. */
  readonly contentType?: string | undefined
  /** The tool that the text comes from, and the arguments that it was called with. */
  readonly toolName?: string | undefined
  readonly input?: unknown
  /** What the user or the model said before the call: what it names is shown first. It is never printed. */
  readonly purpose?: string | undefined
  /** Previewers tried before the usual ones; one of the same name takes the place of a usual one. */
  readonly previewers?: readonly Previewer[] | undefined
  /** Called where a previewer could not be used. */
  readonly onFallback?: ((fallback: PreviewFallback) => void) | undefined
}

/**
 * Preview a text within a budget of tokens: what is most likely to be needed of a text of its kind, and what is hidden.
 *
 * The result is empty where the budget allows nothing, and never has more tokens by `countTokens` than the budget. The same
 * text and options always give the same preview.
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
