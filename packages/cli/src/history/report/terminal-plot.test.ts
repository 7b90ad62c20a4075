import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlotMessage } from './plot-bars.ts'
import { terminalPlot } from './terminal-plot.ts'

const messagesOf = (...tokens: (readonly [number, number | undefined])[]): PlotMessage[] =>
  tokens.map(([before, after], index) => ({ number: index + 1, before, after }))

test('draws what is there, and above it what was taken out, on one scale', () => {
  const messages = messagesOf([50, 50], [8_000, 200], [1_000, 1_000], [4_000, 4_000], [0, 0])
  expect(terminalPlot(messages, { width: 40 })).toBe(`\
Tokens of each message:  █ now  ░ taken out
8,000 ┤    ░░░
      ┤    ░░░
      ┤    ░░░
      ┤    ░░░
4,000 ┤    ░░░     ███
      ┤    ░░░     ███
      ┤    ░░░     ███
      ┤▁▁▁ ▂▂▂ ███ ███
    0 ┼────────────────────
       1                  5
`)
})

test('puts several messages into a bar where there is no room for each', () => {
  const messages = messagesOf(...Array.from({ length: 1_000 }, (_, index) => [index, index] as const))
  const plot = terminalPlot(messages, { width: 60 })
  expect(plot).toContain('Tokens of each 20 messages:')
  expect(plot).toContain('1'.padEnd(46) + '1000')
})

test('says what a plan would do', () => {
  const plot = terminalPlot(messagesOf([100, 100], [900, undefined]), { width: 40, isPlan: true })
  expect(plot).toContain('█ stays  ░ would be taken out')
  expect(plot).toMatch(/ ┤ {4}░░░\n/)
})

test('no line is wider than the terminal, and each has its cells painted by kind', () => {
  const tokens = fc.array(fc.tuple(fc.nat(200_000), fc.nat(200_000)), { minLength: 1, maxLength: 400 })
  fc.assert(
    fc.property(tokens, fc.integer({ min: 45, max: 200 }), (all, width) => {
      const plot = terminalPlot(messagesOf(...all), { width })
      for (const line of plot.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
      const painted = terminalPlot(messagesOf(...all), { width, paint: (_, text) => text.replaceAll(/[^ ]/g, 'x') })
      expect(painted).not.toMatch(/[░▁▂▃▄▅▆▇█]/)
    }),
    { numRuns: 100 },
  )
})
