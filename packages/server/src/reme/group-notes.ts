import type { HistorySnapshot, KnownSnapshot } from '@spillway/history'

const START = '<state_snapshot>\n'
const END = '\n</state_snapshot>'
const SEPARATOR = '\n\n'
const HEADING = /^\[Compressed conversation history: (\d+) messages, ~(\d+) tokens\]$/
const GROUP = /^\(Original (\d+) messages are stored in: (.+?)(?:; kept ([\d, ]+))?\)$/

/** A group of messages, as a system message names it. */
export interface NotedGroup {
  readonly count: number
  /** As it was written: relative or absolute. */
  readonly path: string
  /** Positions among them, from 1, of messages that still stand in the history. */
  readonly kept: readonly number[]
}

/** A snapshot with the paths of its groups, before these are looked up. */
export interface NotedSnapshot extends Pick<KnownSnapshot, 'text' | 'tokens' | 'around'> {
  readonly groups: readonly NotedGroup[]
}

/** Write a snapshot as the end of a system message, with a line for each file of originals. */
export function writeSnapshotText({ text, groups, tokens }: HistorySnapshot, pathOf: (name: string) => string): string {
  const messages = groups.reduce((sum, { count }) => sum + count, 0)
  const lines = groups.map(({ name, count, kept }) => {
    const positions = kept.length === 0 ? '' : `; kept ${kept.join(', ')}`
    return `(Original ${count} messages are stored in: ${pathOf(name)}${positions})`
  })
  return [
    `${START}${text}${END}`,
    `[Compressed conversation history: ${messages} messages, ~${tokens} tokens]`,
    ...lines,
  ].join('\n')
}

/** Read a snapshot from the text of a system message; `undefined` where there is none. */
export function readSnapshotText(text: string): NotedSnapshot | undefined {
  const start = text.lastIndexOf(START)
  const end = start < 0 ? -1 : text.indexOf(END, start)
  if (end < 0) return undefined
  const [heading = '', ...lines] = text.slice(end + END.length + 1).split('\n')
  const tokens = HEADING.exec(heading)?.[2]
  if (tokens === undefined) return undefined
  const groups: NotedGroup[] = []
  let rest = 0
  for (; rest < lines.length; rest++) {
    const [, count, path, kept] = GROUP.exec(lines[rest]!) ?? []
    if (count === undefined || path === undefined) break
    groups.push({ count: Number(count), path, kept: kept === undefined ? [] : kept.split(', ').map(Number) })
  }
  if (groups.length === 0) return undefined
  const after = lines.slice(rest).join('\n')
  const before = start === 0 ? '' : text.slice(0, Math.max(0, start - SEPARATOR.length))
  const around = start === 0 && after === '' ? undefined : before + (after === '' ? '' : `\n${after}`)
  return { text: text.slice(start + START.length, end), groups, tokens: Number(tokens), around }
}
