import { visibleText } from '@spillway/text/internal'

/** What ends a line somewhere, beside the control characters that do. */
const LINE_ENDINGS = /[\n\u2028\u2029]/g

/** Show a stored line so that it stays on one line, whatever it contains: see {@link visibleText}. */
export function oneLine(text: string): string {
  return visibleText(text).replace(LINE_ENDINGS, '␤')
}

/** Quote what a model or a storage has written: on one line, without control characters, cut at `maxLength` units. */
export function quote(text: string, maxLength = 80): string {
  return JSON.stringify(abridge(text, maxLength))
}

/** Take the beginning of an untrusted text, with each run of control characters and spaces made one space. */
export function abridge(text: string, maxLength: number): string {
  const clean = text.slice(0, maxLength * 4).replace(/[\p{C}\p{Z}]+/gu, ' ')
  return clean.length > maxLength || text.length > maxLength * 4 ? `${clean.slice(0, maxLength - 1)}…` : clean
}
