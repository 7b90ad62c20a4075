import type { TextPreviewer } from '../previewer.ts'
import { LogReader } from './log-reader.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/** Previews any text by its lines, as logs are: it reads what no other previewer recognizes. */
export const textPreviewer: TextPreviewer = {
  name: 'text',
  previews: 'text',
  usualTokens: USUAL_TOKENS.log,
  recognize: () => 0.01,
  read: () => new LogReader(),
}
