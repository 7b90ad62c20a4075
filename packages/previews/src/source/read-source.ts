import { countOf, cutWithMark, estimateTokens, yieldWhenDue } from '@spillway/text/internal'
import { writePreview } from '../layout/write-preview.ts'
import type { Caller, TextSubject, WritePreview } from '../previewer.ts'
import type { ToolIntent } from '../detect/tool-intent.ts'
import { BLANK, CLOSER, CODE, codeLines, programMessages, type CodeLines } from './code-lines.ts'
import { DEFINITION_RULES, NAME, type DefinitionRules } from './definition-rules.ts'
import { SOUGHT, lineWorth, type Sought } from './line-worth.ts'
import { FUNCTIONS, type OutlineSymbol, type Outliner } from './outline.ts'
import { SourceLines } from './source-lines.ts'
import { sourceSigns } from './source-signs.ts'
import {
  foreignLine,
  itemOf,
  type HiddenName,
  type HiddenNames,
  type Item,
  type PreviewModel,
} from '../layout/preview-model.ts'
import { languageName } from './languages.ts'
import { DECLARATION, definitionAt, definitionMatcher, type Definition } from './definition-at.ts'
import { unitsOf } from './word-hash.ts'
import { withPlaces, yamlLists, type YamlLists } from './yaml-lists.ts'

/** Largest average line length of code written by people. */
const LONGEST_MEAN = 240
/** Number of lines with at least one definition. With fewer definitions, the language was not recognized correctly. */
const MOST_LINES_OF_ONE = 100
const NO_RULES: DefinitionRules = { keywords: 'function class def fn func', comment: '//', block: true }

export async function readSource(
  text: string,
  subject: TextSubject & Caller,
  outline: Outliner | undefined,
): Promise<WritePreview | undefined> {
  const { intent, caller } = subject
  const signs = sourceSigns(subject)
  if (signs === undefined) return undefined
  const { language, isGuess = false } = signs
  const source = new SourceLines(text)
  if (text.length > source.count * LONGEST_MEAN) return undefined
  const rules = DEFINITION_RULES[language] ?? NO_RULES
  await yieldWhenDue(caller)
  const code = codeLines(source, rules)
  const patterns = await patternOutline(code, rules, caller)
  await yieldWhenDue(caller)
  const found = await outline?.(source.code(), language, caller)
  const symbols = found === undefined ? patterns : completeOutline(found, patterns)
  if (isGuess && symbols.length * MOST_LINES_OF_ONE < source.count) return undefined
  const shift = source.numbering?.shift ?? sliceShift(intent, source.count)
  const note = shift === 0 ? '' : `; file line = number ${shift < 0 ? '−' : '+'} ${Math.abs(shift)}`
  await yieldWhenDue(caller)
  const worth = lineWorth(code, symbols, { lines: asked(intent, shift, source.count), words: intent.words })
  const lists = language === 'yaml' ? await yamlLists(code, caller) : NO_LISTS
  for (const [index, { nth }] of lists.unlike) worth[index] = Math.max(worth[index]!, UNLIKE / nth)
  const read = { language, code, symbols, worth, lists, note }
  return async (options) => {
    const model = await sourceModel(read, options.budgetTokens, caller)
    await yieldWhenDue(caller)
    return writePreview(model, options)
  }
}

const NO_LISTS: YamlLists = { sizes: new Map(), unlike: new Map(), documents: [] }
/** Value of lines that are unlike the same line of other items. */
const UNLIKE = 5

/** Return the offset of the line numbers if the text is a part of a file. Otherwise, return 0. */
function sliceShift({ lines, paths }: ToolIntent, count: number): number {
  if (lines?.end === undefined || paths.length !== 1) return 0
  return count <= lines.end - lines.start + 1 ? lines.start - 1 : 0
}

/** Return the requested lines, unless they are more than half of the text. */
function asked({ lines }: ToolIntent, shift: number, count: number): Sought['lines'] {
  if (lines === undefined) return undefined
  const start = lines.start - shift
  const end = (lines.end ?? lines.start + shift + count) - shift
  return start >= 1 && start <= count && (end - start + 1) * 2 <= count ? { start, end } : undefined
}

/** Share of the definitions found by patterns that an outline may miss. Patterns also find false definitions. */
const MOST_MISSED = 0.25

/**
 * Add the definitions that patterns find outside of functions, if the outline misses many definitions.
 *
 * A grammar may fail at unexpected code, for example a macro in place of a keyword, and miss the following part of the
 * file.
 */
export function completeOutline(
  outline: readonly OutlineSymbol[],
  patterns: readonly OutlineSymbol[],
): readonly OutlineSymbol[] {
  const known = new Set(outline.map(({ line }) => line))
  const functions = outline.filter(({ kind }) => FUNCTIONS.test(kind))
  const missed: OutlineSymbol[] = []
  let next = 0
  /** Last line of the functions that start before a definition. */
  let end = 0
  for (const symbol of patterns) {
    for (; next < functions.length && functions[next]!.line <= symbol.line; next++)
      end = Math.max(end, functions[next]!.endLine)
    if (symbol.line > end && !known.has(symbol.line)) missed.push(symbol)
  }
  if (missed.length <= patterns.length * MOST_MISSED) return outline
  return [...outline, ...missed].toSorted((one, other) => one.line - other.line)
}

interface ReadSource {
  readonly language: string
  readonly code: CodeLines
  readonly symbols: readonly OutlineSymbol[]
  readonly worth: Float32Array
  readonly lists: YamlLists
  /** Text in the header after language and length. */
  readonly note: string
}

/** Share of the budget for names of inner definitions. */
const OUTLINE_SHARE = 0.4
/** Largest shares of the budget for names: if the text has sought lines, if it has unusual lines, and for other texts. */
const NAMES_BESIDE_SOUGHT = 0.1
const NAMES_BESIDE_UNLIKE = 0.4
const MOST_NAMES = 0.97
/** Number of names that is enough. With fewer names, inner names may exceed `OUTLINE_SHARE`. */
const ENOUGH_NAMES = 8
/** Longest shown name, in UTF-16 units. */
const NAME_CAP = 80
/** Largest number of lines to list for one name. */
const MOST_LIKE = 6
/** Number of tokens of the line number before a name. */
const NUMBER_TOKENS = 2
async function sourceModel(read: ReadSource, budgetTokens: number, caller: unknown): Promise<PreviewModel> {
  const { language, code, symbols, worth, lists, note } = read
  const { count } = code.source
  const noun = symbols[0]?.kind === 'key' ? 'key' : 'definition'
  const counts = [countOf(count, 'line'), countOf(lists.documents.length, 'document'), countOf(symbols.length, noun)]
  const isSought = worth.some((value) => value >= SOUGHT)
  const most = isSought ? NAMES_BESIDE_SOUGHT : lists.unlike.size > 0 ? NAMES_BESIDE_UNLIKE : MOST_NAMES
  await yieldWhenDue(caller)
  const items = itemsOf(read, budgetTokens)
  await yieldWhenDue(caller)
  return {
    items,
    lines: count,
    header: [languageName(language), ...counts.filter((text) => !text.startsWith('0 '))].join(', ') + note,
    alwaysHeader: true,
    head: programMessages(code).map((index) => foreignLine(index + 1, code.source.line(index))),
    shares: [],
    lineShare: 0.07,
    endShare: 0,
    names: definitionNames(lists.documents.length > 0 ? lists.documents : symbols, lists.sizes, most),
  }
}

function itemsOf({ code, symbols, worth, lists }: ReadSource, budgetTokens: number): Item[] {
  const { source, kinds } = code
  const byLine = new Map<number, Item>()
  const defining = new Map(symbols.map(({ line, name }) => [line, name]))
  const items: Item[] = []
  let blanks = 0
  let next = 0
  for (const index of withPlaces(promisingLines(source, worth, budgetTokens), lists.unlike)) {
    const text = source.text.slice(source.begins[index], source.ends[index])
    if (index !== next) blanks = 0
    next = index + 1
    if (kinds[index] === BLANK && text.trim() === '') {
      blanks++
      continue
    }
    // A line such as `[[package]]`, named by the line below, would hide its name in the outline.
    if (text.startsWith('[[') && !text.includes(defining.get(index + 1) ?? '')) continue
    const item = itemOf({ number: index + 1, text, tail: '', hidden: 0 }, blanks, worth[index]!, 0, undefined)
    item.numbered = defining.has(index + 1)
    item.note = lists.sizes.get(index) ?? ''
    item.lone = lists.unlike.has(index)
    byLine.set(index, item)
    items.push(item)
    blanks = 0
  }
  for (const [index, { place }] of lists.unlike) {
    const item = byLine.get(index)
    if (item !== undefined && place !== undefined && place < index) item.parent = byLine.get(place)
  }
  return items
}

/** Names with more definitions than this, for example in a YAML stream, are listed only once. */
const MOST_REPEATS = 8

/** Order names by depth, then by length of the definition. Inner names are limited to a share of the tokens. */
function definitionNames(
  symbols: readonly OutlineSymbol[],
  sizes: ReadonlyMap<number, string>,
  most: number,
): HiddenNames {
  const named = Map.groupBy(symbols, ({ name }) => name)
  const levels = byDepth([...named.values()].flatMap((all) => (all.length > MOST_REPEATS ? all.slice(0, 1) : all))).map(
    (level) =>
      level.map(({ line, name }) => {
        const size = sizes.get(line - 1)
        const start = cutWithMark(name, NAME_CAP)
        const shown = size === undefined ? start : `${start} [${size}]`
        return { line, name: shown, tokens: estimateTokens(shown) + NUMBER_TOKENS }
      }),
  )
  return {
    choose: (tokens) => {
      const names: HiddenName[] = []
      let left = tokens * most
      let taken = 0
      for (const level of levels) {
        if (names.length >= ENOUGH_NAMES) left = Math.min(left, tokens * OUTLINE_SHARE - taken)
        for (const name of level) {
          if (name.tokens > left) return names
          names.push(name)
          left -= name.tokens
          taken += name.tokens
        }
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

/** Share of definitions of one kind from which other kinds come first. */
const COMMON = 0.9

function byDepth(symbols: readonly OutlineSymbol[]): OutlineSymbol[][] {
  const levels: OutlineSymbol[][] = []
  for (const symbol of symbols) (levels[symbol.depth] ??= []).push(symbol)
  const kinds = Map.groupBy(symbols, ({ kind }) => kind)
  const isCommon = ({ kind }: OutlineSymbol): number => (kinds.get(kind)!.length > symbols.length * COMMON ? 1 : 0)
  const span = ({ line, endLine }: OutlineSymbol): number => endLine - line
  const order = (one: OutlineSymbol, other: OutlineSymbol): number =>
    isCommon(one) - isCommon(other) || span(other) - span(one) || one.line - other.line
  return levels.flatMap((level) => [level.toSorted(order)])
}

/** Kinds that enclose definitions. A definition of such a kind is ignored if it wraps the whole file. */
const WRAPPERS: ReadonlySet<string> = new Set(['module', 'implementation'])
/** Number of lines that are examined in about a millisecond. */
const LINES_OF_A_PIECE = 2_048
/** Largest depth of nested definitions. */
const MOST_OPEN = 64

interface Open {
  definition: Definition
  readonly index: number
  readonly indent: number
  readonly depth: number
  last: number
}

/**
 * Finds definitions by line starts and indentation, in one pass. A definition ends before the next line that is not
 * indented deeper.
 *
 * The outline misses names defined by macros, and definitions within a line.
 */
export async function patternOutline(
  code: CodeLines,
  rules: DefinitionRules,
  caller?: unknown,
): Promise<OutlineSymbol[]> {
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
    if (index % LINES_OF_A_PIECE === 0) await yieldWhenDue(caller)
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
    const above = found.at(-1)?.open
    const isBelow = above?.index === previous && above.definition.kind === 'entry'
    previous = index
    if (definition === undefined) continue
    if (definition.kind === NAME) {
      if (isBelow) above.definition = definition
      continue
    }
    close(indent)
    if (stack.length >= MOST_OPEN) continue
    stack.push({ definition, index, indent, depth: stack.length, last: index })
  }
  close(-1)
  return placed(found, source)
}

/** Brackets and continuations, which do not end a definition. */
const CONTINUES = unitsOf('{})]*&|')
/** Annotations, which belong to the next definition. */
const ANNOTATES = unitsOf('@#')

/** Sorts definitions by line, and ignores a module around the whole file. */
function placed(found: readonly { open: Open; end: number }[], source: SourceLines): OutlineSymbol[] {
  const isDeclared = ({ open }: { open: Open }): boolean => open.definition.kind === DECLARATION
  const declared = found.filter(isDeclared).length
  // A header declares names that are defined elsewhere. In other files, declarations only repeat later definitions.
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
    }
  })
}

const FEW_LINES = 1_536
const BLOCK_LINES = 24
/** Size of the considered lines, as a multiple of the budget, and UTF-16 units per token. */
const TIMES = 3
const UNITS_PER_TOKEN = 3.4
const BLOCK_TOKENS = 10

/**
 * Returns the blocks with the highest value for their length, so that the time for a preview does not grow with the
 * file.
 *
 * @returns Indexes of lines in order. If the file is short, it includes all lines.
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
    // The last block is always included, so that the preview knows whether the end of the text is hidden.
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
