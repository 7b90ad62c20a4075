import { indentOf } from '../layout/estimate-letters.ts'
import type { ScannedLine } from './text-scan.ts'

/** Matches a comment of common configuration files, scripts, and sources. */
const COMMENT = /^\s*(?:#|(?:[;%!*"]+|\/\/+|--|dnl)(?:\s|$))/
/** Smallest share of comments from which they have no score. */
const LEAST_COMMENTS = 0.1
/** Matches a line that begins with a sign, for example `[section]`, `\chapter`, or `@node`. */
const SIGNED = /^[^\w\s]/
/** Scores of a line that begins a block, has deeper lines below, begins with a sign, or is indented less than others. */
const FIRST = 0.12
const PARENT = 0.06
const SIGN = 0.06
const SHALLOW = 0.09
/** Score of a line between comments. */
const OTHER = 0.09

/**
 * Compute scores from 0 to 1 by the form of lines. Headings, first lines of blocks, and settings between comments have
 * high scores. The fewer lines have a property, the higher is its score.
 */
export function structureScores(lines: readonly ScannedLine[]): Float64Array {
  const indents = lines.map(({ text }) => indentOf(text))
  const comments = lines.map(({ text }) => COMMENT.test(text))
  const commentShare = shareOf(comments)
  const hasComments = commentShare >= LEAST_COMMENTS && commentShare < 1
  const signed = lines.map(({ text }) => SIGNED.test(text))
  const firsts = lines.map(
    ({ blanksBefore }, index) => blanksBefore > 0 || (hasComments && comments[index - 1] === true && !comments[index]),
  )
  const parents = lines.map(({ number }, index) => {
    const next = lines[index + 1]
    return next !== undefined && next.number - next.blanksBefore === number + 1 && indents[index + 1]! > indents[index]!
  })
  /** Share of lines that are indented as much or less, by indent. */
  const shallower = new Map(
    indents.toSorted((one, other) => one - other).map((indent, at) => [indent, (at + 1) / lines.length]),
  )
  const first = FIRST * (1 - shareOf(firsts))
  const parent = PARENT * (1 - shareOf(parents))
  const sign = SIGN * (1 - shareOf(signed))
  const other = hasComments ? OTHER * commentShare : 0
  return Float64Array.from(lines, (_, index) => {
    if (hasComments && comments[index]) return 0
    const shallow = SHALLOW * (1 - shallower.get(indents[index]!)!)
    return shallow + other + (firsts[index] ? first : 0) + (parents[index] ? parent : 0) + (signed[index] ? sign : 0)
  })
}

const shareOf = (has: readonly boolean[]): number => has.filter(Boolean).length / Math.max(1, has.length)
