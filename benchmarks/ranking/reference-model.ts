import { FEATURE, type LineModel } from '../../packages/previews/src/log/line-model.ts'
import { cutPrefixes } from '../../packages/previews/src/log/line-prefixes.ts'
import { TextScanner } from '../../packages/previews/src/log/text-scanner.ts'
import { countTokens } from '../preview/lib/tokens.mjs'

/** Features that the reference model lacks. */
export const NOT_IN_REFERENCE: ReadonlySet<number> = new Set([
  FEATURE.token,
  FEATURE.tokenBefore,
  FEATURE.tokenAfter,
  FEATURE.unlike,
  FEATURE.alike,
  FEATURE.indent,
  FEATURE.blanks,
])

const NEIGHBOR = 0.7
const REPEATED = 0.5
const BASE_TOKENS = 20
const GAP_TOKENS = 8
const LINE_UNITS = 600

/**
 * Show the lines of the reference model without any marks. It is a linear model without rules that selects lines with
 * the best score for their tokens. Previews must be at least as good.
 */
export function referencePreview(text: string, model: LineModel, budgetTokens: number): string {
  const scanner = new TextScanner(model)
  scanner.push(text)
  const scan = scanner.finish()
  const { scores } = scan.scores()
  const lines = cutPrefixes(scan.kept).lines
  const own = lines.map(({ number }) => scores.get(number) ?? 0)
  const templates = new Map<number, number>()
  const values = own.map((score, index) =>
    Math.max(score, NEIGHBOR * Math.max(own[index - 1] ?? 0, own[index + 1] ?? 0)),
  )
  const shown = lines.map((line) => line.text.slice(0, LINE_UNITS))
  for (const [index, { template }] of lines.entries())
    if ((values[templates.get(template) ?? index] ?? 0) <= values[index]!) templates.set(template, index)
  for (const [index, { template }] of lines.entries()) if (templates.get(template) !== index) values[index]! *= REPEATED
  const costs = shown.map((line) => Math.ceil(line.length / 4) + 1)
  const rates = values.map((value, index) => value / Math.sqrt(costs[index]! + BASE_TOKENS))
  const order = [...rates.keys()].toSorted((one, other) => rates[other]! - rates[one]! || one - other)
  const chosen = new Set<number>()
  let left = budgetTokens
  for (const index of order) {
    if (left < BASE_TOKENS) break
    const cost = countTokens(`${shown[index]!}\n`) + (chosen.has(index - 1) || chosen.has(index + 1) ? 0 : GAP_TOKENS)
    if (cost > left) continue
    chosen.add(index)
    left -= cost
  }
  return shown.filter((_, index) => chosen.has(index)).join('\n')
}
