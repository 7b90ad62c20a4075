/** One command of a pipeline: its program and arguments, without quotes. */
export interface ShellCommand {
  readonly words: readonly string[]
  /** Files that it reads from by `<`. */
  readonly inputs: readonly string[]
}

/** Most commands and words that are read. */
const MOST_COMMANDS = 32
const MOST_WORDS = 128

/**
 * Split a line for a shell into its commands, roughly as POSIX shells do: quotes, backslashes, and the operators between
 * commands. Variables and substitutions stay as they are written; what follows a here-document is left out.
 */
export function shellCommands(line: string): ShellCommand[] {
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

/** The text between quotes; a quote that does not end lasts to the end of the line. */
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
