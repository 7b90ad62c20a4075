import { contentTypeEssence, longerThan, visibleText, type ContentBlock } from '@spillway/text/internal'
import { fenceName } from '../storage/reference.ts'
import type { AnswerLimit, MatchingLine, RetrievalCall } from './retrieval-tool.ts'

/** An answer as data. Only {@link writeAnswer} makes text of it, so that stored text is always inside a fence. */
export interface Answer {
  /** Counts and remarks before the content, without stored text. */
  readonly header: readonly string[]
  readonly parts?: readonly AnswerPart[] | undefined
  /** Remarks after the content, without stored text. */
  readonly notes?: readonly string[] | undefined
  /** Matches, results, passages or rows in all. Absent if nothing was searched. */
  readonly matches?: number | undefined
  /** The call that shows the rest. */
  readonly rest?: { readonly said?: string; readonly call: RetrievalCall } | undefined
  /** Whether something is missing that no call shows. */
  readonly isPartial?: boolean | undefined
  /** Value of the whole content, which takes the place of its text. */
  readonly json?: { readonly value: unknown } | undefined
}

/** Part of an answer about one entry. */
export interface AnswerPart {
  readonly reference: string
  /** Facts of the entry, if the answer shows several. */
  readonly facts?: string | undefined
  readonly lines?: readonly string[] | undefined
  readonly matchingLines?: readonly Omit<MatchingLine, 'reference'>[] | undefined
  /** Remarks after the lines, with stored names in them. */
  readonly remarks?: readonly string[] | undefined
}

interface WrittenAnswer {
  readonly text: string
  readonly content: readonly ContentBlock[]
  readonly isWhole: boolean
}

/** Without room for a fence there is no content either. */
export function writeAnswer(answer: Answer, limit: AnswerLimit): WrittenAnswer {
  const whole = formatAnswer(answer, limit)
  if (textFits(whole, limit)) return { text: whole, content: contentOf(answer, whole), isWhole: true }
  const text = cutToFit(formatAnswer({ header: answer.header, rest: answer.rest }, limit), limit)
  return { text, content: [{ type: 'text', text }], isWhole: false }
}

/** Returns one text, or a JSON block between the two lines of its fence. */
function contentOf({ parts: [part] = [], json }: Answer, text: string): readonly ContentBlock[] {
  if (json === undefined || part === undefined) return [{ type: 'text', text }]
  const [begin, end] = fenceOf(part, part.lines?.join('\n') ?? '')
  return [
    { type: 'text', text: begin },
    { type: 'json', value: json.value },
    { type: 'text', text: end },
  ]
}

export function formatAnswer({ header, parts = [], notes = [], rest }: Answer, { formatCall }: AnswerLimit): string {
  const said = rest?.said === undefined ? '' : `${rest.said} `
  const more = rest === undefined ? [] : [`${said}To continue: ${formatCall(rest.call)}`]
  return [...header.map(bracketed), ...parts.flatMap(formatPart), ...[...notes, ...more].map(bracketed)].join('\n')
}

const bracketed = (text: string): string => `[${text}]`

/** A part without lines and remarks has its facts alone. */
export function formatPart(part: AnswerPart): string[] {
  const { reference, facts = '', lines = [], remarks = [] } = part
  if (lines.length + remarks.length === 0) return facts === '' ? [] : [bracketed(`${oneLine(reference)}${facts}`)]
  const inside = [...lines, ...remarks.map(bracketed)].join('\n')
  const [begin, end] = fenceOf(part, inside)
  return [begin, inside, end]
}

/** Named by the end of the reference if the call named the whole. The text is checked, so that it cannot end the fence. */
function fenceOf(
  { reference, facts }: Pick<AnswerPart, 'reference' | 'facts'>,
  text: string,
): readonly [begin: string, end: string] {
  let fence = oneLine(facts === undefined ? fenceName(reference) : reference)
  while (text.includes(`>>> end of ${fence}`)) fence += '_'
  return [`<<< ${fence}${facts ?? ''}: untrusted content`, `>>> end of ${fence}`]
}

const LINE_ENDINGS = /[\n\u2028\u2029]/g

export function oneLine(text: string): string {
  return visibleText(text).replace(LINE_ENDINGS, '␤')
}

/** Quotes untrusted text on one line, without control characters. */
export function quote(text: string, maxLength = 80): string {
  return JSON.stringify(abridge(text, maxLength))
}

/** Turns each run of control characters and spaces into one space. */
export function abridge(text: string, maxLength: number): string {
  const clean = text.slice(0, maxLength * 4).replace(/[\p{C}\p{Z}]+/gu, ' ')
  return clean.length > maxLength || text.length > maxLength * 4 ? `${clean.slice(0, maxLength - 1)}…` : clean
}

/** Without parameters, whose values may be sentences. */
export function shownType(contentType: string): string {
  return abridge(contentTypeEssence(contentType), 80)
}

/** More UTF-16 units than most tokens have. */
const UNITS_PER_TOKEN = 12
/** Limit of one answer in any case, because strings have a maximum length. */
const MAX_UNITS = 64 * 1_048_576

export function unitsFor(limit: AnswerLimit): number {
  return Math.min(MAX_UNITS, Math.max(2_000, limit.maxTokens * UNITS_PER_TOKEN))
}

export function fits(answer: Answer, limit: AnswerLimit): boolean {
  return textFits(formatAnswer(answer, limit), limit)
}

export function textFits(text: string, { maxTokens, countTokens }: AnswerLimit): boolean {
  return !longerThan(text, maxTokens, countTokens)
}

/** Returns the answer for a large `count` up to `most` that fits, or `undefined` if that for `least` does not. */
export function fitAnswer(
  write: (count: number) => Answer,
  least: number,
  most: number,
  limit: AnswerLimit,
): Answer | undefined {
  return fitCount(write, (answer) => fits(answer, limit), least, most)
}

function fitCount<Made>(
  make: (count: number) => Made,
  isShort: (made: Made) => boolean,
  least: number,
  most: number,
): Made | undefined {
  let best: Made | undefined
  let low = least
  let high = most
  while (low <= high) {
    // Usually everything fits.
    const count = best === undefined && high === most ? most : Math.floor((low + high) / 2)
    const made = make(count)
    if (isShort(made)) {
      best = made
      low = count + 1
    } else {
      high = count - 1
    }
  }
  return best
}

/** Last resort for limits of a few tokens. */
export function cutToFit(text: string, limit: AnswerLimit): string {
  const cut = (length: number): string => text.slice(0, length).toWellFormed()
  return fitCount(cut, (shown) => textFits(shown, limit), 0, text.length) ?? ''
}
