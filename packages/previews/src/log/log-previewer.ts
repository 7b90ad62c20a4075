import { checkedShares } from '../layout/checked-shares.ts'
import type { TextPreviewer } from '../previewer.ts'
import { LogReader } from './log-reader.ts'
import { LOG_SHARES, type LogPreviewShares } from './log-shares.ts'
import { logSureness } from './log-sureness.ts'

/** Options of {@link logPreviewer}. */
export interface LogPreviewerOptions {
  /**
   * Shares of the budget, from 0 to 1, that are kept for the first lines (`start`), the last ones (`end`), and the lines
   * `between` that matter. Whatever they leave, by default all of it, goes to the lines that are worth most.
   */
  readonly shares?: { readonly [Part in keyof LogPreviewShares]?: number | undefined } | undefined
}

/**
 * Preview logs, the output of builds and tests, and whatever no other previewer recognizes.
 *
 * Of the lines between the first and the last ones it shows those that report failures, their causes, exit codes and
 * summaries, as dozens of tools print them, and those that are unlike all others. It is one of the previewers that every
 * offloader has; made with other options it replaces that one.
 *
 * @example
 * ```ts
 * import { logPreviewer, previewText } from '@spillway/previews'
 *
 * const lines = Array.from({ length: 5_000 }, (_, step) => `step ${step} done`)
 * lines[2_500] = 'src/main.c:12:5: error: expected ;'
 * const previewers = [logPreviewer({ shares: { start: 0.1, end: 0.1, between: 0.8 } })]
 * const preview = await previewText(lines.join('\n'), { previewers, budgetTokens: 100 })
 * console.assert(preview.includes('\nsrc/main.c:12:5: error: expected ;\n'))
 * ```
 */
export function logPreviewer(options: LogPreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', LOG_SHARES, options.shares)
  return {
    name: 'log',
    previews: 'text',
    recognize: logSureness,
    read: () => new LogReader(shares, (subject) => logSureness(subject) >= SURE),
  }
}

/** So sure, the text is looked at as a log whatever its lines look like. */
const SURE = 0.5
