import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { ask, useLoaded, type MeterReport } from './api.ts'
import { formatCount, formatShare, Table, Waiting } from './format.tsx'

const PLOT_HEIGHT = 240
const DAY = 86_400
const SERIES = [
  ['tokensAvoided', 'Avoided', '--link'],
  ['tokensShown', 'Shown', '--orange'],
  ['tokensRetrieved', 'Retrieved', '--danger'],
  ['tokensNet', 'Net', '--green'],
] as const

/** Tokens that offloading has saved and cost, according to the journal. */
export function Meter(): VNode {
  const { answer, error } = useLoaded(() => ask<MeterReport>('meter'))
  if (answer === undefined) return <Waiting error={error} />
  const { total, tools, days, others } = answer
  return (
    <section class="meter scroll" aria-label="Meter" tabIndex={0}>
      <dl class="cards">
        {SERIES.map(([name, title]) => (
          <div key={name}>
            <dt>{title} tokens</dt>
            <dd>{formatCount(total[name])}</dd>
          </div>
        ))}
        <div>
          <dt>Results read again</dt>
          <dd>{formatShare(total.bounceRate)}</dd>
        </div>
      </dl>
      <h2>By day</h2>
      <Plot days={days} />
      <h2>By tool</h2>
      <Table
        columns={['Tool', 'Results', ...SERIES.map(([, title]) => title), 'Read again', 'What would help']}
        rows={tools.map(({ name, offloaded, bounceRate, advice, ...tokens }) => [
          name,
          offloaded,
          ...SERIES.map(([series]) => tokens[series]),
          { share: bounceRate },
          advice,
        ])}
        hasRowHeadings
      />
      <h2>Net tokens with other settings</h2>
      <p>For the same calls. Results below the limit of that time are not in the journal.</p>
      <Table
        columns={['Setting', 'Value', 'Net']}
        rows={others.map(({ setting, value, tokensNet }) => [setting, value, tokensNet])}
        hasRowHeadings
      />
    </section>
  )
}

function Plot({ days }: { readonly days: MeterReport['days'] }): VNode {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current!
    // A canvas cannot use CSS variables, so their values are read.
    const color = (name: string): string => {
      element.style.color = `var(${name})`
      return getComputedStyle(element).color
    }
    const axis = { stroke: color('--text'), grid: { stroke: color('--line') }, ticks: { stroke: color('--line') } }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: PLOT_HEIGHT,
        scales: { x: { range: (_, first, last) => [first - DAY, last + DAY] } },
        axes: [axis, { ...axis, size: 80 }],
        series: [
          { value: '{YYYY}-{MM}-{DD}' },
          ...SERIES.map(([, label, name]) => ({ label, stroke: color(name), width: 2, points: { show: true } })),
        ],
      },
      [
        days.map(({ name }) => Date.parse(name) / 1_000),
        ...SERIES.map(([name]) => days.map((day) => day[name])),
      ] as uPlot.AlignedData,
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: PLOT_HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [days])
  return <div ref={box} class="plot" role="img" aria-label="Tokens by day" />
}
