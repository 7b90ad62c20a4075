import type { TextPreviewer } from '../previewer.ts'
import { readLog } from './log-previewer.ts'
import { LOG_SHARES } from './log-shares.ts'

/** Previews any text by its lines, as logs are: it reads what no other previewer recognizes. */
export const textPreviewer: TextPreviewer = {
  name: 'text',
  previews: 'text',
  recognize: () => 0.01,
  read: () => readLog(LOG_SHARES, false),
}
