import { findNames } from '../find-names.ts'
import type { HistoryMessage } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'

const CONCURRENT_USES = 8

/** Use what a history names. What is gone, or out of reach, shows when it is read. */
export async function useNames(
  messages: readonly HistoryMessage[],
  { archive, signal }: Pick<ResolvedHistoryOptions, 'archive' | 'signal'>,
): Promise<void> {
  const names = [...new Set(messages.flatMap((message) => findNames(message, archive).map(({ name }) => name)))]
  for (let start = 0; start < names.length; start += CONCURRENT_USES) {
    const uses = names.slice(start, start + CONCURRENT_USES).map(async (name) => archive.use?.(name, { signal }))
    await Promise.allSettled(uses)
  }
}
