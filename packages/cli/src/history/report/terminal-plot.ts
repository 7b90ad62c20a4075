import { formatCount } from '../../format.ts'
import { plotBars, type PlotMessage } from './plot-bars.ts'

const ROWS = 8
const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const GONE = '░'
const MAX_BAR_WIDTH = 4
const MIN_WIDTH = 20

/** How a terminal shows a plot. */
export interface TerminalPlotOptions {
  /** Characters of a line. */
  readonly width: number
  /** Whether nothing has been done yet. */
  readonly isPlan?: boolean | undefined
  /** Colours what is there and what is gone; by default neither. */
  readonly paint?: ((kind: 'after' | 'gone' | 'axis', text: string) => string) | undefined
}

/**
 * Draw tokens per message as bars of block characters: what is there now, and above it what was taken out. One scale for
 * all; a message that has any tokens is seen.
 */
export function terminalPlot(
  messages: readonly PlotMessage[],
  { width, isPlan = false, paint = (_kind, text) => text }: TerminalPlotOptions,
): string {
  const total = messages.reduce((sum, { before, after = 0 }) => sum + Math.max(before, after), 0)
  const room = Math.max(MIN_WIDTH, width - formatCount(total).length - 2)
  const bars = plotBars(messages, room)
  const top = bars.reduce((highest, { before, after }) => Math.max(highest, before, after), 1)
  const axis = formatCount(top).length
  const barWidth = Math.max(1, Math.min(MAX_BAR_WIDTH, Math.floor(room / bars.length)))
  // A blank between bars where there is room for it.
  const gap = barWidth > 1 ? 1 : 0
  const eighths = (tokens: number): number => (tokens === 0 ? 0 : Math.max(1, Math.round((tokens / top) * ROWS * 8)))
  const lines: string[] = []
  for (let row = ROWS - 1; row >= 0; row--) {
    const label = row === ROWS - 1 ? formatCount(top) : row === ROWS / 2 - 1 ? formatCount(Math.round(top / 2)) : ''
    let line = ''
    for (const { before, after } of bars) {
      const [kind, cell] = cellOf(eighths(after) - row * 8, eighths(before) - row * 8, row === 0)
      line += paint(kind, cell.repeat(barWidth - gap)) + ' '.repeat(gap)
    }
    lines.push(`${paint('axis', `${label.padStart(axis)} ┤`)}${line}`.trimEnd())
  }
  const used = bars.length * barWidth
  const [first, last] = [String(messages[0]?.number ?? 1), String(messages.at(-1)?.number ?? 1)]
  const numbers = used > first.length + last.length ? first + last.padStart(used - first.length) : first
  lines.push(paint('axis', `${'0'.padStart(axis)} ┼${'─'.repeat(used)}`))
  lines.push(paint('axis', `${' '.repeat(axis + 2)}${numbers}`))
  const each = (bars[0]?.last ?? 1) - (bars[0]?.first ?? 1) + 1
  const what = each === 1 ? 'Tokens of each message' : `Tokens of each ${each} messages`
  const [stays, goes] = isPlan ? ['stays', 'would be taken out'] : ['now', 'taken out']
  return [`${what}:  ${paint('after', '█')} ${stays}  ${paint('gone', GONE)} ${goes}`, ...lines, ''].join('\n')
}

function cellOf(after: number, before: number, isLowest: boolean): readonly ['after' | 'gone', string] {
  if (after >= 8) return ['after', EIGHTHS[8]]
  if (after > 0) return ['after', EIGHTHS[after] ?? '']
  return ['gone', before >= (isLowest ? 1 : 4) ? GONE : ' ']
}
