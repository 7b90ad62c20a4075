/** Lines from `start` to `end`, 1-based and inclusive; without an end, to the last line. */
export interface LineSpan {
  readonly start: number
  readonly end?: number | undefined
}

export interface CommandIntent {
  /** Files that it prints or searches. */
  readonly paths: readonly string[]
  readonly lines: LineSpan | undefined
  readonly patterns: readonly string[]
}

/** Programs followed by another command. */
const PREFIXES: ReadonlySet<string> = new Set([
  'sudo',
  'env',
  'time',
  'nice',
  'nohup',
  'command',
  'exec',
  'xargs',
  'then',
  'do',
  '{',
])
/** Programs that print files, with options whose value is the next word. */
const READERS: Readonly<Record<string, string>> = {
  cat: '',
  bat: '-r --line-range -l --language',
  batcat: '-r --line-range -l --language',
  less: '',
  more: '',
  tac: '',
  nl: '-b -w -s -n -v -i',
  head: '-n -c --lines --bytes',
  tail: '-n -c --lines --bytes',
  sed: '-e --expression -f --file',
  awk: '-F -v -f',
  gawk: '-F -v -f',
}
const SEARCHERS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack'])
const SEARCHER_OPTIONS: ReadonlySet<string> = new Set(
  '-A -B -C -m -f -g -t -T --after-context --before-context --context --max-count --glob --type --include --exclude --exclude-dir --color --colour -d -D'.split(
    ' ',
  ),
)

export function commandIntent(command: string): CommandIntent {
  const paths: string[] = []
  const patterns: string[] = []
  let lines: LineSpan | undefined
  for (const each of shellCommands(command)) {
    const [program, ...words] = withoutPrefix(each)
    paths.push(...each.inputs)
    if (program === undefined) continue
    if (program === 'git') {
      readGit(words, paths, patterns)
      continue
    }
    if (SEARCHERS.has(program)) {
      readSearch(words, paths, patterns)
      continue
    }
    const valued = Object.hasOwn(READERS, program) ? READERS[program] : undefined
    if (valued === undefined) continue
    const { options, rest } = split(words, new Set(valued.split(' ')))
    const isScript = /sed$|awk$/.test(program)
    const script = isScript
      ? (options.get('-e') ?? options.get('--expression') ?? (options.has('-f') ? undefined : rest.shift()))
      : undefined
    paths.push(...rest)
    lines ??= linesOf(program, options, script)
    if (script !== undefined) patterns.push(...patternsIn(script))
  }
  return { paths, patterns, lines }
}

function withoutPrefix({ words }: ShellCommand): string[] {
  let at = 0
  while (
    at < words.length &&
    (/^\w+=/.test(words[at]!) || PREFIXES.has(words[at]!) || (at > 0 && words[at]!.startsWith('-')))
  )
    at++
  if (words[at] === 'timeout') at += words[at + 1]?.startsWith('-') === true ? 3 : 2
  const [program = '', ...rest] = words.slice(at)
  return program === '' ? [] : [program.slice(program.lastIndexOf('/') + 1), ...rest]
}

function split(
  words: readonly string[],
  valued: ReadonlySet<string>,
): { options: Map<string, string>; rest: string[] } {
  const options = new Map<string, string>()
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word === '--') {
      rest.push(...words.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') rest.push(word)
    else if (valued.has(word)) options.set(word, words[++at] ?? '')
    else if (word.startsWith('--') && word.includes('='))
      options.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1))
    else if (/^-[a-zA-Z]./.test(word) && valued.has(word.slice(0, 2))) options.set(word.slice(0, 2), word.slice(2))
    else options.set(word, '')
  }
  return { options, rest }
}

function readSearch(words: readonly string[], paths: string[], patterns: string[]): void {
  const { options, rest } = split(words, new Set([...SEARCHER_OPTIONS, '-e', '--regexp']))
  const given =
    options.get('-e') ??
    options.get('--regexp') ??
    (options.has('-f') || options.has('--files') ? undefined : rest.shift())
  if (given !== undefined && given !== '') patterns.push(given)
  paths.push(...rest)
}

/** `git grep`, `git blame`, and `git show HEAD:path`. */
function readGit(words: readonly string[], paths: string[], patterns: string[]): void {
  const [command, ...rest] = words
  if (command === 'grep') readSearch(rest, paths, patterns)
  else if (command === 'blame') paths.push(...split(rest, new Set(['-L'])).rest.slice(-1))
  else if (command === 'show' || command === 'cat-file') {
    for (const word of rest) {
      const path = /^[^-:][^:]*:(.+)$/.exec(word)?.[1]
      if (path !== undefined) paths.push(path)
    }
  }
}

/** Lines selected by `head`, `tail`, `sed`, and `awk`. */
function linesOf(
  program: string,
  options: ReadonlyMap<string, string>,
  script: string | undefined,
): LineSpan | undefined {
  if (program === 'head') {
    const count = Number(options.get('-n') ?? options.get('--lines') ?? shortCount(options))
    return count > 0 ? { start: 1, end: count } : undefined
  }
  if (program === 'tail') {
    const from = options.get('-n') ?? options.get('--lines')
    return from?.startsWith('+') === true ? span(from.slice(1), undefined) : undefined
  }
  if (script === undefined) {
    const range = /^(\d{1,9}):(\d{1,9})?$/.exec(options.get('-r') ?? options.get('--line-range') ?? '')
    return range === null ? undefined : span(range[1], range[2])
  }
  const address = /^\s*(\d{1,9})(?:\s*,\s*(\d{1,9}|\$|\+\d{1,9}))?\s*p/.exec(script)
  if (address !== null) {
    const [, start, end = start] = address
    return span(
      start,
      end === '$' ? undefined : end?.startsWith('+') === true ? String(Number(start) + Number(end)) : end,
    )
  }
  const records =
    /NR\s*>=?\s*(\d{1,9}).{0,16}?NR\s*<=?\s*(\d{1,9})/.exec(script.slice(0, 400)) ??
    /NR\s*==\s*(\d{1,9})\s*,\s*NR\s*==\s*(\d{1,9})/.exec(script.slice(0, 400))
  return records === null ? undefined : span(records[1], records[2])
}

/** `head -50`. */
function shortCount(options: ReadonlyMap<string, string>): string | undefined {
  return [...options.keys()].find((option) => /^-\d{1,9}$/.test(option))?.slice(1)
}

function span(start: string | undefined, end: string | undefined): LineSpan | undefined {
  const first = Number(start)
  const last = end === undefined ? undefined : Number(end)
  if (!(first >= 1) || (last !== undefined && !(last >= first))) return undefined
  return { start: first, end: last }
}

/** Patterns of `sed -n '/pattern/,/pattern/p'` and `awk '/pattern/'`. */
function patternsIn(script: string): string[] {
  return [...script.slice(0, 1_024).matchAll(/(?:^|[\s,;{!~(])\/((?:[^/\\\n]|\\.){2,200})\//g)].map(
    ([, pattern]) => pattern!,
  )
}

interface ShellCommand {
  readonly words: readonly string[]
  readonly inputs: readonly string[]
}

const MOST_COMMANDS = 32
const MOST_WORDS = 128

/**
 * Splits roughly like POSIX shells. Variables and substitutions stay as written; the rest after a here-document is
 * dropped.
 */
function shellCommands(line: string): ShellCommand[] {
  const commands: ShellCommand[] = []
  let words: string[] = []
  let inputs: string[] = []
  let word: string | undefined
  let redirect: '' | '<' | '>' = ''
  const endWord = (): void => {
    if (word === undefined) return
    if (redirect === '<') inputs.push(word)
    else if (redirect === '' && words.length < MOST_WORDS) words.push(word)
    word = undefined
    redirect = ''
  }
  const endCommand = (): void => {
    endWord()
    if (words.length > 0 && commands.length < MOST_COMMANDS) commands.push({ words, inputs })
    words = []
    inputs = []
    redirect = ''
  }
  for (let at = 0; at < line.length; at++) {
    const unit = line[at]!
    if (unit === "'" || unit === '"') {
      const quoted = quotedAt(line, at)
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else if (unit === '\\') {
      at++
      if (line[at] !== '\n') word = (word ?? '') + (line[at] ?? '')
    } else if (unit === ' ' || unit === '\t' || unit === '\r') endWord()
    else if (unit === '<' || unit === '>') {
      if (line.startsWith('<<', at)) break
      // The number of a file descriptor belongs to the redirection.
      if (word !== undefined && /^\d$/.test(word)) word = undefined
      endWord()
      if (line[at + 1] === '>' || line[at + 1] === '&') at++
      redirect = unit
    } else if (unit === '#' && word === undefined) {
      const end = line.indexOf('\n', at)
      if (end < 0) break
      at = end - 1
    } else if ('|&;\n()'.includes(unit)) endCommand()
    else word = (word ?? '') + unit
  }
  endCommand()
  return commands
}

/** An unclosed quote ends with the line. */
function quotedAt(line: string, start: number): { text: string; end: number } {
  const quote = line[start]!
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === quote) return { text, end: at }
    if (quote === '"' && line[at] === '\\' && /["\\$`]/.test(line[at + 1] ?? '')) at++
    text += line[at]!
  }
  return { text, end: line.length }
}
