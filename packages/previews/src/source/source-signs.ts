import { perSubject } from '@spillway/text/internal'
import type { TextSubject } from '../previewer.ts'
import { codeLikeness } from './code-likeness.ts'
import { languageOf } from './languages.ts'
import { cutNumber, findNumbering } from '../layout/numbered-lines.ts'
import { linesBefore } from './source-lines.ts'

/** What the beginning of a text tells of the source code in it. */
export interface SourceSigns {
  readonly language: string
  /** How sure it is that the text is source code, as previewers rate it. */
  readonly sureness: number
}

/** Find source code in the beginning of a text, by the path of the call, the content type, and how its lines look. */
export const sourceSigns: (subject: TextSubject) => SourceSigns | undefined = perSubject(findSigns)

function findSigns(subject: TextSubject): SourceSigns | undefined {
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
    const isKnown = language !== undefined
    if (share < (isKnown ? 0.3 : 0.5)) return undefined
    if (declared !== undefined) return { language: told, sureness: isKnown ? 0.95 : 0.85 }
    return { language: told, sureness: isKnown || share > 0.8 ? 0.9 : 0.75 }
  }
  if (language === undefined || share < 0.7 || isDocument) return undefined
  return { language, sureness: numbering === undefined ? 0.75 : 0.85 }
}

/** Fences of Markdown and the tags of a page stand around code in documents. */
const DOCUMENT = /^(?:```|~~~|<!doctype|\s*<(?:html|head|body|div|\?xml)\b)/i

/** A path with an extension in what a tool says before the lines that it numbers. */
function pathBefore(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const path = /[\w./\\@~+-]{1,200}\.\w{1,8}(?=["'>:)\]]|\s|$)/.exec(line.slice(0, 400))?.[0]
    if (path !== undefined && languageOf(path, undefined, '') !== undefined) return path
  }
  return undefined
}
