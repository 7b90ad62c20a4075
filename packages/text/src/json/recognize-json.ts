import { perSubject } from '../shared/per-subject.ts'

export interface JsonText {
  readonly contentType: string
  readonly start: string
  readonly isWhole: boolean
  readonly end?: string | undefined
}

export interface JsonStart {
  readonly sureness: number
  readonly at: number
  readonly many: boolean
}

const NONE: JsonStart = { sureness: 0, at: 0, many: false }
/** Number of array items that prove JSON as well as one member of an object. */
const LEAST_ITEMS = 4
/** Number of UTF-16 units at the start in which the JSON must begin. Other lines may precede it. */
const LONGEST_INTRODUCTION = 2_000
/** Smallest share of JSON in the start, if other lines are before the JSON or the JSON has no names. */
const LEAST_SHARE = 0.5
/** Share of JSON in the start from which the lines before the JSON do not matter. */
const MOST_SHARE = 0.9
const MOST_PLACES = 64
/** Matches the end of a JSON text, or of a JSONP call. A few lines of words may follow, such as messages of a program. */
const CLOSED = /[\]}]\s*(?:\)[\s;]*)?(?:\n[A-Za-z][^\n]*){0,3}$/
/** Matches the places where JSON may begin after other text: at the start of a line, or after words at its end. */
const PLACE = /[[{](?:(?<=\n[ \t]{0,8}.)|(?<=\S .)(?=\r?\n))/g

/** Compute the confidence that a text is JSON, from its start and end. */
export const recognizeJson: (text: JsonText) => JsonStart = perSubject(findJson)

function findJson(text: JsonText): JsonStart {
  const lines = [...text.start.slice(0, LONGEST_INTRODUCTION).matchAll(PLACE)].slice(0, MOST_PLACES)
  for (const place of [beginning(text.start), ...lines.map(({ index }) => index)]) {
    const found = place < 0 ? NONE : rate(text, place)
    if (found.sureness > 0) return found
  }
  return NONE
}

function rate({ contentType, start, isWhole, end }: JsonText, at: number): JsonStart {
  const declared = isJsonType(contentType)
  const checked = check(start.slice(at), !isWhole)
  if (checked === undefined) return NONE
  const { strict, pairs, items, values, whole, length } = checked
  const closes = end === undefined || CLOSED.test(end.trimEnd()) || values > 1
  const introduced = !/^[\ufeff\u001e\])}',\s]*$/.test(start.slice(0, at))
  // Nearly all of the start is JSON, so the few lines before the JSON are irrelevant.
  const isFilled = length >= start.length * MOST_SHARE && pairs + items >= LEAST_ITEMS
  // If a program prints one JSON value among other lines, its output is not JSON.
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

export function isJsonType(contentType: string): boolean {
  return /^(?:application|text)\/(?:json5?|x-json)$|\+json$/.test(contentType)
}

export function isJsonLinesType(contentType: string): boolean {
  return /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq|json-lines)$|\+json-seq$/.test(contentType)
}

function beginning(start: string): number {
  const first = /^[\ufeff\u001e\s]*/.exec(start)![0].length
  if (start[first] === '{' || start[first] === '[' || start[first] === '"') return first
  // A prefix that prevents loading JSON as a script, or a JSONP call.
  const guard = /^(?:\)\]\}'?,?|while\s*\(1\);|for\s*\(;;\);|\/\*\*\/\s*)?\s*(?:[\w$.]{1,80}\()?\s*(?=[[{])/.exec(
    start.slice(first, first + 200),
  )
  return guard !== null && guard[0] !== '' ? first + guard[0].length : -1
}

const TOKEN =
  /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\s+|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|(?:true|false|null)(?![\w$])|[[\]{},:]|\u001e/y
const LENIENT =
  /\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|'(?:[^'\\\n]|\\.)*'|[+-]?(?:Infinity|NaN|\.?\d[\w.]*)|[A-Za-z_$][\w$]*/y

const OPEN_TOKEN = /"(?:[^"\\\n]|\\.)*\\?$|'(?:[^'\\\n]|\\.)*\\?$|\/(?:\*(?:[^*]|\*(?!\/))*)?$/y

function withoutLastWord(text: string): string {
  let end = text.length
  while (end > 0 && /[-+.\w$]/.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

function check(start: string, cut: boolean) {
  const text = cut ? withoutLastWord(start) : start
  const stack: string[] = []
  let strict = true
  let pairs = 0
  let items = 0
  let values = 0
  let whole = 0
  let length = 0
  let at = 0
  let from = 0
  let hasOthers = false
  /** Kind of the last token: a value, a name, a colon, a comma, or an opening bracket. */
  let last = ''
  const take = (): boolean => {
    let char = text[at]!
    if (char === ' ' || char === '\n') {
      while (text[++at] === ' ');
      return true
    }
    TOKEN.lastIndex = at
    if ('{}[],:'.includes(char)) at++
    else if (TOKEN.test(text)) at = TOKEN.lastIndex
    else {
      LENIENT.lastIndex = at
      const token = LENIENT.exec(text)?.[0]
      if (token === undefined || stack.length === 0) return false
      if (token.startsWith('/')) {
        strict = false
        at += token.length
        return true
      }
      const name = /^[A-Za-z_$]/.test(token)
      if (name && !/^(?:NaN|Infinity|undefined|None|True|False)$/.test(token)) {
        // A name without quotes is only valid before a colon.
        if (stack.at(-1) !== '{' || !/^\s*(?::|$)/.test(text.slice(at + token.length, at + token.length + 16)))
          return false
      }
      strict = false
      char = '"'
      at = LENIENT.lastIndex
    }
    if (char === '\u001e' || char.trim() === '') return true
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
    // Other lines may follow if there is at least one whole value.
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
