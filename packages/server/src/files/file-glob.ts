import { HttpError } from '../app/http-error.ts'

const MAX_LENGTH = 256
const MAX_ALTERNATIVES = 64

type Token = { readonly is: (character: string) => boolean } | '*'

/** Matches paths or names like `fnmatch`, ignoring case: `*` (also matches `/`), `?`, `[a-z]`, `[!a-z]`, `{a,b}`. */
export function fileGlob(glob: string): (path: string) => boolean {
  if (glob.length > MAX_LENGTH) throw refused(`A glob may have at most ${MAX_LENGTH} characters.`)
  if (glob.split(/[/\\]/).includes('..')) throw refused('A glob may not have .. in it.')
  const alternatives = expandBraces(glob.toLowerCase().replace(/^(?:\.?\/)+/, '')).map(tokensOf)
  return (path) => {
    const whole = path.toLowerCase()
    const name = whole.slice(whole.lastIndexOf('/') + 1)
    return alternatives.some((tokens) => matchTokens(tokens, whole) || matchTokens(tokens, name))
  }
}

function expandBraces(glob: string): string[] {
  let open = [glob]
  const done: string[] = []
  while (open.length > 0) {
    if (open.length + done.length > MAX_ALTERNATIVES)
      throw refused('A glob may have at most 64 alternatives in braces.')
    const [next, ...rest] = open as [string, ...string[]]
    // The innermost braces are expanded first.
    const match = /\{([^{}]*,[^{}]*)\}/.exec(next)
    if (match === null) {
      done.push(next)
      open = rest
      continue
    }
    const [all, inner = ''] = match
    const before = next.slice(0, match.index)
    const after = next.slice(match.index + all.length)
    open = [...inner.split(',').map((one) => before + one + after), ...rest]
  }
  return [...new Set(done.flatMap((one) => (one.startsWith('**/') ? [one, one.slice(3)] : [one])))]
}

function tokensOf(glob: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at]!
    const set = character === '[' ? readSet(glob, at) : undefined
    if (set !== undefined) {
      tokens.push(set.token)
      at = set.end
    } else if (character === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*')
    } else tokens.push({ is: character === '?' ? () => true : (other) => other === character })
  }
  return tokens
}

function readSet(glob: string, start: number): { readonly token: Token; readonly end: number } | undefined {
  const isNegated = glob[start + 1] === '!'
  const first = start + (isNegated ? 2 : 1)
  // A closing bracket in the first position belongs to the set.
  const end = glob.indexOf(']', first + 1)
  if (end < 0) return undefined
  const inner = glob.slice(first, end)
  const has = (character: string): boolean => {
    for (let at = 0; at < inner.length; at += 1) {
      if (inner[at + 1] === '-' && at + 2 < inner.length) {
        if (character >= inner[at]! && character <= inner[at + 2]!) return true
        at += 2
      } else if (inner[at] === character) return true
    }
    return false
  }
  return { token: { is: (character) => has(character) !== isNegated }, end }
}

/** Match a text. After a mismatch, it is enough to continue at the latest `*`. */
function matchTokens(tokens: readonly Token[], text: string): boolean {
  let token = 0
  let star = -1
  let retry = 0
  for (let at = 0; at < text.length;) {
    const current = tokens[token]
    if (current === '*') {
      star = token
      token += 1
      retry = at
    } else if (current?.is(text[at]!) === true) {
      token += 1
      at += 1
    } else if (star >= 0) {
      token = star + 1
      retry += 1
      at = retry
    } else return false
  }
  return tokens.slice(token).every((rest) => rest === '*')
}

const refused = (message: string): HttpError => new HttpError('invalid-path', message)
