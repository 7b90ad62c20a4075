/**
 * A rule that finds text that must not reach a model or a storage.
 *
 * - `secrets`: private keys, tokens and keys of providers, passwords next to their names, and URLs with credentials.
 * - `emails`, `cards` (by their checksum), `ibans` (by their checksum).
 * - A function must return the text without the parts to hide. A long text is passed in chunks of whole lines.
 */
export type RedactRule = 'secrets' | 'emails' | 'cards' | 'ibans' | ((text: string) => string)

/** Options of the redaction of results. */
export interface RedactOptions {
  /** Rules, in the order in which they are applied. Defaults to `['secrets']`. */
  readonly rules?: readonly RedactRule[] | undefined
  /** `all` redacts every result, `stored` only stored content and its preview. Defaults to `all`. */
  readonly where?: 'all' | 'stored' | undefined
  /** If a rule throws, `withhold` hides the result, and `keep` leaves it unchanged. Defaults to `withhold`. */
  readonly onError?: 'withhold' | 'keep' | undefined
}

/** Redacts a text. Throws {@link RedactionError} if a rule fails. */
export interface Redact {
  (text: string): string
  readonly where: 'all' | 'stored'
  readonly onError: 'withhold' | 'keep'
}

export class RedactionError extends Error {
  override readonly name = 'RedactionError'
}

const NAMES: readonly string[] = ['rules', 'where', 'onError']

/** Checks the option `redact`. A function is called after the rules for secrets. */
export function resolveRedact(option: RedactOptions | ((text: string) => string) | undefined): Redact | undefined {
  // An offloader may get the options of another offloader.
  if (option === undefined || isRedact(option)) return option
  const options: RedactOptions = typeof option === 'function' ? { rules: ['secrets', option] } : option
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError("redact must be a function or { rules, where, onError }, such as { rules: ['secrets'] }.")
  for (const name of Object.keys(options))
    if (!NAMES.includes(name)) throw new TypeError(`Unknown option redact.${name}. Known: ${NAMES.join(', ')}.`)
  const { rules = ['secrets'], where = 'all', onError = 'withhold' } = options
  if (!['all', 'stored'].includes(where)) throw new TypeError(`redact.where must be 'all' or 'stored', got ${where}.`)
  if (!['withhold', 'keep'].includes(onError))
    throw new TypeError(`redact.onError must be 'withhold' or 'keep', got ${onError}.`)
  if (!Array.isArray(rules)) throw new TypeError(`redact.rules must be an array, got ${typeof rules}.`)
  const functions = (rules as readonly RedactRule[]).map(functionOf)
  const redact = (text: string): string => functions.reduce(apply, text)
  return Object.assign(redact, { where, onError })
}

const isRedact = (option: object): option is Redact => typeof option === 'function' && 'where' in option

function functionOf(rule: RedactRule): (text: string) => string {
  if (typeof rule === 'function') return rule
  if (Object.hasOwn(RULES, rule)) return RULES[rule]
  throw new TypeError(
    `redact.rules has ${JSON.stringify(rule)}. Known: ${Object.keys(RULES).join(', ')}, or a function.`,
  )
}

function apply(text: string, rule: (text: string) => string): string {
  let result: unknown
  try {
    result = rule(text)
  } catch (cause) {
    throw new RedactionError('A function of the option redact threw an error. Correct the function.', { cause })
  }
  // The promise of an asynchronous function would be stored instead of the content.
  if (typeof result !== 'string') throw new RedactionError(`redact must return a string, got ${typeof result}.`)
  return result
}

const SECRET = '[redacted:secret]'

/** Expressions take linear time. Only the expression for private keys can match several lines. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.]|-(?!----)){0,32768}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]{10,}\.[\w-]{4,}\.[\w-]*/g
const PROVIDER_KEY =
  /(?<![\w-])(?:(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|sk-[\w-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,}|dop_v1_[a-f0-9]{64})/g
const AUTHORIZATION = /(?<![\w-])(Bearer|Basic) {1,4}[\w+/=.~-]{16,}/g
const URL_PASSWORD = /(:\/\/[^\s:@/"']{0,128}:)[^\s@/"']{1,256}(?=@)/g
const NAMED_SECRET =
  /((passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|(?:access|private|account)[_-]?key)(?:[_-][\w-]{0,24}|key|value|s)?\\?["']?[^\S\n]{0,4}(?:=>|:=|[:=])([^\S\n]{0,4}))(?:(\\?")((?:[^"\\\n]|\\[^"\n]){3,512})\\?"|'([^'\\\n]{3,512})'|([^\s"'`,;&<>(){}[\]$\\]{4,512})(?![(\w]))/gi

/** Words that often follow the names of secrets in code and schemas, but are not secrets. */
const NO_SECRET = /^(?:true|false|null|none|nil|undefined|string|number|boolean|required|optional|x+|\*+)$/i

function redactSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, SECRET)
    .replace(JSON_WEB_TOKEN, SECRET)
    .replace(PROVIDER_KEY, SECRET)
    .replace(AUTHORIZATION, `$1 ${SECRET}`)
    .replace(URL_PASSWORD, `$1${SECRET}`)
    .replace(NAMED_SECRET, redactNamed)
}

function redactNamed(
  whole: string,
  before: string,
  name: string,
  space: string,
  quote: string | undefined,
  doubleQuoted: string | undefined,
  singleQuoted: string | undefined,
  bare: string | undefined,
): string {
  const value = doubleQuoted ?? singleQuoted ?? bare ?? ''
  if (NO_SECRET.test(value)) return whole
  // Counts, as in `max_tokens: 2500`, and words in prose or code are not secrets.
  const isCounted = /^token$/i.test(name) && !(/\d/.test(value) && /\D{3}/.test(value))
  const isProse = bare !== undefined && space !== '' && !/\d/.test(value)
  if (isCounted || isProse) return whole
  if (bare !== undefined) return `${before}${SECRET}`
  return singleQuoted === undefined ? `${before}${quote}${SECRET}${quote}` : `${before}'${SECRET}'`
}

const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
const CARD = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-]?\w)/g
const IBAN = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])/g

/** Checks the last digit of a card number (Luhn). */
function isCard(digits: string): boolean {
  const sum = Array.from(digits.replaceAll(/\D/g, ''), Number)
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = index % 2 === 0 ? digit : digit * 2
      return total + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
  return sum % 10 === 0
}

/** Checks the two check digits of an IBAN (ISO 7064). */
function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '')
  const digits = `${compact.slice(4)}${compact.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) => `${parseInt(letter, 36)}`)
  return Array.from(digits).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}

const RULES = {
  secrets: redactSecrets,
  emails: (text: string): string => text.replace(EMAIL, '[redacted:email]'),
  cards: (text: string): string => text.replace(CARD, (found) => (isCard(found) ? '[redacted:card]' : found)),
  ibans: (text: string): string => text.replace(IBAN, (found) => (isIban(found) ? '[redacted:iban]' : found)),
} as const
