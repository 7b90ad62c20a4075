import { isAscii } from 'node:buffer'
import { isExactNumber } from '@spillway/core/adapter'

/** How the values of a JSON file are written: with blanks behind commas and colons, and with line breaks. */
export interface JsonStyle {
  /** What each level of a value is indented by; undefined where values are on one line. */
  readonly indent: string | undefined
  /** What every line of a value has before it, but the first. */
  readonly margin: string
  /** Whether values on one line have a blank behind commas and colons, as Python writes them. */
  readonly isSpaced: boolean
  /** Whether other characters than those of ASCII are written as escapes, as Python writes them. */
  readonly isAscii: boolean
  readonly eol: string
}

/** Finds out, piece by piece, whether a file has escapes for all characters that are not of ASCII. */
export class AsciiGuess {
  #hasOthers = false
  #hasEscapes = false

  /** Look at a part of the file. */
  add(bytes: Uint8Array): void {
    this.#hasOthers ||= !isAscii(bytes)
    if (this.#hasOthers || this.#hasEscapes) return
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#hasEscapes = text.includes('\\u') && /\\u(?!00[0-7])[\da-f]{4}/i.test(text.toString('latin1'))
  }

  /** Complete a style. Python's own has both blanks and escapes. */
  complete(style: JsonStyle): JsonStyle {
    return {
      ...style,
      isAscii: !this.#hasOthers && (this.#hasEscapes || (style.isSpaced && style.indent === undefined)),
    }
  }
}

/** Guess how a file writes values by the text of one of them, an object. */
export function jsonStyleOf(text: string, margin = ''): JsonStyle {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const inner = /^\{\r?\n([ \t]*)"/.exec(text)?.[1]
  const indent = inner === undefined ? undefined : inner.slice(margin.length) || undefined
  const isSpaced = /^\{\s*"(?:[^"\\]|\\.)*": /.test(text)
  return { indent, margin, isSpaced, isAscii: false, eol }
}

/** Write a value as a file writes its values. */
export function writeJson(value: unknown, { indent, margin, isSpaced, isAscii: escapes, eol }: JsonStyle): string {
  const text =
    isSpaced && indent === undefined
      ? writeSpaced(value)
      : JSON.stringify(value, undefined, indent).replaceAll('\n', eol + margin)
  return escapes ? text.replaceAll(/[\u0080-\uffff]/g, escaped) : text
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

function writeSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => writeSpaced(item ?? null)).join(', ')}]`
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${writeSpaced(member)}`).join(', ')}}`
}
