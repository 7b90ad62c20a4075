import { CODE, type CodeLines } from './code-lines.ts'

/** Matches a message of a program, for example `cat: a.ts: No such file` or `Error from server (Timeout): try again`. */
const MESSAGE =
  /^(?:[\w.+/-]{1,60}: (?!["'[{(])(?:[^:={};]|:(?! )){1,200}|(?:error|fatal|warning)(?= |:)(?:[^:={};]|:(?! )){0,80}): \S/i
const LONGEST_MESSAGE = 300
/** Largest number of messages. If more lines look like messages, they are a part of the text. */
const MOST_MESSAGES = 4

/** Returns the indexes of lines that a program wrote among the lines of a source file, such as errors. */
export function programMessages({ source, kinds, indents }: CodeLines): readonly number[] {
  const { text, begins, ends, from, to } = source
  const found: number[] = []
  for (let index = from; index < to && found.length <= MOST_MESSAGES; index++) {
    if (kinds[index] !== CODE || indents[index] !== 0) continue
    const start = text.slice(begins[index], Math.min(ends[index]!, begins[index]! + LONGEST_MESSAGE))
    if (MESSAGE.test(start)) found.push(index)
  }
  return found.length > MOST_MESSAGES ? [] : found
}
