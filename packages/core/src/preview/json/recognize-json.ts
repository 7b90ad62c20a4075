import { perSubject } from '../../content/per-subject.ts'
import type { TextSubject } from '../previewer.ts'

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

/** Words of a sentence may stand before JSON, in so many units. */
const LONGEST_INTRODUCTION = 400

/** Say how sure it is that a text is JSON, from its start and its end. */
export const recognizeJson: (subject: TextSubject) => JsonStart = perSubject(findJson)

function findJson({ contentType, start, isWhole, end }: TextSubject): JsonStart {
  const at = beginning(start)
  if (at < 0) return NONE
  const declared = isJsonType(contentType)
  const { strict, lenient, pairs, items, values, complete } = check(start.slice(at), !isWhole)
  if (!lenient) return NONE
  const closes = end === undefined || /[\]}]\s*(?:\)\s*;?\s*)?$/.test(end) || values > 1
  const introduced = !/^[\ufeff\u001e\])}',\s]*$/.test(start.slice(0, at))
  if (introduced && (!strict || pairs < 3)) return NONE
  const sure = strict
    ? pairs >= 1 || items >= LEAST_ITEMS || declared || complete
      ? closes
        ? 0.95
        : 0.85
      : 0.6
    : pairs >= 3 || declared
      ? 0.8
      : 0.3
  return { sureness: introduced ? Math.min(sure, 0.7) : declared && strict ? 0.97 : sure, at, many: values > 1 }
}

/** Whether a content type says that a text is JSON: `application/json`, or with the suffix of RFC 6839. */
export function isJsonType(contentType: string): boolean {
  return /^(?:application|text)\/(?:json5?|x-json)$|\+json$/.test(contentType)
}

/** Whether a content type says that a text is a row of JSON values. */
export function isJsonLinesType(contentType: string): boolean {
  return /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq|json-lines)$|\+json-seq$/.test(contentType)
}

/** Where the first value begins; -1 where none does. */
function beginning(start: string): number {
  const first = /^[\ufeff\u001e\s]*/.exec(start)![0].length
  if (start[first] === '{' || start[first] === '[' || start[first] === '"') return first
  // Against the reading of JSON as a script, and JSONP.
  const guard = /^(?:\)\]\}'?,?|while\s*\(1\);|for\s*\(;;\);|\/\*\*\/\s*)?\s*(?:[\w$.]{1,80}\()?\s*(?=[[{])/.exec(
    start.slice(first, first + 200),
  )
  if (guard !== null && guard[0] !== '') return first + guard[0].length
  const line = /(?:^|\n)[ \t]{0,8}(?=[[{])/.exec(start.slice(0, LONGEST_INTRODUCTION))
  return line === null ? -1 : line.index + line[0].length
}

interface Checked {
  readonly strict: boolean
  readonly lenient: boolean
  /** Names with a colon after them, and values behind a comma or the start of an array. */
  readonly pairs: number
  readonly items: number
  readonly values: number
  readonly complete: boolean
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

/** Read the start of a text token by token, and tell whether they stand where JSON has them. */
function check(start: string, cut: boolean): Checked {
  const text = cut ? withoutLastWord(start) : start
  const stack: string[] = []
  let strict = true
  let pairs = 0
  let items = 0
  let values = 0
  let at = 0
  /** What came last: a value, a name, a colon, a comma, or an opening bracket. */
  let last = ''
  let complete = false
  /** Values that have ended. */
  let whole = 0
  const fail = (): Checked => {
    // What follows one whole value is no part of it.
    const after = complete && stack.length === 0
    OPEN_TOKEN.lastIndex = at
    const isOpen = cut && OPEN_TOKEN.test(text)
    return {
      strict: strict && (after || isOpen || whole > 1),
      lenient: (after && pairs > 0) || isOpen || whole > 1,
      pairs,
      items,
      values,
      complete,
    }
  }
  while (at < text.length) {
    TOKEN.lastIndex = at
    let token = TOKEN.exec(text)?.[0]
    if (token === undefined) {
      LENIENT.lastIndex = at
      token = LENIENT.exec(text)?.[0]
      if (token === undefined) return fail()
      if (stack.length === 0) return fail()
      if (token.startsWith('/')) {
        strict = false
        at += token.length
        continue
      }
      const name = /^[A-Za-z_$]/.test(token)
      if (name && !/^(?:NaN|Infinity|undefined|None|True|False)$/.test(token)) {
        // A bare name stands before a colon only.
        if (stack.at(-1) !== '{' || !/^\s*:/.test(text.slice(at + token.length, at + token.length + 16))) return fail()
      }
      strict = false
      token = '"'
      at += LENIENT.lastIndex - at
    } else at += token.length
    const char = token[0]!
    if (char === '\u001e' || token.trim() === '') continue
    const open = stack.at(-1)
    if (char === '{' || char === '[') {
      if (open === undefined) values++
      else if (open === '{' ? last !== ':' : last === 'value') return fail()
      stack.push(char)
      last = char
    } else if (char === '}' || char === ']') {
      if (open !== (char === '}' ? '{' : '[') || last === ':' || last === 'name') return fail()
      if (last === ',') strict = false
      stack.pop()
      last = 'value'
      if (stack.length === 0) {
        complete = true
        whole++
      }
    } else if (char === ':') {
      if (last !== 'name') return fail()
      last = ':'
      pairs++
    } else if (char === ',') {
      if (open === undefined) return fail()
      if (last !== 'value') return fail()
      last = ','
    } else if (open === '{' && last !== ':') {
      if (last === 'value') return fail()
      last = 'name'
    } else {
      if (open === undefined || (open === '[' && last === 'value')) return fail()
      if (open === '[') items++
      last = 'value'
    }
  }
  return { strict, lenient: true, pairs, items, values, complete: complete && stack.length === 0 }
}
