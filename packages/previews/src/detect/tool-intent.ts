import { parseJsonText } from '@spillway/text/internal'
import { wordsOfPurpose } from './purpose-words.ts'
import { pathsOfText, wordsOfPattern, wordsOfText } from './sought-words.ts'

/** Intent of a tool call, read from its arguments. */
export interface ToolIntent {
  /** Files and folders that the call names. */
  readonly paths: readonly string[]
  /** Requested lines, 1-based and inclusive. Without an end, up to the last line. */
  readonly lines?: { readonly start: number; readonly end?: number | undefined } | undefined
  /** Words, names, and patterns to find, the most specific first. */
  readonly words: readonly string[]
  /** Words of the text before the call. Those that are rare in a content join `words` for its preview. */
  readonly purpose?: readonly string[] | undefined
  /** Shell command of the call. */
  readonly command?: string | undefined
  /** URL to fetch. */
  readonly url?: string | undefined
}

/** Lines from `start` to `end`, 1-based and inclusive. Without an end, up to the last line. */
type LineSpan = NonNullable<ToolIntent['lines']>

/** Longest argument that is read, in UTF-16 units. */
const MAX_ARGUMENT = 4_096
/** Largest number of arguments and list items that are read. */
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
 * Read the arguments of a tool call, with any names and structure. Unknown arguments are ignored. It never throws.
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
    ...texts(QUERIES).flatMap((query) => (query.includes(' ') ? wordsOfText(query) : wordsOfPattern(query))),
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

/** Collects arguments by the lowercase letters of their names. An envelope's arguments are added to those around. */
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
