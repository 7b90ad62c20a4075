import { cleanLine } from '../clean-line.ts'
import type { TextSubject } from '../previewer.ts'
import { codeLikeness } from './code-likeness.ts'
import { languageOf } from './languages.ts'
import { cutNumber, findNumbering, type LineNumbering } from './numbered-lines.ts'

/** What the beginning of a text tells of the source code in it. */
export interface SourceSigns {
  readonly language: string
  /** How sure it is that the text is source code, as previewers rate it. */
  readonly sureness: number
}

/** Lines before the code, such as the tags that a tool writes around what a command printed. */
const MOST_BEFORE = 24

/** Find source code in the beginning of a text, by the path of the call, the content type, and how its lines look. */
export function sourceSigns(subject: TextSubject): SourceSigns | undefined {
  const raw = subject.start.split('\n')
  // The last line may be cut.
  if (raw.length > 1) raw.pop()
  const numbering = findNumbering(raw)
  const first = Math.max(numbering?.from ?? 0, linesBefore(raw))
  const lines = raw.slice(first).map((line) => (numbering === undefined ? line : cutNumber(line, numbering)))
  const named =
    pathBefore(raw.slice(0, first)) ?? subject.intent.paths.find((path) => languageOf(path, '', '') !== undefined)
  const start = lines.slice(0, 1).join('')
  const declared = languageOf(undefined, subject.contentType, '')
  const told = declared ?? languageOf(named, undefined, start)
  const { share, language } = codeLikeness(lines)
  const isDocument = numbering === undefined && lines.some((line) => DOCUMENT.test(line.slice(0, 40)))
  if (told !== undefined) {
    if (isDocument && named !== undefined && subject.intent.paths.length > 1) return undefined
    const known = language !== undefined
    if (share < (known ? 0.3 : 0.5)) return undefined
    if (declared !== undefined) return { language: told, sureness: known ? 0.95 : 0.85 }
    return { language: told, sureness: known || share > 0.8 ? 0.9 : 0.75 }
  }
  if (language === undefined || share < 0.7 || isDocument) return undefined
  return { language, sureness: numbering === undefined ? 0.75 : 0.85 }
}

/** The lines of a text as code. */
export interface CleanLines {
  readonly lines: string[]
  readonly numbering: LineNumbering | undefined
  /** The lines from which and up to which the code stands, 0-based; those outside are the tool's. */
  readonly span: { readonly from: number; readonly to: number }
}

/** The lines of a text as code: without escapes, and without the numbers that a tool wrote before them. */
export function cleanLines(text: string): CleanLines {
  const raw = text.split('\n')
  if (raw.at(-1) === '') raw.pop()
  const numbering = findNumbering(raw)
  const lines = raw.map((line) => cleanLine(numbering === undefined ? line : cutNumber(line, numbering)))
  let to = lines.length
  if (numbering !== undefined) while (to > numbering.from && cutNumber(raw[to - 1]!, numbering) === raw[to - 1]) to--
  else if (/^<\/\w+>$/.test(raw.at(-1) ?? '')) to--
  return { lines, numbering, span: { from: Math.max(numbering?.from ?? 0, linesBefore(raw)), to } }
}

/** Fences of Markdown and the tags of a page stand around code in documents. */
const DOCUMENT = /^(?:```|~~~|<!doctype|\s*<(?:html|head|body|div|\?xml)\b)/i

/** Lines before the output of a command, where a tool put what it says itself between tags: `<output>` comes last. */
export function linesBefore(lines: readonly string[]): number {
  if (!/^<\w+>/.test(lines[0] ?? '')) return 0
  const before = lines.slice(0, MOST_BEFORE)
  return 1 + before.findLastIndex((line, index) => /<\w+>$/.test(line) && (index === 0 || !line.startsWith('  ')))
}

/** A path with an extension in what a tool says before the lines that it numbers. */
function pathBefore(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const path = /[\w./\\@~+-]{1,200}\.\w{1,8}(?=["'>:)\]]|\s|$)/.exec(line.slice(0, 400))?.[0]
    if (path !== undefined && languageOf(path, undefined, '') !== undefined) return path
  }
  return undefined
}
