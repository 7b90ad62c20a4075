import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { ask, messageOf, type MeterReport } from './api.ts'
import { formatCount } from './format.ts'

const PLOT_HEIGHT = 240
const DAY = 86_400
const SERIES = [
  ['tokensAvoided', 'Avoided', '--avoided'],
  ['tokensShown', 'Shown', '--shown'],
  ['tokensRetrieved', 'Retrieved', '--retrieved'],
  ['tokensNet', 'Net', '--net'],
] as const

/** Tokens that offloading has saved and cost, according to the journal. */
export function Meter(): VNode {
  const [report, setReport] = useState<MeterReport>()
  const [error, setError] = useState('')
  useEffect(() => {
    void ask<MeterReport>('meter').then(setReport, (failure: unknown) => setError(messageOf(failure)))
  }, [])
  if (error !== '') return <p role="alert">{error}</p>
  if (report === undefined) return <p>Reading…</p>
  const { total, tools, days, others } = report
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
          <dd>{percent(total.bounceRate)}</dd>
        </div>
      </dl>
      <h2>By day</h2>
      <Plot days={days} />
      <h2>By tool</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Results</th>
            {SERIES.map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
            <th scope="col">Read again</th>
            <th scope="col">What would help</th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <tr key={tool.name}>
              <th scope="row">{tool.name}</th>
              <td class="number">{formatCount(tool.offloaded)}</td>
              {SERIES.map(([name]) => (
                <td key={name} class="number">
                  {formatCount(tool[name])}
                </td>
              ))}
              <td class="number">{percent(tool.bounceRate)}</td>
              <td>{tool.advice}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Net tokens with other settings</h2>
      <p>For the same calls. Results below the limit of that time are not in the journal.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">Net</th>
          </tr>
        </thead>
        <tbody>
          {others.map(({ setting, value, tokensNet }) => (
            <tr key={`${setting} ${value}`}>
              <th scope="row">{setting}</th>
              <td class="number">{formatCount(value)}</td>
              <td class="number">{formatCount(tokensNet)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const percent = (share: number): string => `${Math.round(100 * share)} %`

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
