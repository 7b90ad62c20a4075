import { perSubject } from '../shared/per-subject.ts'

const MOST_STATES = 64
const SHOWN_STATES = 3
/** Escape sequences that move to the start of the line, like a carriage return. */
const TO_START = /\u001b\[(?:[01]?G|\d{3,}D)/g
const MOVE_BACK = /\u001b\[(\d{0,2})D/g
const ERASE_LINE = '\u001b[2K'
const ERASE = /\u001b\[[02]?K/
/** Control characters that redraw a line: carriage returns before its end, backspaces, and escape sequences. */
const DRAWN = /\r(?!$)|\u0008|\u001b\[(?:[01]?G|\d*D|2K)/

/** Return the visible text of a line in a terminal: without controls, overwritten text, and blanks at the end. */
export function cleanLine(raw: string): string {
  let line = raw
  if (line.charCodeAt(0) === 0xfeff) line = line.slice(1)
  // The first expression is faster, and most lines do not match it.
  if (/[^ -~]/.test(line) && HAS_CONTROLS.test(line)) {
    const states = new LineStates()
    states.add(line)
    line = states.text()
  }
  return line.trimEnd()
}

/** Largest number of lines by which a text is recognized. */
const START_LINES = 400

/** Return the first complete lines of a text, cleaned. */
export const startLines: (subject: { readonly start: string; readonly isWhole: boolean }) => readonly string[] =
  perSubject(({ start, isWhole }) => {
    const lines = start.split('\n')
    // The last line may be truncated.
    if (!isWhole) lines.pop()
    return lines.slice(0, START_LINES).map((line) => cleanLine(line))
  })

/** Return whether parts of a line were overwritten, so that a terminal hides them, for example earlier progress. */
export const isDrawn = (line: string): boolean => DRAWN.test(line)

/** The states of a line that was overwritten. A state is dropped if a later state overwrites the whole state. */
export class LineStates {
  readonly #shown: string[] = []

  add(states: string): void {
    for (const state of states.replace(TO_START, '\r').split('\r')) this.#add(state)
  }

  /** Return the visible text: the last three states, separated by a blank. */
  text(): string {
    const [first = '', ...others] = this.#shown.slice(-SHOWN_STATES)
    return others.length === 0 ? first : [first, ...others].map((state) => state.trimEnd()).join(' ')
  }

  #add(state: string): void {
    const shown = this.#shown
    if (ERASE.test(state)) shown.length = 0
    const erased = state.lastIndexOf(ERASE_LINE)
    const left = erased < 0 ? state : state.slice(erased)
    const plain = stripControls(stripEscapes(left.replace(MOVE_BACK, backspaces)))
    if (plain.trim() === '') return
    const previous = shown.at(-1)
    if (previous !== undefined && plain.length >= previous.trimEnd().length) shown.pop()
    shown.push(plain)
    if (shown.length > MOST_STATES) shown.shift()
  }
}

const backspaces = (_sequence: string, count: string): string => '\b'.repeat(Math.max(1, Number(count)))

function stripControls(text: string): string {
  const clean = text.includes('\b') ? applyBackspaces(text) : text
  return clean.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

function applyBackspaces(text: string): string {
  const characters: string[] = []
  for (const character of text) {
    if (character === '\b') characters.pop()
    else if (character >= ' ' || character === '\t') characters.push(character)
  }
  return characters.join('')
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const HAS_CONTROLS = new RegExp(CONTROLS.source)
const NEXT_LINE = 0x85

/**
 * Make terminal controls visible: remove escape sequences, and replace other control characters by symbols, for example
 * `␍`. Tabs and line feeds are kept.
 *
 * @example
 * ```ts
 * import { visibleText } from '@spillway/text'
 *
 * console.assert(visibleText('\u001b[31mfailed\u001b[0m\r\n\tat x') === 'failed␍\n\tat x')
 * ```
 */
export function visibleText(text: string): string {
  return HAS_CONTROLS.test(text) ? stripEscapes(text).replace(CONTROLS, symbolOf) : text
}

function symbolOf(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 32) return String.fromCharCode(0x2400 + code)
  if (code === 127) return '␡'
  return code === NEXT_LINE ? '␤' : `\\x${code.toString(16)}`
}

const ESCAPE = '\u001b'
/** Longest escape sequence, in characters. */
export const MAX_ESCAPE = 4_096

export function stripEscapes(text: string): string {
  let clean = ''
  let from = 0
  for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, from)) {
    clean += text.slice(from, at)
    from = Math.max(at + 1, escapeEnd(text, at, text.length))
  }
  return clean + text.slice(from)
}

/** Return the escape sequence that contains the index `at`. Returns `undefined` outside of escape sequences. */
export function escapeAround(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const start = at === 0 ? -1 : text.slice(Math.max(0, at - MAX_ESCAPE), at).lastIndexOf(ESCAPE)
  if (start < 0) return undefined
  const from = Math.max(0, at - MAX_ESCAPE) + start
  const end = escapeEnd(text, from, text.length)
  return end > at ? { start: from, end } : undefined
}

/** Return the index after the terminal escape sequence that starts at `index`. */
export function escapeEnd(text: string, index: number, end: number): number {
  const type = text.charCodeAt(index + 1)
  let at = index + 2
  if (type === 91) {
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code >= 64 && code <= 126) return at + 1
      if (code < 32 || code > 126) return at
    }
    return end
  }
  if (type === 80 || type === 88 || (type >= 93 && type <= 95)) {
    // A control string, for example an operating system command, ends at BEL or at ESC \.
    const limit = Math.min(end, index + MAX_ESCAPE)
    for (; at < limit; at++) {
      const code = text.charCodeAt(at)
      if (code === 7) return at + 1
      if (code === 27) return Math.min(end, at + 2)
    }
    return Math.min(end, index + 2)
  }
  if (type >= 32 && type <= 47) {
    // Intermediate characters, for example of a character set, and the final character.
    while (at < end && text.charCodeAt(at) >= 32 && text.charCodeAt(at) <= 47) at++
    return Math.min(end, at + 1)
  }
  return Math.min(end, index + (type >= 48 && type <= 126 ? 2 : 1))
}

/** Format an integer with commas, for example `1,234,567`. The locale has no effect. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Format a count with its noun, for example `1 line` and `2,000 lines`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
