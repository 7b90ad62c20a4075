import { fitBudget } from '../fit-budget.ts'
import type { TextPreviewer, TextSubject, WritePreview } from '../previewer.ts'
import { codeLines } from './code-lines.ts'
import { DEFINITION_RULES, type DefinitionRules } from './definition-rules.ts'
import { lineWorth } from './line-worth.ts'
import type { Outliner, OutlineSymbol } from './outline.ts'
import { patternOutline } from './pattern-outline.ts'
import { SourceLayout, type SourceShares } from './source-layout.ts'
import { cleanLines, sourceSigns } from './source-text.ts'

/** What a {@link sourcePreviewer} is told. */
export interface SourcePreviewerOptions {
  /** Finds definitions by a grammar; where it knows none for a language, patterns of lines find them. */
  readonly outline?: Outliner | undefined
  /** How the budget is shared between the names of definitions and lines of code. Defaults to 0.4 and 0.6. */
  readonly shares?: Partial<SourceShares> | undefined
}

/** Longer texts are previewed by their lines. */
const MAX_LENGTH = 4_194_304
/** Lines longer than this on average were not written by people. */
const LONGEST_MEAN = 240
const NO_RULES: DefinitionRules = { keywords: 'function class def fn func', comment: '//', block: true }

/**
 * Make a previewer of source code: the names of its definitions with their lines, and the lines that are most likely needed.
 *
 * Code is told by the path that the tool was called with, by the content type, and by its lines; numbers that a tool wrote
 * before them are cut. Texts of more than 4,194,304 characters are previewed by their lines.
 */
export function sourcePreviewer(options: SourcePreviewerOptions = {}): TextPreviewer {
  const shares = { outline: 0.4, code: 0.6, ...options.shares }
  return {
    name: 'source',
    previews: 'text',
    maxLength: MAX_LENGTH,
    recognize: (subject) => sourceSigns(subject)?.sureness ?? 0,
    read: (subject) => {
      const pieces: string[] = []
      return {
        push: (text) => void pieces.push(text),
        finish: () => readSource(pieces.join(''), subject, options.outline, shares),
      }
    },
  }
}

async function readSource(
  text: string,
  subject: TextSubject,
  outline: Outliner | undefined,
  shares: SourceShares,
): Promise<WritePreview | undefined> {
  const language = sourceSigns(subject)?.language
  const { lines, numbering, span } = cleanLines(text)
  if (language === undefined || text.length > lines.length * LONGEST_MEAN) return undefined
  const rules = DEFINITION_RULES[language] ?? NO_RULES
  const code = codeLines(lines, rules)
  const symbols: readonly OutlineSymbol[] = (await outline?.(lines.join('\n'), language)) ?? patternOutline(code, rules)
  const note =
    numbering === undefined || numbering.shift === 0
      ? ''
      : `; file line = number ${numbering.shift < 0 ? '−' : '+'} ${Math.abs(numbering.shift)}`
  const worth = lineWorth(code, symbols, { words: subject.intent.words }, span)
  return (options) => {
    const layout = new SourceLayout({ language, lines, symbols, worth, note }, options, shares)
    return fitBudget((aim) => layout.write(aim), options)
  }
}
