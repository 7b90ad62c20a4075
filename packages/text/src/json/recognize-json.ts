import { perSubject } from '../shared/per-subject.ts'

/** What is known of a text when it is asked whether it is JSON. */
export interface JsonText {
  /** In lower case and without parameters. */
  readonly contentType: string
  /** The beginning. */
  readonly start: string
  /** Whether the beginning is the whole text. */
  readonly isWhole: boolean
  /** The end; absent if it is not known. */
  readonly end?: string | undefined
}

/** What the start of a text tells. */
export interface JsonStart {
  /** How sure it is that the text is JSON. */
  readonly sureness: number
  /** Where the first value begins. */
  readonly at: number
  /** Whether values follow one another. */
  readonly many: boolean
}

const NONE: JsonStart = { sureness: 0, at: 0, many: false }

/** So many simple items tell as much as a name with its value. */
const LEAST_ITEMS = 4

/** Lines that are no JSON may stand before it, in so many units. */
const LONGEST_INTRODUCTION = 2_000
/** Share of the start that JSON takes at least, if it stands behind other lines, or if nothing in it has a name. */
const LEAST_SHARE = 0.5
/** Share of the start from which on lines before JSON say nothing of the text. */
const MOST_SHARE = 0.9
/** Places at which JSON behind other lines is looked for. */
const MOST_PLACES = 64
/** The beginning of a line that may be the first one of JSON. */
const LINE_START = /(?<=\n)[ \t]{0,8}(?=[[{])/g

/** Say how sure it is that a text is JSON, from its start and its end. */
export const recognizeJson: (text: JsonText) => JsonStart = perSubject(findJson)

function findJson(text: JsonText): JsonStart {
  const lines = [...text.start.slice(0, LONGEST_INTRODUCTION).matchAll(LINE_START)].slice(0, MOST_PLACES)
  for (const place of [beginning(text.start), ...lines.map(({ index, 0: blanks }) => index + blanks.length)]) {
    const found = place < 0 ? NONE : rate(text, place)
    if (found.sureness > 0) return found
  }
  return NONE
}

/** Say how sure it is that JSON begins at a place of a text. */
function rate({ contentType, start, isWhole, end }: JsonText, at: number): JsonStart {
  const declared = isJsonType(contentType)
  const checked = check(start.slice(at), !isWhole)
  if (checked === undefined) return NONE
  const { strict, pairs, items, values, whole, length } = checked
  const closes = end === undefined || /[\]}]\s*(?:\)\s*;?\s*)?$/.test(end) || values > 1
  const introduced = !/^[\ufeff\u001e\])}',\s]*$/.test(start.slice(0, at))
  // Next to nothing but JSON stands in the start of the text: the few lines before it do not tell what the text is.
  const isFilled = length >= start.length * MOST_SHARE && pairs + items >= LEAST_ITEMS
  // A value that a program prints among other lines does not make its output JSON.
  if (introduced && (!strict || (!isFilled && (pairs < 3 || length < start.length * LEAST_SHARE)))) return NONE
  const sure = strict
    ? pairs >= 1 || items >= LEAST_ITEMS || declared || whole > 0
      ? closes
        ? 0.95
        : 0.85
      : 0.6
    : pairs >= 3 || declared
      ? 0.8
      : 0.3
  const many = values > 1
  if (introduced) return { sureness: Math.min(sure, isFilled ? 0.93 : 0.7), at, many }
  return { sureness: declared && strict ? 0.97 : sure, at, many }
}

/** Whether a content type says that a text is JSON: `application/json`, or with the suffix of RFC 6839. */
export function isJsonType(contentType: string): boolean {
  return /^(?:application|text)\/(?:json5?|x-json)$|\+json$/.test(contentType)
}

/** Whether a content type says that a text is a row of JSON values. */
export function isJsonLinesType(contentType: string): boolean {
  return /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq|json-lines)$|\+json-seq$/.test(contentType)
}

/** Where the first value begins if nothing stands before it but what guards it; -1 if something does. */
function beginning(start: string): number {
  const first = /^[\ufeff\u001e\s]*/.exec(start)![0].length
  if (start[first] === '{' || start[first] === '[' || start[first] === '"') return first
  // Against the reading of JSON as a script, and JSONP.
  const guard = /^(?:\)\]\}'?,?|while\s*\(1\);|for\s*\(;;\);|\/\*\*\/\s*)?\s*(?:[\w$.]{1,80}\()?\s*(?=[[{])/.exec(
    start.slice(first, first + 200),
  )
  return guard !== null && guard[0] !== '' ? first + guard[0].length : -1
}

interface Checked {
  readonly strict: boolean
  /** Names with a colon after them, and values behind a comma or the start of an array. */
  readonly pairs: number
  readonly items: number
  readonly values: number
  /** Values that have ended. */
  readonly whole: number
  /** UTF-16 units of the values. */
  readonly length: number
}

const TOKEN =
  /\s+|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|(?:true|false|null)(?![\w$])|[[\]{},:]|\u001e/y
const LENIENT =
  /\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|'(?:[^'\\\n]|\\.)*'|[+-]?(?:Infinity|NaN|\.?\d[\w.]*)|[A-Za-z_$][\w$]*/y

/** A string or a comment that does not end. */
const OPEN_TOKEN = /"(?:[^"\\\n]|\\.)*\\?$|'(?:[^'\\\n]|\\.)*\\?$|\/(?:\*(?:[^*]|\*(?!\/))*)?$/y

/** Cut off the number or word that a text ends in: more of it may follow. */
function withoutLastWord(text: string): string {
  let end = text.length
  while (end > 0 && /[-+.\w$]/.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Read the start of a text token by token. Returns `undefined` if they do not stand where JSON has them. */
function check(start: string, cut: boolean): Checked | undefined {
  const text = cut ? withoutLastWord(start) : start
  const stack: string[] = []
  let strict = true
  let pairs = 0
  let items = 0
  let values = 0
  let whole = 0
  let length = 0
  let at = 0
  /** Where the current value begins. */
  let from = 0
  let hasOthers = false
  /** What came last: a value, a name, a colon, a comma, or an opening bracket. */
  let last = ''
  /** Read a token. Returns whether it may stand there. */
  const take = (): boolean => {
    TOKEN.lastIndex = at
    let token = TOKEN.exec(text)?.[0]
    if (token === undefined) {
      LENIENT.lastIndex = at
      token = LENIENT.exec(text)?.[0]
      if (token === undefined || stack.length === 0) return false
      if (token.startsWith('/')) {
        strict = false
        at += token.length
        return true
      }
      const name = /^[A-Za-z_$]/.test(token)
      if (name && !/^(?:NaN|Infinity|undefined|None|True|False)$/.test(token)) {
        // A bare name stands before a colon only.
        if (stack.at(-1) !== '{' || !/^\s*(?::|$)/.test(text.slice(at + token.length, at + token.length + 16)))
          return false
      }
      strict = false
      token = '"'
      at = LENIENT.lastIndex
    } else at = TOKEN.lastIndex
    const char = token[0]!
    if (char === '\u001e' || token.trim() === '') return true
    const open = stack.at(-1)
    if (char === '{' || char === '[') {
      if (open === undefined) {
        values++
        from = at - 1
      } else if (open === '{' ? last !== ':' : last === 'value') return false
      stack.push(char)
      last = char
    } else if (char === '}' || char === ']') {
      if (open !== (char === '}' ? '{' : '[') || last === ':' || last === 'name') return false
      if (last === ',') strict = false
      stack.pop()
      last = 'value'
      if (stack.length > 0) return true
      whole++
      length += at - from
    } else if (char === ':') {
      if (last !== 'name') return false
      last = ':'
      pairs++
    } else if (char === ',') {
      if (open === undefined || last !== 'value') return false
      last = ','
    } else if (open === '{' && last !== ':') {
      if (last === 'value') return false
      last = 'name'
    } else {
      if (open === undefined || (open === '[' && last === 'value')) return false
      if (open === '[') items++
      last = 'value'
    }
    return true
  }
  while (at < text.length) {
    const wasStrict: boolean = strict
    if (take()) continue
    OPEN_TOKEN.lastIndex = at
    if (cut && OPEN_TOKEN.test(text)) break
    if (whole === 0) return undefined
    // Lines that are no JSON may stand behind one whole value.
    hasOthers = true
    strict = wasStrict
    if (stack.length > 0) values--
    stack.length = 0
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end
  }
  if (stack.length > 0) length += text.length - from
  if (hasOthers && pairs === 0 && length < text.length * LEAST_SHARE) return undefined
  return { strict, pairs, items, values, whole, length }
}
