import { HttpError } from '../app/http-error.ts'

const MAX_LENGTH = 256
const MAX_ALTERNATIVES = 64

/** Matches paths or names like `fnmatch`, ignoring case: `*` (also matches `/`), `?`, `[a-z]`, `[!a-z]`, `{a,b}`. */
export function fileGlob(glob: string): (path: string) => boolean {
  if (glob.length > MAX_LENGTH) throw refused(`A glob may have at most ${MAX_LENGTH} characters.`)
  if (glob.split(/[/\\]/).includes('..')) throw refused('A glob may not have .. in it.')
  const alternatives = expandBraces(glob.toLowerCase().replace(/^(?:\.?\/)+/, '')).map(expressionOf)
  return (path) => {
    const whole = path.toLowerCase()
    const name = whole.slice(whole.lastIndexOf('/') + 1)
    return alternatives.some((expression) => expression.test(whole) || expression.test(name))
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

/** Text between two `*` is matched where it occurs first. A group in a look-ahead is never matched a second time. */
function expressionOf(glob: string): RegExp {
  const [first, ...rest] = glob.replace(TOKEN, sourceOf).split('\n*')
  const last = rest.pop()
  const between = rest.map((part, index) => `(?=(.*?${part}))\\${index + 1}`).join('')
  return new RegExp(`^${first}${between}${last === undefined ? '' : `.*${last}`}$`, 's')
}

/** A closing bracket in the first position belongs to the set. */
const TOKEN = /\*+|\[(!|(?!!))(.[^\]]*)\]|./gs

function sourceOf(token: string, negation: string | undefined, set: string | undefined): string {
  if (set !== undefined) return `[${negation === '!' ? '^' : ''}${set.replace(/(.)-(.)|./gs, rangeOf)}]`
  if (token === '?') return '.'
  return token.startsWith('*') ? '\n*' : unitOf(token)
}

function rangeOf(one: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return unitOf(one)
  return from <= to ? `${unitOf(from)}-${unitOf(to)}` : ''
}

const unitOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const refused = (message: string): HttpError => new HttpError('invalid-path', message)
