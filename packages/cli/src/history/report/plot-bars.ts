/** One bar of a plot: a message, or several where there are more of them than room. */
export interface PlotBar {
  /** The first and last message of it, from 1. */
  readonly first: number
  readonly last: number
  readonly before: number
  readonly after: number
}

/** A message of a plot, with its tokens. */
export interface PlotMessage {
  readonly number: number
  readonly before: number
  /** Undefined where it is not known, as of what a plan would make a reference of: it counts as nothing. */
  readonly after: number | undefined
}

/** Put messages into at most `maxBars` bars of equally many messages each; a bar has the sum of its messages. */
export function plotBars(messages: readonly PlotMessage[], maxBars: number): readonly PlotBar[] {
  const size = Math.max(1, Math.ceil(messages.length / Math.max(1, maxBars)))
  const bars: PlotBar[] = []
  for (let start = 0; start < messages.length; start += size) {
    const group = messages.slice(start, start + size)
    bars.push({
      first: group[0]!.number,
      last: group.at(-1)!.number,
      before: group.reduce((sum, { before }) => sum + before, 0),
      after: group.reduce((sum, { after = 0 }) => sum + after, 0),
    })
  }
  return bars
}
