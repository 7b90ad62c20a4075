import { expect, test } from 'vitest'
import type { PlotMessage } from './plot-bars.ts'
import { svgPlot } from './svg-plot.ts'

const plotOf = (tokens: readonly (readonly [number, number | undefined])[], title = 'Tokens'): string => {
  const messages = tokens.map(([before, after], index): PlotMessage => ({ number: index + 1, before, after }))
  return svgPlot(messages, { title, subtitle: '1 → 2' })
}

/** Every tag is closed, in its order; a parser of XML would accept no less. */
function assertWellFormed(svg: string): void {
  const open: string[] = []
  for (const [, close, name, rest] of svg.matchAll(/<(\/?)([a-z]+)((?:[^>"]|"[^"<]*")*)>/g)) {
    if (close === '/') expect(open.pop()).toBe(name)
    else if (!rest!.endsWith('/')) open.push(name!)
  }
  expect(open).toEqual([])
  expect(svg.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/)
}

test('is an image that stands alone, with a title and a description', () => {
  const svg = plotOf([
    [50, 50],
    [8_000, 200],
    [4_000, 0],
  ])
  assertWellFormed(svg)
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 960 420" role="img" aria-labelledby="title description">/,
  )
  expect(svg).toContain('<title id="title">Tokens</title>')
  expect(svg).toContain('3 messages: 12,050 tokens before, 250 after. The highest bar has 8,000 tokens.')
  expect(svg).toContain('prefers-color-scheme: dark')
  expect(svg).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
  for (const label of ['>message<', '>tokens<', '>before<', '>after<', '>8,000<', '>2,000<'])
    expect(svg).toContain(label)
})

test('has a bar before and a bar after for each message, by their height', () => {
  const svg = plotOf([
    [1_000, 500],
    [200, 0],
  ])
  const [both, gone] = svg.split('\n').filter((line) => line.startsWith('<g>'))
  expect(both).toMatch(
    /Message 1: 1,000 tokens before, 500 after.*class="before".*height="272".*class="after".*height="136"/,
  )
  expect(gone).toMatch(/Message 2: 200 tokens before, 0 after.*class="before".*height="54.4"/)
  expect(gone).not.toContain('class="after"')
})

test('is bounded for any number of messages', () => {
  const svg = plotOf(Array.from({ length: 50_000 }, (_, index) => [index % 977, undefined] as const))
  assertWellFormed(svg)
  expect(svg.length).toBeLessThan(100_000)
  expect(svg).toContain('message (each bar has 177)')
})

test('shows names of files as text, whatever is in them', () => {
  const svg = plotOf([[1, 1]], '<script>"a" & \u0000\uD800\u001B[31m')
  assertWellFormed(svg)
  expect(svg).toContain('&lt;script&gt;&quot;a&quot; &amp; ���[31m')
})
