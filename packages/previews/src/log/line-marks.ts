import { CLASSES, DIGIT, OTHER, UPPER } from './character-classes.ts'

/** Characters of which two or more at the start of a line make a rule, with a title between or after them. */
const RULES = '_=!-─═━⎯~*'

/**
 * The index after a time at the start of a line, as most loggers write it: `2024-03-03T09:15:02.120Z`, `09:15:02,120`. Other
 * times are found where the words of the line are read, which takes longer.
 */
export function afterTime(text: string, start: number, end: number): number {
  const isDated = text.charCodeAt(start + 4) === 45 && text.charCodeAt(start + 7) === 45
  const clock = isDated ? start + 11 : start
  if (clock + 8 > end || text.charCodeAt(clock + 2) !== 58 || text.charCodeAt(clock + 5) !== 58) return start
  let at = clock + 8
  while (at < end && text.charCodeAt(at) > 32) at++
  return at
}

/** What a character after a word means: letters and digits differ among themselves little, zero does. */
export function looks(code: number): number {
  const type = CLASSES[code] ?? OTHER
  return type <= UPPER ? 1 : type === DIGIT ? (code === 48 ? 2 : 3) : code & 255
}

/**
 * Whether there stands after `level` a number from 50 up, as pino and bunyan write it for errors, or after `HTTP` a
 * version and a status from 500 up.
 */
export function isHighLevel(text: string, from: number): boolean {
  if (text.charCodeAt(from + 4) === 34 && text.charCodeAt(from + 6) === 53) return true
  let at = from
  while (at < from + 4 && isSeparator(text.charCodeAt(at))) at++
  const code = text.charCodeAt(at)
  return at > from && (code === 53 || code === 54) && text.charCodeAt(at + 1) === 48
}

/** A double quote, colon, equals sign or blank. */
function isSeparator(code: number): boolean {
  return code === 34 || code === 58 || code === 61 || code === 32
}

/**
 * Whether a number in the first word of a line marks it: `1) ` before a failed test, the line in `src/a.c:118:12:` or
 * `a.cs(3,5)`.
 *
 * @param isBare - Whether nothing stands before the number.
 * @param isPath - Whether a path does.
 */
export function isMarkedNumber(text: string, from: number, to: number, isBare: boolean, isPath: boolean): boolean {
  const after = text.charCodeAt(to)
  if (after === 41 && isBare) return true
  const before = text.charCodeAt(from - 1)
  return isPath && (before === 58 || before === 40) && (after === 58 || after === 44 || after === 41 || after === 32)
}

/** Whether a character at the start of a line marks it: a rule, `[!]`, or the priority of an error in syslog. */
export function isMarkedStart(text: string, at: number, start: number, blank: boolean): boolean {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  if (code === 91) return next === 33
  if (code === 60) return isErrorPriority(text, at, start)
  return blank && next === code && RULES.includes(text.charAt(at))
}

/** Whether a line begins with the severity and date of an error as glog writes them: `E0303 `. */
export function isErrorOfGlog(text: string, from: number): boolean {
  const severity = text.charCodeAt(from)
  if (severity !== 69 && severity !== 70) return false
  for (let at = from + 1; at < from + 5; at++) if (CLASSES[text.charCodeAt(at)] !== DIGIT) return false
  return text.charCodeAt(from + 5) === 32
}

/** Whether a line begins with the priority of an error in syslog. */
function isErrorPriority(text: string, at: number, start: number): boolean {
  if (at !== start) return false
  const priority = /^<(\d{1,3})>/.exec(text.slice(at, at + 5))
  return priority !== null && (Number(priority[1]) & 7) <= 3
}
