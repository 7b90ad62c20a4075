import { cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import { writePreview } from '../layout/write-preview.ts'
import type { TextPreviewer, TextSubject, WritePreview } from '../previewer.ts'
import type { ToolIntent } from '../detect/tool-intent.ts'
import { BLANK, CLOSER, CODE, codeLines, type CodeLines } from './code-lines.ts'
import { DEFINITION_RULES, type DefinitionRules } from './definition-rules.ts'
import { MOST_OF_BODY, SOUGHT, lineWorth, type Sought } from './line-worth.ts'
import type { OutlineSymbol, Outliner } from './outline.ts'
import { SourceLines } from './source-lines.ts'
import { sourceSigns } from './source-signs.ts'
import { itemOf, type HiddenName, type HiddenNames, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { countOf } from '../layout/gap-marks.ts'
import { languageName } from './languages.ts'
import { DECLARATION, definitionAt, definitionMatcher, type Definition } from './definition-at.ts'
import { unitsOf } from './word-hash.ts'
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

/** Share of the definitions that patterns find which an outline may miss: patterns also find some that are none. */
const MOST_MISSED = 0.25
/** What stands in functions belongs to them. */
const FUNCTIONS = /^(?:function|method|constructor|destructor|getter|setter|accessor|subroutine|procedure)$/

/**
 * Complete an outline with what patterns find outside its functions, where it misses much of that.
 *
 * A grammar gives up where code is not what it expects, such as a macro that stands for a keyword, and finds nothing up to
 * the end of the block, which may be the whole file.
 */
export function completeOutline(
  outline: readonly OutlineSymbol[],
  patterns: readonly OutlineSymbol[],
): readonly OutlineSymbol[] {
  const known = new Set(outline.map(({ line }) => line))
  const functions = outline.filter(({ kind }) => FUNCTIONS.test(kind))
  const missed: OutlineSymbol[] = []
  let next = 0
  /** The last line of the functions that begin before a definition. */
  let end = 0
  for (const symbol of patterns) {
    for (; next < functions.length && functions[next]!.line <= symbol.line; next++)
      end = Math.max(end, functions[next]!.endLine)
    if (symbol.line > end && !known.has(symbol.line)) missed.push(symbol)
  }
  if (missed.length <= patterns.length * MOST_MISSED) return outline
  return [...outline, ...missed].toSorted((one, other) => one.line - other.line)
}

/** Source code that has been read, with what its lines are worth. */
interface ReadSource {
  readonly language: string
  readonly code: CodeLines
  readonly symbols: readonly OutlineSymbol[]
  readonly worth: Float32Array
  /** What the header says beside language and length. */
  readonly note: string
}

/**
 * Share of the budget for names of definitions: deeper ones are added while all names take no more than this. Those at the
 * top come first, unless the call asks for lines or words, or there are conflicts of a merge.
 */
const OUTLINE_SHARE = 0.4
/** Share of the budget that names at the top may have where nothing else is sought. */
const MOST_NAMES = 0.97
/** Names at the top that are enough for an outline; with fewer, those inside them belong to it. */
const ENOUGH_NAMES = 8
/** Longest part of a name that is shown. */
const NAME_CAP = 80
/** Lines that are given for one name at most. */
const MOST_LIKE = 6
/** Tokens of the number before a name. */
const NUMBER_TOKENS = 2
/** In files of more than so many times the budget, a line of a body is less likely to be the one that is needed. */
const ENOUGH_TIMES = 6
const UNITS_PER_TOKEN = 3.4

/** The lines of a file, with the names that hidden ones define. */
function sourceItems(read: ReadSource, budgetTokens: number): PreviewModel {
  const { language, code, symbols, worth, note } = read
  const { count } = code.source
  const definitions = symbols.length === 0 ? '' : `, ${countOf(symbols.length, 'definition')}`
  return {
    items: itemsOf(read, budgetTokens),
    lines: count,
    header: `${languageName(language)}, ${countOf(count, 'line')}${definitions}${note}`,
    alwaysHeader: true,
    shares: [],
    lineShare: 0.07,
    endShare: 0,
    names: definitionNames(symbols, worth.some((value) => value >= SOUGHT) ? OUTLINE_SHARE : MOST_NAMES),
  }
}

function itemsOf({ code, symbols, worth }: ReadSource, budgetTokens: number): Item[] {
  const { source, kinds } = code
  const bodyShare = Math.min(
    1,
    Math.sqrt((budgetTokens * UNITS_PER_TOKEN * ENOUGH_TIMES) / Math.max(1, source.text.length)),
  )
  const defining = new Set(symbols.map(({ line }) => line))
  const items: Item[] = []
  let blanks = 0
  let next = 0
  for (const index of promisingLines(source, worth, budgetTokens)) {
    const text = source.text.slice(source.begins[index], source.ends[index])
    if (index !== next) blanks = 0
    next = index + 1
    if (kinds[index] === BLANK && text.trim() === '') {
      blanks++
      continue
    }
    const value = worth[index]! * (worth[index]! <= MOST_OF_BODY ? bodyShare : 1)
    const item = itemOf({ number: index + 1, text, tail: '', hidden: 0 }, blanks, value, 0, undefined)
    item.numbered = defining.has(index + 1)
    items.push(item)
    blanks = 0
  }
  return items
}

/** The names of definitions: those at the top first, and of these the longest; deeper ones up to a share of the tokens. */
function definitionNames(symbols: readonly OutlineSymbol[], most: number): HiddenNames {
  const levels = byDepth(symbols).map((level) =>
    level.map(({ line, name }) => {
      const shown = name.length <= NAME_CAP ? name : `${cutAtGrapheme(name, NAME_CAP)}…`
      return { line, name: shown, tokens: estimateTokens(shown) + NUMBER_TOKENS }
    }),
  )
  return {
    choose: (tokens) => {
      const names: HiddenName[] = []
      let left = tokens * most
      let taken = 0
      for (const level of levels) {
        const cost = level.reduce((sum, name) => sum + name.tokens, 0)
        if (names.length >= ENOUGH_NAMES && taken + cost > tokens * OUTLINE_SHARE) break
        for (const name of level) {
          if (name.tokens > left) return names
          names.push(name)
          left -= name.tokens
        }
        taken += cost
      }
      return names
    },
    write: (names) => {
      const lines: string[] = []
      for (let from = 0; from < names.length;) {
        const { name } = names[from]!
        let end = from + 1
        while (end < names.length && end - from < MOST_LIKE && names[end]!.name === name) end++
        const numbers = names.slice(from, end).map(({ line }) => line)
        lines.push(`${numbers.join(', ')} ${name}`)
        from = end
      }
      return lines
    },
  }
}

function byDepth(symbols: readonly OutlineSymbol[]): OutlineSymbol[][] {
  const levels: OutlineSymbol[][] = []
  for (const symbol of symbols) (levels[symbol.depth] ??= []).push(symbol)
  const span = ({ line, endLine }: OutlineSymbol): number => endLine - line
  return levels.flatMap((level) => [level.toSorted((one, other) => span(other) - span(one) || one.line - other.line)])
}

/** Kinds of definitions that hold others without being one themselves, where they wrap a file. */
const WRAPPERS: ReadonlySet<string> = new Set(['module', 'implementation'])
/** Longest part of a line that a signature has. */
const LONGEST = 240
/** Most definitions that stand in each other. */
const MOST_OPEN = 64

interface Open {
  readonly definition: Definition
  readonly index: number
  readonly indent: number
  readonly depth: number
  last: number
}

/**
 * Find definitions by how their lines begin and by indentation, without a grammar.
 *
 * One pass over the lines. A definition lasts until the next line that is indented no deeper. What this misses are names
 * that a macro defines, and definitions that do not begin their line.
 */
export function patternOutline(code: CodeLines, rules: DefinitionRules): OutlineSymbol[] {
  const { source, indents, kinds, firsts } = code
  const matcher = definitionMatcher(rules)
  const found: { open: Open; end: number }[] = []
  const stack: Open[] = []
  const close = (indent: number): void => {
    while (stack.length > 0 && stack.at(-1)!.indent >= indent) {
      const open = stack.pop()!
      found.push({ open, end: open.last })
      const outer = stack.at(-1)
      if (outer !== undefined) outer.last = Math.max(outer.last, open.last)
    }
  }
  let previous = -1
  for (let index = source.from; index < source.to; index++) {
    const kind = kinds[index]!
    if (kind !== CODE && kind !== CLOSER) continue
    const indent = indents[index]!
    if (kind === CLOSER) {
      close(indent + 1)
      const top = stack.at(-1)
      if (top !== undefined) top.last = index
      continue
    }
    const annotates = ANNOTATES.has(firsts[index]!)
    if (!annotates) {
      if (!CONTINUES.has(firsts[index]!)) close(indent)
      const around = stack.at(-1)
      if (around !== undefined) around.last = index
    }
    const inside = annotates ? stack.findLast((open) => open.indent < indent) : stack.at(-1)
    const definition = definitionAt(code, index, previous, inside?.definition, matcher)
    previous = index
    if (definition === undefined) continue
    close(indent)
    if (stack.length >= MOST_OPEN) continue
    stack.push({ definition, index, indent, depth: stack.length, last: index })
  }
  close(-1)
  return placed(found, source)
}

/** Brackets, and what continues a line, do not end what they stand in. */
const CONTINUES = unitsOf('{})]*&|')
/** What is said of a definition belongs to the next one. */
const ANNOTATES = unitsOf('@#')

/** Put definitions in the order of their lines, and lift what stands in a module that wraps the file. */
function placed(found: readonly { open: Open; end: number }[], source: SourceLines): OutlineSymbol[] {
  const isDeclared = ({ open }: { open: Open }): boolean => open.definition.kind === DECLARATION
  const declared = found.filter(isDeclared).length
  // A header declares what is defined elsewhere; in other files declarations only repeat what comes later.
  const kept = declared * 2 > found.length ? found : found.filter((each) => !isDeclared(each))
  const ordered = kept.toSorted((one, other) => one.open.index - other.open.index)
  const wrappers = ordered.filter(
    ({ open, end }) => WRAPPERS.has(open.definition.kind) && (end - open.index) * 2 > source.count,
  )
  return ordered.map(({ open, end }) => {
    const lifted = wrappers.filter((wrapper) => wrapper.open.index < open.index && wrapper.end >= open.index).length
    return {
      name: open.definition.name,
      kind: open.definition.kind,
      line: open.index + 1,
      endLine: end + 1,
      depth: Math.max(0, open.depth - lifted),
      signature: signature(source, open.index),
    }
  })
}

/** The beginning of a line without its body, with runs of blanks folded. */
function signature({ text, begins, ends }: SourceLines, index: number): string {
  const begin = begins[index]!
  const line = text.slice(begin, Math.min(ends[index]!, begin + LONGEST)).trim()
  const folded = line.includes('  ') || line.includes('\t') ? line.replace(/\s+/g, ' ') : line
  return folded.endsWith('{') ? folded.slice(0, -1).trimEnd() : folded
}

/** Texts of so few lines have every line considered. */
const FEW_LINES = 1_536
/** Lines that are considered or left out together. */
const BLOCK_LINES = 24
/** How many times the budget the lines have that are considered, by about so many UTF-16 units a token. */
const TIMES = 3
/** Tokens that each block costs more. */
const BLOCK_TOKENS = 10

/**
 * Finds the lines of a long file that are worth being considered for a budget: blocks of lines worth most for their length,
 * so that the cost of a preview does not grow with the file. Of a short file, these are all.
 *
 * @returns Indices of lines, in order.
 */
export function promisingLines(source: SourceLines, worth: Float32Array, budgetTokens: number): number[] {
  const { count, begins, ends } = source
  if (count <= FEW_LINES) return Array.from({ length: count }, (_, line) => line)
  const blocks = Array.from({ length: Math.ceil(count / BLOCK_LINES) }, (_, block) => {
    const from = block * BLOCK_LINES
    const to = Math.min(count, from + BLOCK_LINES)
    let value = 0
    for (let line = from; line < to; line++) value += worth[line]!
    const tokens = (ends[to - 1]! - begins[from]!) / UNITS_PER_TOKEN + BLOCK_TOKENS
    // The end of the text must be known to be shown or hidden.
    return { from, to, tokens, rate: to === count ? Infinity : value / tokens }
  })
  let left = budgetTokens * TIMES
  const best: typeof blocks = []
  for (const block of blocks.toSorted((one, other) => other.rate - one.rate || one.from - other.from)) {
    if (left <= 0) break
    best.push(block)
    left -= block.tokens
  }
  return best
    .toSorted((one, other) => one.from - other.from)
    .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index))
}
