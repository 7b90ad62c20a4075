/** States of a line that are kept, of which the last three are shown. */
const MOST_STATES = 64
const SHOWN_STATES = 3

/** The escape sequences that move to the beginning of the line, as a carriage return does. */
const TO_START = /\u001b\[(?:[01]?G|\d{3,}D)/g
/** The escape sequence that moves back by some characters, as backspaces do. */
const MOVE_BACK = /\u001b\[(\d{0,2})D/g
/** The escape sequence that erases the line. */
const ERASE_LINE = '\u001b[2K'
/** The escape sequences that erase what an earlier state has left of the line: all that is not overwritten. */
const ERASE = /\u001b\[[02]?K/
/** What draws a line anew: carriage returns before its end, backspaces, and escape sequences. */
const DRAWN = /\r(?!$)|\u0008|\u001b\[(?:[01]?G|\d*D|2K)/

/**
 * What a terminal shows of a line: without escape sequences and control characters, with what a carriage return, a backspace
 * or an erasing sequence overwrote left out, and without blanks at its end.
 */
export function cleanLine(raw: string): string {
  let line = raw
  if (line.charCodeAt(0) === 0xfeff) line = line.slice(1)
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(line)) {
    const states = new LineStates()
    states.add(line)
    line = states.text()
  }
  return line.trimEnd()
}

/** Whether a terminal shows less of a line than it has, since it was drawn several times as progress is. */
export const isDrawn = (line: string): boolean => DRAWN.test(line)

/** The states of a line that is drawn anew at each carriage return, without those that later ones cover. */
export class LineStates {
  readonly #shown: string[] = []

  /** Add one state or several. */
  add(states: string): void {
    for (const state of states.replace(TO_START, '\r').split('\r')) this.#add(state)
  }

  /** What is left of the states; of several, the last three, with a blank between them. */
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

/** Remove control characters; a backspace takes the character before it. */
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
 * Show a text without what controls a terminal: escape sequences are removed, and other control characters are replaced
 * by symbols, such as `␍`. Tabs and line feeds stay.
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
/** No sequence is looked for further back than this: `escapeEnd` ends none later. */
const MAX_SEQUENCE = 4_096

/** Remove the escape sequences of terminals, such as those that set colors. */
function stripEscapes(text: string): string {
  let clean = ''
  let from = 0
  for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, from)) {
    clean += text.slice(from, at)
    from = Math.max(at + 1, escapeEnd(text, at, text.length))
  }
  return clean + text.slice(from)
}

/** Return the escape sequence that begins before `at` and ends after it; `undefined` if `at` is in none. */
export function escapeAround(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const start = at === 0 ? -1 : text.slice(Math.max(0, at - MAX_SEQUENCE), at).lastIndexOf(ESCAPE)
  if (start < 0) return undefined
  const from = Math.max(0, at - MAX_SEQUENCE) + start
  const end = escapeEnd(text, from, text.length)
  return end > at ? { start: from, end } : undefined
}

/** The index after the terminal escape sequence that starts at `index`. */
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
    // A string, such as an operating system command, ends at BEL or at ESC \.
    const limit = Math.min(end, index + 4_096)
    for (; at < limit; at++) {
      const code = text.charCodeAt(at)
      if (code === 7) return at + 1
      if (code === 27) return Math.min(end, at + 2)
    }
    return Math.min(end, index + 2)
  }
  if (type >= 32 && type <= 47) {
    // Intermediate characters, such as those that select a character set, and the one that ends them.
    while (at < end && text.charCodeAt(at) >= 32 && text.charCodeAt(at) <= 47) at++
    return Math.min(end, at + 1)
  }
  return Math.min(end, index + (type >= 48 && type <= 126 ? 2 : 1))
}

/** Write a whole number with commas, `1,234,567`, whatever the locale of the host. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
