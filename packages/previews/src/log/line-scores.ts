import { LineFeatures } from './line-features.ts'
import type { LineModel } from './line-model.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { oddLines } from './odd-lines.ts'
import { readLines } from './read-line.ts'
import type { LineScores, TextScan } from './text-scan.ts'

/** Score the kept lines of a text. */
export function lineScores(scan: TextScan, model: LineModel): LineScores {
  const { lines } = cutPrefixes(scan.kept, true)
  const features = new LineFeatures(scan, lines, readLines(lines))
  const scores = new Map(
    lines.map(({ number }, index) => {
      let weight = model.bias
      for (const feature of features.of(index)) weight += model.weightOf(feature)
      return [number, 1 / (1 + Math.exp(-weight))]
    }),
  )
  return { scores, odd: new Set([...oddLines(features.ranks)].map((index) => lines[index]!.number)) }
}
