import { stripEscapes } from './strip-escapes.ts'

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
