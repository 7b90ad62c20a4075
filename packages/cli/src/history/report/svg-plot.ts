import { formatCount } from '../../format.ts'
import { plotBars, type PlotBar, type PlotMessage } from './plot-bars.ts'

/** What a plot says beside its bars. */
export interface SvgPlotOptions {
  readonly title: string
  readonly subtitle: string
}

const [WIDTH, HEIGHT] = [960, 420]
const PLOT = { left: 84, right: 936, top: 84, bottom: 356 } as const
/** Narrower bars could not be told apart. */
const MAX_BARS = 284
const TICKS = 5
/** What has room beside the legend. */
const MAX_TITLE_LENGTH = 80
const STYLE = `
  .paper { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
  .title { font-size: 17px; font-weight: 600 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0 } .axis { stroke: #59636e }
  .before { fill: #939da7 } .after { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #f0f6fc } .quiet { fill: #9198a1 } .grid { stroke: #2f3742 } .axis { stroke: #9198a1 }
    .before { fill: #656e78 } .after { fill: #4493f8 }
  }`

/**
 * Draw tokens per message as an SVG image that stands alone: bars of before, and in front of them those of now, on one
 * scale. It is readable on light and dark paper, and has a title and a description for who does not see it.
 */
export function svgPlot(messages: readonly PlotMessage[], { title, subtitle }: SvgPlotOptions): string {
  const bars = plotBars(messages, MAX_BARS)
  const highest = Math.max(1, ...bars.map(({ before, after }) => Math.max(before, after)))
  const step = tickStep(highest)
  const top = Math.ceil(highest / step) * step
  const each = (bars[0]?.last ?? 1) - (bars[0]?.first ?? 1) + 1
  const sum = (of: 'before' | 'after'): number => bars.reduce((total, bar) => total + bar[of], 0)
  const description =
    `A bar chart of ${formatCount(messages.length)} messages: ${formatCount(sum('before'))} tokens before, ` +
    `${formatCount(sum('after'))} after. The highest bar has ${formatCount(highest)} tokens.`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="description">${escapeXml(description)}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="24" y="32">${escapeXml(shorten(title))}</text>`,
    `<text class="quiet" x="24" y="54">${escapeXml(subtitle)}</text>`,
    legend(),
    ...gridLines(top, step),
    ...bars.map((bar, index) => drawBar(bar, index, bars.length, top)),
    `<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${PLOT.bottom}" y2="${PLOT.bottom}"/>`,
    ...messageTicks(bars),
    `<text class="quiet" x="${middle(PLOT.left, PLOT.right)}" y="${HEIGHT - 16}" text-anchor="middle">${each === 1 ? 'message' : `message (each bar has ${each})`}</text>`,
    `<text class="quiet" transform="translate(20 ${middle(PLOT.top, PLOT.bottom)}) rotate(-90)" text-anchor="middle">tokens</text>`,
    '</svg>',
    '',
  ].join('\n')
}

function legend(): string {
  const [x, y] = [PLOT.right - 164, 28]
  return [
    `<rect class="before" x="${x}" y="${y - 10}" width="12" height="12" rx="2"/><text x="${x + 18}" y="${y}">before</text>`,
    `<rect class="after" x="${x + 90}" y="${y - 10}" width="12" height="12" rx="2"/><text x="${x + 108}" y="${y}">after</text>`,
  ].join('\n')
}

function gridLines(top: number, step: number): string[] {
  const lines: string[] = []
  for (let tokens = 0; tokens <= top; tokens += step) {
    const y = round(yOf(tokens, top))
    if (tokens > 0) lines.push(`<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/>`)
    lines.push(`<text class="quiet" x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${formatCount(tokens)}</text>`)
  }
  return lines
}

function drawBar({ first, last, before, after }: PlotBar, index: number, count: number, top: number): string {
  const room = (PLOT.right - PLOT.left) / count
  const width = Math.max(1, Math.min(28, room * 0.8))
  const x = round(PLOT.left + room * index + (room - width) / 2)
  const draw = (kind: 'before' | 'after', tokens: number): string => {
    if (tokens === 0) return ''
    // One that has any tokens is seen.
    const y = Math.min(yOf(tokens, top), PLOT.bottom - 1)
    return `<rect class="${kind}" x="${x}" y="${round(y)}" width="${round(width)}" height="${round(PLOT.bottom - y)}"/>`
  }
  const name = first === last ? `Message ${first}` : `Messages ${first} to ${last}`
  const what = `${name}: ${formatCount(before)} tokens before, ${formatCount(after)} after`
  return `<g><title>${what}</title>${draw('before', before)}${draw('after', after)}</g>`
}

/** Numbers below the first bar, the last, and some between. */
function messageTicks(bars: readonly PlotBar[]): string[] {
  const room = (PLOT.right - PLOT.left) / bars.length
  const count = Math.min(TICKS, bars.length)
  const shown = Array.from({ length: count }, (_, tick) =>
    Math.round((tick * (bars.length - 1)) / Math.max(1, count - 1)),
  )
  return shown.map((index) => {
    const x = round(PLOT.left + room * (index + 0.5))
    return `<text class="quiet" x="${x}" y="${PLOT.bottom + 20}" text-anchor="middle">${bars[index]!.first}</text>`
  })
}

const shorten = (text: string): string =>
  text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1)}…` : text

/** A round number of tokens between the lines of a grid. */
function tickStep(highest: number): number {
  const rough = highest / TICKS
  const unit = 10 ** Math.floor(Math.log10(rough))
  return Math.max(1, [1, 2, 5, 10].map((factor) => factor * unit).find((step) => step >= rough) ?? rough)
}

const yOf = (tokens: number, top: number): number => PLOT.bottom - (tokens / top) * (PLOT.bottom - PLOT.top)

const middle = (a: number, b: number): number => (a + b) / 2

const round = (value: number): number => Math.round(value * 10) / 10

/** Write text into XML; what XML cannot have is shown as unknown. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u001F\u007F\uFFFE\uFFFF]/g, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
