import type { TextPreviewer } from '../previewer.ts'
import { LogReader } from './log-reader.ts'
import { logSureness } from './log-sureness.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/**
 * Preview logs, the output of builds and tests, and whatever no other previewer recognizes.
 *
 * It shows the lines that most likely tell what failed, how the run ended, and what is unlike the rest of the text: they are
 * ranked by weights that were fitted to logs of many projects.
 */
export function logPreviewer(): TextPreviewer {
  return {
    name: 'log',
    previews: 'text',
    usualTokens: USUAL_TOKENS.log,
    recognize: logSureness,
    read: () => new LogReader((subject) => logSureness(subject) >= SURE),
  }
}

/** So sure, the text is looked at as a log whatever its lines look like. */
export const SURE = 0.5
