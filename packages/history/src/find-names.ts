import type { ArchivedItem, HistoryArchive } from './archive/history-archive.ts'
import { argumentsOf, mapTexts } from './compact/argument-texts.ts'
import type { HistoryMessage } from './history-message.ts'

/** Find what a message names that is stored: in results, arguments, texts of the user, and the snapshot. */
export function findNames({ role, parts }: HistoryMessage, archive: HistoryArchive): readonly ArchivedItem[] {
  const items: ArchivedItem[] = []
  const collect = (text: string): string => {
    items.push(...(archive.readReplacement(text)?.items ?? []))
    return text
  }
  for (const part of parts) {
    if (part.type === 'tool-result')
      for (const content of part.content) if (content.type === 'text') collect(content.text)
    if (part.type === 'tool-call') mapTexts(argumentsOf(part), collect)
    if (part.type === 'text' && role === 'user') collect(part.text)
    if (part.type === 'text' && role === 'system') items.push(...(archive.readSnapshot(part.text)?.groups ?? []))
  }
  return items
}
