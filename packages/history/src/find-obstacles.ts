import type { Draft } from './draft.ts'
import type { HistoryObstacle, HistoryReason, MessageStatistics } from './history-outcome.ts'

const EXPLANATIONS: Record<HistoryReason, string> = {
  'within-limits':
    'Its results have no more than maxToolMessageTokens. Lower that, or use the mode auto with summarize.',
  compacted: 'It is as short as it gets: what is left is the reference, its preview, and what could not be stored.',
  compressed: 'It is in the summary.',
  system: 'System messages are never shortened. Write a shorter one, or raise maxTotalTokens.',
  recent: 'It is one of the last messages, which stay. Lower keepRecent, or raise maxTotalTokens.',
  request: 'The last words of the user stay, so that the model knows what it works on. Raise maxTotalTokens.',
  'not-tool-content': 'Compacting takes only what tools returned or were given. Use the mode auto with summarize.',
  'already-compacted': 'It is as short as it gets. Use the mode auto with summarize.',
  'not-smaller': 'What would stand in its place is no smaller. Lower historyPreviewTokens.',
  'not-storable': 'It has no bytes of its own, as media by URL and results of the tools of providers. Use summarize.',
  'store-failed': 'It could not be stored, and so stays. See failures, and try again.',
  'no-summarize': 'Compressing it needs the option summarize.',
  'summary-failed': 'Its summary failed or was rejected. See failures, and try again.',
  'too-little': 'It is too little to be worth a summary. Raise maxTotalTokens.',
}

/** Name the largest messages without which a history would fit, the largest first, and say why they are not smaller. */
export function findObstacles(
  statistics: readonly MessageStatistics[],
  made: Draft | undefined,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly HistoryObstacle[] {
  const left = statistics.filter(({ reason }) => reason !== 'compressed')
  const all: MessageStatistics[] = [...left]
  if (made !== undefined)
    all.push({ index: -1, role: 'system', tokens: { before: 0, after: made.tokens }, reason: 'system' })
  let total = after
  const obstacles: HistoryObstacle[] = []
  for (const one of all.toSorted((a, b) => b.tokens.after - a.tokens.after)) {
    if (total <= limit) break
    total -= one.tokens.after
    obstacles.push({ ...one, explanation: EXPLANATIONS[one.reason] })
  }
  return obstacles
}
