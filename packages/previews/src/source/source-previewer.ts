import { writePreview } from '../layout/write-preview.ts'
import type { TextPreviewer, TextSubject, WritePreview } from '../previewer.ts'
import type { ToolIntent } from '../detect/tool-intent.ts'
import { codeLines } from './code-lines.ts'
import { completeOutline } from './complete-outline.ts'
import { DEFINITION_RULES, type DefinitionRules } from './definition-rules.ts'
import { lineWorth, type Sought } from './line-worth.ts'
import type { Outliner } from './outline.ts'
import { patternOutline } from './pattern-outline.ts'
import { sourceItems } from './source-items.ts'
import { SourceLines } from './source-lines.ts'
import { sourceSigns } from './source-signs.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/** What a {@link sourcePreviewer} is told. */
export interface SourcePreviewerOptions {
  /** Finds definitions by a grammar; where it knows none for a language, patterns of lines find them. */
  readonly outline?: Outliner | undefined
}

/** Longer texts are previewed by their lines. */
const MAX_LENGTH = 4_194_304
/** Lines longer than this on average were not written by people. */
const LONGEST_MEAN = 240
const NO_RULES: DefinitionRules = { keywords: 'function class def fn func', comment: '//', block: true }

/**
 * Make a previewer of source code: the names of its definitions with their lines, and the lines that are most likely needed:
 * those that the call asks for by number or name, conflicts of a merge, definitions, code.
 *
 * Code is told by the path that the tool was called with, by the content type, and by its lines; numbers that a tool wrote
 * before them are cut, and those shown count the lines of the text as it is stored. Code of more than 4,194,304
 * characters, or with lines as long as minifiers write them, is left to the preview by lines. Where `outline` throws, so
 * does the reader.
 *
 * @throws TypeError where `outline` is no function.
 */
export function sourcePreviewer(options: SourcePreviewerOptions = {}): TextPreviewer {
  const { outline } = options
  if (outline !== undefined && typeof outline !== 'function')
    throw new TypeError('`outline` must be a function that finds the definitions of a text.')
  return {
    name: 'source',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    maxLength: MAX_LENGTH,
    recognize: (subject) => sourceSigns(subject)?.sureness ?? 0,
    read: (subject) => {
      const pieces: string[] = []
      return {
        push: (text) => void pieces.push(text),
        finish: () => readSource(pieces.join(''), subject, outline),
      }
    },
  }
}

async function readSource(
  text: string,
  subject: TextSubject,
  outline: Outliner | undefined,
): Promise<WritePreview | undefined> {
  const language = sourceSigns(subject)?.language
  if (language === undefined) return undefined
  const source = new SourceLines(text)
  if (text.length > source.count * LONGEST_MEAN) return undefined
  const rules = DEFINITION_RULES[language] ?? NO_RULES
  const code = codeLines(source, rules)
  const patterns = patternOutline(code, rules)
  const found = await outline?.(source.code(), language)
  const symbols = found === undefined ? patterns : completeOutline(found, patterns)
  const { intent } = subject
  const shift = source.numbering?.shift ?? sliceShift(intent, source.count)
  const note = shift === 0 ? '' : `; file line = number ${shift < 0 ? '−' : '+'} ${Math.abs(shift)}`
  const worth = lineWorth(code, symbols, { lines: asked(intent, shift, source.count), words: intent.words })
  const read = { language, code, symbols, worth, note }
  return (options) => writePreview(sourceItems(read, options.budgetTokens), options)
}

/** What to add to a line number for that in the file, where the text is the part of one file that the call asked for. */
function sliceShift({ lines, paths }: ToolIntent, count: number): number {
  if (lines?.end === undefined || paths.length !== 1) return 0
  return count <= lines.end - lines.start + 1 ? lines.start - 1 : 0
}

/** The lines that the call asks for, where the text has many others as well. */
function asked({ lines }: ToolIntent, shift: number, count: number): Sought['lines'] {
  if (lines === undefined) return undefined
  const start = lines.start - shift
  const end = (lines.end ?? lines.start + shift + count) - shift
  return start >= 1 && start <= count && (end - start + 1) * 2 <= count ? { start, end } : undefined
}
