import type { TextPreviewer } from '../previewer.ts'
import { LogReader } from './log-reader.ts'
import { LOG_SHARES } from './log-shares.ts'
import { logSureness } from './log-sureness.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/**
 * Preview logs, the output of builds and tests, and whatever no other previewer recognizes.
 *
 * Of the lines between the first and the last ones it shows those that report failures, their causes, exit codes and
 * summaries, as dozens of tools print them, and those that are unlike all others.
 */
export function logPreviewer(): TextPreviewer {
  return {
    name: 'log',
    previews: 'text',
    usualTokens: USUAL_TOKENS.log,
    recognize: logSureness,
    read: () => new LogReader(LOG_SHARES, (subject) => logSureness(subject) >= SURE),
  }
}

/** So sure, the text is looked at as a log whatever its lines look like. */
const SURE = 0.5
