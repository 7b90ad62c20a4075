import { summarizeJournal, type EventJournal, type JournalEvent, type TokenTotals } from '@spillway/core'
import { relativeScope } from './entry-snapshot.ts'

type Journal = Pick<EventJournal, 'read'>
type Retrieval = Extract<JournalEvent, { type: 'retrieval' }>

/** Another value of a setting, and the net tokens that the same calls would have had with that value. */
interface OtherSetting {
  readonly setting: 'maxResultTokens' | 'previewTokens'
  readonly value: number
  readonly tokensNet: number
}

export interface MeterReport {
  readonly total: TokenTotals
  /** Totals of each tool, and a suggested setting. */
  readonly tools: readonly (TokenTotals & { readonly name: string; readonly advice: string })[]
  readonly days: readonly (TokenTotals & { readonly name: string })[]
  readonly others: readonly OtherSetting[]
}

const RESULT_LIMITS = [2_500, 4_000, 6_000, 10_000, 20_000]
const PREVIEW_LIMITS = [100, 300, 500, 1_000]
/** Estimated tokens of a replacement without its preview. */
const FRAME_TOKENS = 150
/** Share of results that are read again above which a tool gets a suggestion. */
const OFTEN = 0.5

export async function reportMeter(journal: Journal, scope: readonly string[], path: string): Promise<MeterReport> {
  const { total, groups: tools } = await summarizeJournal(journal, { by: 'tool', scope })
  const { groups: days } = await summarizeJournal(journal, { by: 'day', scope })
  const others = await otherSettings(journal, path)
  return { total, tools: tools.map((tool) => ({ ...tool, advice: adviceFor(tool) })), days, others }
}

function adviceFor({ offloaded, tokensAvoided, tokensNet, bounceRate }: TokenTotals): string {
  if (offloaded === 0) return ''
  const usual = Math.round(tokensAvoided / offloaded / 100) * 100
  if (tokensNet < 0) return `Offloading costs more than it saves: raise maxResultTokens above ${usual}.`
  if (bounceRate > OFTEN) return 'Most results are read again: raise previewTokens, or pass the purpose of the call.'
  return ''
}

/** Estimate other settings. With a higher limit, fewer results would have been offloaded and retrieved. */
async function otherSettings(journal: Journal, path: string): Promise<readonly OtherSetting[]> {
  const offloads = new Map<string, { original: number; replacement: number; retrieved: number }>()
  const all = new Set<{ original: number; replacement: number; retrieved: number }>()
  // Searches over all results cost the same with any setting.
  let searched = 0
  for await (const event of journal.read()) {
    if (relativeScope(path, event.scope) === undefined) continue
    if (event.type === 'offload') {
      const result = { ...event.tokens, retrieved: 0 }
      all.add(result)
      for (const reference of event.references) offloads.set(`${event.scope}/${reference}`, result)
    } else if (event.type === 'retrieval') {
      const result = offloads.get(`${event.scope}/${event.reference}`)
      if (result === undefined) searched += event.tokens
      else result.retrieved += event.tokens
    }
  }
  const results = [...all]
  const net = (each: (result: (typeof results)[number]) => number): number =>
    results.reduce((sum, result) => sum + each(result), -searched)
  const smallest = Math.min(...results.map(({ original }) => original))
  return [
    ...RESULT_LIMITS.filter((value) => value >= smallest || value === RESULT_LIMITS[0]).map((value) => ({
      setting: 'maxResultTokens' as const,
      value,
      tokensNet: net(({ original, replacement, retrieved }) =>
        original <= value ? 0 : original - replacement - retrieved,
      ),
    })),
    ...PREVIEW_LIMITS.map((value) => ({
      setting: 'previewTokens' as const,
      value,
      tokensNet: net(
        ({ original, replacement, retrieved }) => original - Math.min(replacement, value + FRAME_TOKENS) - retrieved,
      ),
    })),
  ]
}

const MAX_RETRIEVALS = 1_000

/** List the retrievals of an entry, the latest first. */
export async function listRetrievals(journal: Journal, path: string, reference: string): Promise<readonly Retrieval[]> {
  const found: Retrieval[] = []
  for await (const event of journal.read())
    if (event.type === 'retrieval' && event.scope === path && event.reference === reference) found.push(event)
  return found.toReversed().slice(0, MAX_RETRIEVALS)
}
