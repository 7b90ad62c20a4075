/** How the values of a JSON file are written: with blanks behind commas and colons, and with line breaks. */
export interface JsonStyle {
  /** What each level of a value is indented by; undefined where values are on one line. */
  readonly indent: string | undefined
  /** What every line of a value has before it, but the first. */
  readonly margin: string
  /** Whether values on one line have a blank behind commas and colons, as Python writes them. */
  readonly isSpaced: boolean
  readonly eol: string
}

/** Guess how a file writes values by the text of one of them, an object. */
export function jsonStyleOf(text: string, margin = ''): JsonStyle {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const inner = /^\{\r?\n([ \t]*)"/.exec(text)?.[1]
  const indent = inner === undefined ? undefined : inner.slice(margin.length) || undefined
  return { indent, margin, isSpaced: /^\{\s*"(?:[^"\\]|\\.)*": /.test(text), eol }
}

/** Write a value as a file writes its values. */
export function writeJson(value: unknown, { indent, margin, isSpaced, eol }: JsonStyle): string {
  if (indent !== undefined) return JSON.stringify(value, undefined, indent).replaceAll('\n', eol + margin)
  return isSpaced ? writeSpaced(value) : JSON.stringify(value)
}

function writeSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => writeSpaced(item ?? null)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${writeSpaced(member)}`).join(', ')}}`
}
