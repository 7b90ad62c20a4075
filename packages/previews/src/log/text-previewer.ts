import type { TextPreviewer } from '../previewer.ts'
import { LogReader } from './log-reader.ts'

/** Previews any text by its lines, as logs are: it reads what no other previewer recognizes. */
export const textPreviewer: TextPreviewer = {
  name: 'text',
  previews: 'text',
  recognize: () => 0.01,
  read: () => new LogReader(),
}
