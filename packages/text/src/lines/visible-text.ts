import { stripEscapes } from './strip-escapes.ts'

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
