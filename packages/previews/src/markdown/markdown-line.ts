export type MarkdownLine =
  | 'heading'
  | 'label'
  | 'fence'
  | 'underline'
  | 'rule'
  | 'row'
  | 'delimiter'
  | 'item'
  | 'quote'
  | 'links'
  | 'text'

/** Matches the delimiter row of a table, which is the same in all dialects. */
const DELIMITER = /^\|?[ \t]*:?-{1,64}:?[ \t]*(?:\|[ \t:-]*)*$/
/** Length of the longest line that can have Markdown syntax, for example a delimiter row. */
const MARK_UNITS = 2_048

/** Return the kind of a line. Only short lines are read completely. `text` must not start with a blank. */
export function markdownLine(text: string): MarkdownLine {
  const code = text.charCodeAt(0)
  switch (code) {
    case 35: // #
      return headingDepth(text) > 0 ? 'heading' : 'text'
    case 96: // `
      return text.startsWith('```') && !text.slice(3, 200).includes('`') ? 'fence' : 'text'
    case 126: // ~
      return text.startsWith('~~~') ? 'fence' : 'text'
    case 61: // =
      return isRun(text, 61) ? 'underline' : 'text'
    case 45: // -
      if (isRun(text, 45)) return 'underline'
      if (text.charCodeAt(1) === 32) return isLinks(text) ? 'links' : 'item'
      return isDelimiter(text) ? 'delimiter' : 'text'
    case 58: // :
    case 124: // |
      if (isDelimiter(text)) return 'delimiter'
      return code === 124 ? 'row' : 'text'
    case 42: // *
    case 43: // +
    case 95: // _
      if (text.charCodeAt(1) === 32) return isLinks(text) ? 'links' : /^\* \*(?: ?\*)*$/.test(text) ? 'rule' : 'item'
      if (/^(?:\*{3,64}|_{3,64})$/.test(text)) return 'rule'
      return isLabel(text) ? 'label' : 'text'
    case 62: // >
      return 'quote'
    case 33: // !
    case 91: // [
      return isLinks(text) ? 'links' : 'text'
    default:
      return code >= 48 && code <= 57 && /^\d{1,9}[.)] /.test(text) ? 'item' : 'text'
  }
}

/** Returns the level from 1 to 6, or 0 for other lines (CommonMark 4.2). */
export function headingDepth(text: string): number {
  let depth = 0
  while (depth < 7 && text.charCodeAt(depth) === 35) depth++
  const next = text.charCodeAt(depth)
  return depth <= 6 && (next === 32 || next === 9) && text.length > depth + 1 ? depth : 0
}

function isRun(text: string, code: number): boolean {
  const end = text.trimEnd()
  if (end.length > MARK_UNITS) return false
  for (let at = 0; at < end.length; at++) if (end.charCodeAt(at) !== code) return false
  return true
}

function isDelimiter(text: string): boolean {
  return text.length <= MARK_UNITS && text.includes('|') && text.includes('-') && DELIMITER.test(text)
}

/** Whether a line has only bold text, which reports use as a heading. */
function isLabel(text: string): boolean {
  return text.length < 120 && /^(?:\*\*[^*]+\*\*|__[^_]+__):?\s*$/.test(text)
}

/** Whether a line has only links, as in menus and badges. */
function isLinks(text: string): boolean {
  if (!text.includes('](') || text.length > MARK_UNITS) return false
  const rest = text.replace(/\]\([^()\s]*(?: "[^"]*")?\)/g, ']').replace(/[-*+!|·•\s]/g, '')
  return /^(?:\[+[^[\]]*\]+)+$/.test(rest)
}
