import {
  contentTypeEssence,
  countOf,
  formatCount,
  longerThan,
  visibleText,
  type ContentBlock,
} from '@spillway/text/internal'
import { fenceName } from '../storage/reference.ts'
import type { StoredInfo } from '../storage/storage.ts'
import type { AnswerLimit, MatchingLine, RetrievalCall, RetrievedTable } from './retrieval-tool.ts'

/** An answer as data. Only {@link writeAnswer} converts it to text, so that stored text is always inside a fence. */
export interface Answer {
  /** Counts and remarks before the content, without stored text. */
  readonly header: readonly string[]
  readonly parts?: readonly AnswerPart[] | undefined
  /** Remarks after the content, without stored text. */
  readonly notes?: readonly string[] | undefined
  /** Total number of matches, results, passages or rows. Absent if the call did not search. */
  readonly matches?: number | undefined
  /** The call that shows the missing part of the answer. */
  readonly rest?: { readonly said?: string; readonly call: RetrievalCall } | undefined
  /** Whether content is missing that no call can show. */
  readonly isPartial?: boolean | undefined
  /** The rows that the answer shows. */
  readonly table?: RetrievedTable | undefined
  /** The parsed value of the whole content, which replaces its text. */
  readonly json?: { readonly value: unknown } | undefined
}

/** A part of an answer, about one entry. */
export interface AnswerPart {
  readonly reference: string
  /** Facts about the entry, if the answer shows several entries. */
  readonly facts?: string | undefined
  readonly lines?: readonly string[] | undefined
  readonly matchingLines?: readonly Omit<MatchingLine, 'reference'>[] | undefined
  /** Remarks after the lines, which may contain stored names. */
  readonly remarks?: readonly string[] | undefined
}

interface WrittenAnswer {
  readonly text: string
  readonly content: readonly ContentBlock[]
  readonly isWhole: boolean
}

/** Writes an answer. If a fence does not fit, no content is shown. */
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

/** Writes a part of an answer. Without lines and remarks, only the facts are written. */
export function formatPart(part: AnswerPart): string[] {
  const { reference, facts = '', lines = [], remarks = [] } = part
  if (lines.length + remarks.length === 0) return facts === '' ? [] : [bracketed(`${oneLine(reference)}${facts}`)]
  const inside = [...lines, ...remarks.map(bracketed)].join('\n')
  const [begin, end] = fenceOf(part, inside)
  return [begin, inside, end]
}

/** Returns the fence of an entry, which `text` does not contain. The fence is short if the answer is about one entry. */
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

/** Writes untrusted text in quotes, on one line and without control characters. */
export function quote(text: string, maxLength = 80): string {
  return JSON.stringify(abridge(text, maxLength))
}

/** Turns each run of control characters and spaces into one space. */
export function abridge(text: string, maxLength: number): string {
  const clean = text.slice(0, maxLength * 4).replace(/[\p{C}\p{Z}]+/gu, ' ')
  return clean.length > maxLength || text.length > maxLength * 4 ? `${clean.slice(0, maxLength - 1)}…` : clean
}

/** Returns a content type without its parameters, whose values may be sentences. */
export function shownType(contentType: string): string {
  return abridge(contentTypeEssence(contentType), 80)
}

const UNITS = [
  ['day', 'days', 86_400_000],
  ['h', 'h', 3_600_000],
  ['min', 'min', 60_000],
] as const

/** Describes an entry, for example ` (read_log, text/plain, 20 bytes, 3 min ago)`. */
export function entryFacts({ contentType, size, storedAt, metadata }: StoredInfo, now: number = Date.now()): string {
  const tool = (metadata as StoredInfo['metadata'] | undefined)?.['tool']
  const facts = [shownType(contentType), countOf(size, 'byte'), ...ageOf(now - storedAt)]
  return ` (${(typeof tool === 'string' && tool !== '' ? [/^[\w.-]{1,40}$/.test(tool) ? tool : quote(tool, 40), ...facts] : facts).join(', ')})`
}

/** Describes the age of an entry. The text is empty for less than one minute. */
function ageOf(milliseconds: number): string[] {
  const unit = UNITS.find(([, , length]) => milliseconds >= length)
  return unit === undefined ? [] : [`${countOf(Math.floor(milliseconds / unit[2]), unit[0], unit[1])} ago`]
}

export const spanOf = (start: number, end: number): string => `${formatCount(start + 1)}-${formatCount(end)}`

/** Length that few tokens exceed, in UTF-16 units. */
const UNITS_PER_TOKEN = 12
/** Limit of any answer in UTF-16 units, because strings have a maximum length. */
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

const READ_A_RANGE = 'Read a line_range or byte_range of the content.'

/** Says that not even one result fits. The call that continues is left out, because it would have the same answer. */
export const withoutResults = ({ header, matches }: Answer, instead: string = READ_A_RANGE): Answer => ({
  header: [...header, `Not even one of them fits in an answer. ${instead}`],
  matches,
  isPartial: true,
})

/** Finds the largest `count` up to `most` whose answer fits. Returns `undefined` if not even `least` fits. */
export function fitAnswer(
  write: (count: number) => Answer,
  least: number,
  most: number,
  limit: AnswerLimit,
): Answer | undefined {
  // Several counts may give the same text, for example if the text must end with a whole line.
  const known = new Map<string, boolean>()
  const isShort = (answer: Answer): boolean => {
    const text = formatAnswer(answer, limit)
    if (!known.has(text)) known.set(text, textFits(text, limit))
    return known.get(text)!
  }
  return fitCount(write, isShort, least, most)
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
    // Everything is tried first, because everything usually fits.
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

/** Cuts a text, as the last resort for limits of a few tokens. */
export function cutToFit(text: string, limit: AnswerLimit): string {
  const cut = (length: number): string => text.slice(0, length).toWellFormed()
  return fitCount(cut, (shown) => textFits(shown, limit), 0, text.length) ?? ''
}
