import { parseJsonText } from '@spillway/text/internal'

/** Intent of a tool call, read from its arguments. */
export interface ToolIntent {
  /** Files and folders that the call names. */
  readonly paths: readonly string[]
  /** Requested lines, 1-based and inclusive. If `end` is absent, the range ends with the last line. */
  readonly lines?: { readonly start: number; readonly end?: number | undefined } | undefined
  /** Words, names, and patterns to find, the most specific first. */
  readonly words: readonly string[]
  /** Words of the text before the call. A preview adds the words that are rare in its content to `words`. */
  readonly purpose?: readonly string[] | undefined
  /** Shell command of the call. */
  readonly command?: string | undefined
  /** URL to fetch. */
  readonly url?: string | undefined
}

/** Lines from `start` to `end`, 1-based and inclusive. If `end` is absent, the range ends with the last line. */
type LineSpan = NonNullable<ToolIntent['lines']>

/** Longest argument that is read, in UTF-16 units. */
const MAX_ARGUMENT = 4_096
/** Largest numbers of arguments, of paths, and of words to read. */
const MOST_ARGUMENTS = 64
const MOST_PATHS = 16
const MOST_WORDS = 32
const MAX_JSON = 65_536

const PATHS =
  'path filepath file filename absolutepath relativepath targetfile notebookpath relativeworkspacepath directory dir folder paths files filepaths'.split(
    ' ',
  )
const PATTERNS = 'pattern regex regexp symbol symbolname identifier functionname methodname classname needle'.split(' ')
const QUERIES = 'query q search searchterm searchquery term keyword keywords name names queries'.split(' ')
const TEXTS = 'prompt description task question instructions instruction goal message'.split(' ')
const COMMANDS = 'command cmd script'.split(' ')
const ADDRESSES = 'url uri href'.split(' ')
/** Names of arguments that contain the real arguments. */
const ENVELOPES = 'arguments args params parameters input kwargs'.split(' ')

/**
 * Read the arguments of a tool call, with any names and structure. Unknown arguments are ignored. Never throws.
 *
 * @param purpose - Text of the user or the model before the call.
 */
export function toolIntent(toolName: string, input: unknown, purpose?: string): ToolIntent {
  const named = namedArguments(input)
  const texts = (names: readonly string[]): string[] => names.flatMap((name) => strings(named.get(name)))
  const isShell = /^(?:bash|shell|sh|terminal|execute_command|run_command|run_shell_command)$/i.test(toolName)
  const command = commandOf(named) ?? (isShell && typeof input === 'string' ? input.slice(0, MAX_ARGUMENT) : undefined)
  const told = command === undefined ? undefined : readCommand(command)
  const prose = texts(TEXTS)
  const placed = texts(PATHS).map(pathAndLines)
  const paths = [...placed.map(({ path }) => path), ...(told?.paths ?? []), ...prose.flatMap(pathsOfText)]
  const words = [
    ...texts(PATTERNS).flatMap(wordsOfPattern),
    ...(told?.patterns ?? []).flatMap(wordsOfPattern),
    ...texts(QUERIES).flatMap((text) => (text.includes(' ') ? [text, ...wordsOfText(text)] : wordsOfPattern(text))),
    ...prose.flatMap(wordsOfText),
  ]
  return {
    paths: first(paths, MOST_PATHS),
    lines: linesOf(named) ?? placed.find(({ lines }) => lines !== undefined)?.lines ?? told?.lines,
    words: first(words, MOST_WORDS),
    ...(purpose !== undefined && { purpose: wordsOfPurpose(purpose) }),
    command,
    url: texts(ADDRESSES)[0],
  }
}

/** Collect arguments by the lowercase letters of their names, including the arguments in an envelope. */
function namedArguments(input: unknown): Map<string, unknown> {
  const named = new Map<string, unknown>()
  const add = (value: unknown): void => {
    for (const [name, argument] of dataOf(value)) {
      const key = name
        .slice(0, 64)
        .toLowerCase()
        .replace(/[^a-z]/g, '')
      if (!named.has(key)) named.set(key, argument)
    }
  }
  add(typeof input === 'string' ? parsed(input) : input)
  for (const name of ENVELOPES) {
    const inside = named.get(name)
    add(typeof inside === 'string' ? parsed(inside) : inside)
  }
  return named
}

/** Reads fields without calling accessors. */
function dataOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const data: [string, unknown][] = []
  for (const name in value) {
    if (data.length >= MOST_ARGUMENTS) break
    const property = Object.getOwnPropertyDescriptor(value, name)
    if (property !== undefined && 'value' in property) data.push([name, property.value])
  }
  return data
}

/** Parses arguments that are still JSON text. */
function parsed(text: string): unknown {
  if (text.length > MAX_JSON || !/^\s*\{/.test(text)) return undefined
  return parseJsonText(text)
}

/** Accepts a string, a list of strings, or a list of objects with a path. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value.slice(0, MAX_ARGUMENT)]
  if (!Array.isArray(value)) return []
  return value.slice(0, MOST_PATHS).flatMap((item: unknown) => {
    if (typeof item === 'string') return strings(item)
    const inside = new Map(dataOf(item))
    return strings(inside.get('path') ?? inside.get('file_path'))
  })
}

/** Reads the command, which is one text or an array of words: `["bash", "-lc", "ls -l"]`. */
function commandOf(named: ReadonlyMap<string, unknown>): string | undefined {
  for (const name of COMMANDS) {
    const words = strings(named.get(name))
    if (words.length === 0) continue
    const shell = words.findIndex((word) => /^-\w*c$/.test(word))
    return words
      .slice(shell + 1)
      .join(' ')
      .slice(0, MAX_ARGUMENT)
  }
  return undefined
}

/** Programs that print or search files. */
const READERS = /^\s*(?:sudo )?(?:cat|bat|less|more|nl|head|tail|sed|awk|[ef]?grep|rg|git (?:blame|grep|show))\s/
const SEARCHERS = /\b(?:[ef]?grep|rg)\s/

/** Reads the files that a command prints or searches, the lines that `sed` selects, and quoted patterns. */
function readCommand(command: string): { paths: string[]; patterns: string[]; lines: LineSpan | undefined } {
  const reading = command.split(/&&|[|;\n]/).filter((part) => READERS.test(part))
  const [, start, end] = /\bsed -n ['"]?(\d{1,9}),(\d{1,9})p/.exec(command) ?? []
  return {
    paths: reading.flatMap((part) => part.match(/(?<=[\s:])[^\s'":=<>]+\.\w{1,8}(?=\s|$)/g) ?? []),
    patterns: reading
      .filter((part) => SEARCHERS.test(part))
      .flatMap((part) => /(?<=\s)(['"])(.{3,100}?)\1/.exec(part)?.[2] ?? []),
    lines: start === undefined ? undefined : span(Number(start), Number(end)),
  }
}

/** Reads `src/a.ts:12`, `src/a.ts:12-40`, `src/a.ts#L12-L40`. */
function pathAndLines(text: string): { path: string; lines?: LineSpan | undefined } {
  const found = /^(.{1,1024}?)(?::|#L)(\d{1,9})(?:[-,:]L?(\d{1,9}))?$/.exec(text.slice(0, 1_100))
  if (found === null) return { path: text }
  const [, path = '', start, end] = found
  return {
    path,
    lines: span(Number(start), end === undefined || Number(end) < Number(start) ? Number(start) : Number(end)),
  }
}

/** Reads requested lines. Tools use an offset and a limit, a start and an end, a range of two numbers, or one line. */
function linesOf(named: ReadonlyMap<string, unknown>): LineSpan | undefined {
  const number = (...names: string[]): number | undefined => {
    for (const name of names) {
      const value = named.get(name)
      const read = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
      if (typeof read === 'number' && Number.isSafeInteger(read)) return read
    }
    return undefined
  }
  for (const name of ['viewrange', 'linerange', 'lines', 'range']) {
    const range = rangeOf(named.get(name))
    if (range !== undefined) return range
  }
  const start = number('startline', 'linestart', 'fromline', 'startlineoneindexed', 'startlinenumber')
  if (start !== undefined)
    return span(
      start,
      number('endline', 'lineend', 'toline', 'endlineoneindexedinclusive', 'endlinenumberinclusive', 'endlinenumber'),
    )
  const offset = number('offset')
  if (offset !== undefined) {
    const limit = number('limit')
    return span(Math.max(1, offset), limit === undefined ? undefined : Math.max(1, offset) + limit - 1)
  }
  const line = number('line', 'linenumber', 'lineno')
  return line === undefined ? undefined : span(line, line)
}

/** Reads `[12, 40]`, `{ start: 12, end: 40 }`, and `"12-40"`. An end of -1 means the end of the file. */
function rangeOf(value: unknown): LineSpan | undefined {
  if (typeof value === 'string') {
    const [, start, end] = /^\s*(\d{1,9})\s*(?:[-,:]\s*(\d{1,9}))?\s*$/.exec(value.slice(0, 64)) ?? []
    return start === undefined ? undefined : span(Number(start), end === undefined ? Number(start) : Number(end))
  }
  const [start, end]: unknown[] = Array.isArray(value)
    ? value
    : ['start', 'end'].map((name) => new Map(dataOf(value)).get(name))
  if (typeof start !== 'number') return undefined
  return span(start, typeof end === 'number' && end >= start ? end : undefined)
}

function span(start: number, end: number | undefined): LineSpan | undefined {
  if (!Number.isSafeInteger(start) || start < 1 || (end !== undefined && !(end >= start))) return undefined
  return { start, end }
}

function first(values: readonly string[], most: number): string[] {
  return [...new Set(values)].filter((value) => value !== '').slice(0, most)
}

/** Number of UTF-16 units to read at the end of a purpose, because the last words before a call describe the call. */
const MAX_PURPOSE = 4_096
const MOST_NAMES = 16
/** Matches plain words of 6 letters or more, which gave better previews than 5 or 8 in the measurement below. */
const PLAIN_WORD = /(?<![\p{L}\p{N}_])\p{L}{6,30}(?![\p{L}\p{N}_])/gu
/**
 * Largest number of occurrences of a word. More frequent words do not distinguish lines. The value was chosen among 1
 * to 20 and no limit, by cross-validation on 92 results of real sessions.
 */
const MOST_OCCURRENCES = 8

/** Returns each word once: names first, then plain words. */
function wordsOfPurpose(purpose: string): string[] {
  const text = purpose.slice(-MAX_PURPOSE)
  const names = wordsOfText(text).slice(0, MOST_NAMES)
  return [...new Set([...names, ...(text.match(PLAIN_WORD) ?? [])])].slice(0, MOST_WORDS)
}

/** Adds words of the purpose that occur rarely in the start of the content, the rarest first. */
export function withPurpose(intent: ToolIntent, start: string): ToolIntent {
  const { words, purpose = [] } = intent
  if (purpose.length === 0) return intent
  const text = start.toLowerCase()
  const counted = purpose
    .filter((word) => !words.includes(word))
    .map((word) => ({ word, count: occurrences(text, word.toLowerCase()) }))
    .filter(({ count }) => count <= MOST_OCCURRENCES)
  // Words that are absent from the start may occur later in the content. Such words follow the other words.
  const rank = (count: number): number => (count === 0 ? MOST_OCCURRENCES + 1 : count)
  const rare = counted.toSorted((one, other) => rank(one.count) - rank(other.count)).map(({ word }) => word)
  return rare.length === 0 ? intent : { ...intent, words: [...words, ...rare] }
}

function occurrences(text: string, word: string): number {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count <= MOST_OCCURRENCES; at = text.indexOf(word, at + word.length)) {
    count++
  }
  return count
}

/** Length of the shortest and the longest useful word, in UTF-16 units. */
const SHORTEST_WORD = 3
const LONGEST_WORD = 100
/** Number of words up to which every word of a query is used. */
const FEW_WORDS = 12

/** Returns a literal pattern whole. Of other patterns, returns the names without escapes, classes, and counts. */
function wordsOfPattern(pattern: string): string[] {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return pattern.length <= LONGEST_WORD ? [pattern] : []
  const literal = pattern
    .replace(/\[[^\]\n]{0,200}\]|\{\d{0,6},?\d{0,6}\}/g, ' ')
    .replace(/\\[bBdDsSwWAzZGnrt]/g, ' ')
    .replace(/\\(.)/g, '$1')
  return distinct(literal.match(/[\p{L}\p{N}_$-]{3,100}/gu) ?? [])
}

/** Returns the words that look like code first, then each longer word of a short query. */
function wordsOfText(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]{3,100})`|"([^"\n]{3,100})"/g)].map(([, code, phrase]) => code ?? phrase!)
  const words = text.match(/[\p{L}\p{N}_$.:/-]{3,120}/gu) ?? []
  const named = words.map((word) => word.replace(/^[.:/-]+|[.:/-]+$/g, '')).filter(isIdentifier)
  const plain = words.length <= FEW_WORDS ? words.filter((word) => /^\p{L}{4,}$/u.test(word)) : []
  return distinct([...quoted, ...named, ...plain])
}

/** Find paths with a folder and an extension, and remove their line numbers. */
function pathsOfText(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_@~./\\:-]{3,200}/gu) ?? []
  return distinct(
    words
      .map((word) => word.replace(/[.:,]+$/, ''))
      .filter(
        (word) =>
          !word.includes('://') &&
          /^(?:\.{0,2}|~|[A-Za-z]:)?[/\\]?(?:[^/\\:]+[/\\])*[^/\\:]+\.[A-Za-z]\w{0,7}(?::\d{1,9})?$/.test(word),
      )
      .filter((word) => /[/\\]/.test(word))
      .map((word) => word.replace(/(?<=\.\w{1,8}):\d{1,9}$/, '')),
  )
}

/** Matches `snake_case`, `camelCase`, `Type.member`, `CONSTANT_1`. */
function isIdentifier(word: string): boolean {
  if (word.length < SHORTEST_WORD || word.length > LONGEST_WORD || word.includes('://')) return false
  return /^[\p{L}_$][\p{L}\p{N}_$.:]*$/u.test(word) && /_|\p{Ll}\p{Lu}|\p{L}(?:\.|::)\p{L}/u.test(word)
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word.length >= SHORTEST_WORD)
}
