import { itemsAt, membersAt, type Span } from './json-spans.ts'
import { writeJson, type JsonStyle } from './json-style.ts'

type Fields = Readonly<Record<string, unknown>>

/** A value within a value, as the file has it and as it is now. */
interface Part {
  readonly span: Span
  readonly before: unknown
  readonly after: unknown
}

/**
 * Write a value of a file that has changed in some places. All else is copied as it stands there: also numbers with more
 * digits than JavaScript keeps, keys that come twice, and characters written as escapes.
 *
 * @param source - The text of the value as it was, which `before` was parsed from.
 */
export function changedJson(source: Uint8Array, before: unknown, after: unknown, style: JsonStyle): string {
  const textOf = (start: number, end: number): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(source.subarray(start, end))
  const write = ({ span, ...part }: Part): string => {
    if (part.after === part.before) return textOf(span.start, span.end)
    const parts = partsOf(source, { span, ...part })
    if (parts === undefined) return writeJson(part.after, { ...style, margin: marginAt(textOf(0, span.start), style) })
    let text = ''
    let at = span.start
    for (const inner of parts) {
      text += textOf(at, inner.span.start) + write(inner)
      at = inner.span.end
    }
    return text + textOf(at, span.end)
  }
  return write({ span: { start: 0, end: source.length }, before, after })
}

/** The values in an object or array; `undefined` where there are others now than there were, or none. */
function partsOf(source: Uint8Array, { span, before, after }: Part): readonly Part[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return undefined
    const { items } = itemsAt(source, span.start)
    return items.map((item, index) => ({
      span: item,
      before: before[index] as unknown,
      after: after[index] as unknown,
    }))
  }
  if (!isFields(before) || !isFields(after)) return undefined
  const keys = Object.keys(after).filter((key) => after[key] !== undefined)
  if (keys.length !== Object.keys(before).length || !keys.every((key) => Object.hasOwn(before, key))) return undefined
  const { members } = membersAt(source, span.start)
  // Of two members with one key, the last counts.
  const last = new Map(members.map((member) => [member.key, member]))
  return members
    .filter((member) => last.get(member.key) === member)
    .map(({ key, value }) => ({ span: value, before: before[key], after: after[key] }))
}

/** What the line begins with that a value is on. */
const marginAt = (text: string, { margin }: JsonStyle): string => /\n([ \t]*)[^\n]*$/.exec(text)?.[1] ?? margin

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
