import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonTokenizer } from './json-tokenizer.ts'
import type { JsonSink } from './json-scan.ts'

/** Records the parts that it receives, and builds the values from them. */
class Recorder implements JsonSink {
  readonly values: unknown[] = []
  readonly events: string[] = []
  readonly #stack: unknown[] = []
  readonly #keys: string[] = []
  #long = ''

  open(isObject: boolean, offset: number, line: number): void {
    this.events.push(`${isObject ? '{' : '['}@${offset},${line}`)
    this.#stack.push(isObject ? {} : [])
    this.#keys.push('')
  }

  close(offset: number, line: number): void {
    this.events.push(`end@${offset},${line}`)
    const value = this.#stack.pop()
    this.#keys.pop()
    this.#add(value)
  }

  key(text: string, start: number, end: number, offset: number, line: number): void {
    const key = text.slice(start, end)
    this.events.push(`key ${key}@${offset},${line}`)
    this.#keys[this.#keys.length - 1] = key
  }

  string(text: string, start: number, end: number, offset: number, line: number): void {
    this.events.push(`string@${offset},${line}`)
    this.#add(JSON.parse(`"${text.slice(start, end)}"`))
  }

  openString(offset: number, line: number): void {
    this.events.push(`string@${offset},${line}`)
    this.#long = ''
  }

  stringPart(text: string, start: number, end: number): void {
    this.#long += text.slice(start, end)
  }

  closeString(): void {
    this.#add(this.#long)
  }

  plain(text: string, start: number, end: number, offset: number, line: number, isNumber: boolean): void {
    this.events.push(`${isNumber ? 'number' : 'word'}@${offset},${line}`)
    const word = text.slice(start, end)
    if (isNumber) this.#add(Number(word))
    else this.#add(word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : word)
  }

  abandon(offset: number): void {
    this.events.push(`abandon@${offset}`)
    this.#stack.length = 0
  }

  stray(line: number): void {
    this.events.push(`stray,${line}`)
  }

  #add(value: unknown): void {
    const parent = this.#stack.at(-1)
    if (Array.isArray(parent)) parent.push(value)
    else if (parent === undefined) this.values.push(value)
    else Object.defineProperty(parent, this.#keys.at(-1)!, { value, enumerable: true, configurable: true })
  }
}

function read(text: string, cuts: readonly number[] = []): Recorder & { readonly tokenizer: JsonTokenizer } {
  const recorder = new Recorder()
  const tokenizer = new JsonTokenizer(recorder)
  let from = 0
  for (const cut of [...cuts.toSorted((one, other) => one - other), text.length]) {
    tokenizer.push(text.slice(from, cut))
    from = Math.max(from, cut)
  }
  tokenizer.finish()
  return Object.assign(recorder, { tokenizer })
}

/** Documents whose keys need no escapes, because the recorder does not decode keys. */
const key = fc.stringMatching(/^[a-zA-Z0-9 _.:{}[\],-]*$/)
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json')),
    fc.dictionary(key, tie('json')),
  ),
}))
const document = fc.oneof(fc.array(json), fc.dictionary(key, json))

describe('JsonTokenizer', () => {
  it('reads every document of RFC 8259, indented or not', () => {
    fc.assert(
      fc.property(document, fc.nat(3), (value, indent) => {
        expect(read(JSON.stringify(value, null, indent)).values).toEqual([JSON.parse(JSON.stringify(value))])
      }),
    )
  })

  it('returns the same tokens for any chunks', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(200)), (value, cuts) => {
        const text = JSON.stringify(value, null, 1).repeat(3)
        const inBounds = cuts.map((cut) => cut % (text.length + 1))
        expect(read(text, inBounds).events).toEqual(read(text).events)
      }),
    )
  })

  it('returns the same tokens if chunks end inside long strings, comments and escapes', () => {
    const long = JSON.stringify({ a: `${'é\\"\n'.repeat(9_000)}end`, b: 1 })
    const text = `[${'{"x":1}, /* a "comment" */\n'.repeat(3_000)}${long}]`
    const whole = read(text)
    expect(whole.tokenizer.broken).toBeUndefined()
    for (const step of [1, 7, 4_099, 32_768, 40_001]) {
      const cuts = Array.from({ length: Math.floor(text.length / step) }, (_, index) => (index + 1) * step)
      const cut = read(text, cuts)
      expect(cut.events).toEqual(whole.events)
      expect(cut.values).toEqual(whole.values)
    }
  })

  it('continues after a comment, even if a chunk ends inside the end of the comment', () => {
    const text = `/*${'c'.repeat(40_000)}*/{"a":1}`
    for (const cut of [40_001, 40_002, 40_003, 40_004]) expect(read(text, [cut]).values).toEqual([{ a: 1 }])
  })

  it('returns offsets and lines', () => {
    const { events } = read('{\n  "a": [1,\r\n    "x"],\n  "b": true\n}')
    expect(events).toEqual([
      ...['{@0,1', 'key a@4,2', '[@9,2', 'number@10,2', 'string@18,3', 'end@22,3', 'key b@26,4', 'word@31,4'],
      'end@37,5',
    ])
  })

  it('counts line feeds in strings, even after a backslash', () => {
    const { events } = read('{"a\n": 1, "b\\\n\\"": 2}')
    expect(events).toEqual(['{@0,1', 'key a\n@1,1', 'number@7,2', 'key b\\\n\\"@10,2', 'number@19,3', 'end@21,3'])
  })

  it.each([
    ['comments', '/* c */{"a": /* x */ 1, // "b": 2\n"c": 3}', [{ a: 1, c: 3 }]],
    ['trailing commas', '{"a": [1, 2,], "b": {},}', [{ a: [1, 2], b: {} }]],
    ['single quotes and bare keys', "{a: 'x', $b_1: 'y'}", [{ a: 'x', $b_1: 'y' }]],
    ['output of Python', "{'a': None, 'b': True, 'c': nan}", [{ a: 'None', b: 'True', c: 'nan' }]],
    ['a byte order mark', '\ufeff{"a": 1}', [{ a: 1 }]],
    ['JSONP', 'app.callback({"a": 1});', [{ a: 1 }]],
    ['a prefix that prevents loading as a script', ")]}',\n[1]", [[1]]],
    ['one value on each line', '{"a":1}\n{"a":2}\r\n\n{"a":3}\n', [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ['values one after another', '{"a":1}{"a":2} [3]', [{ a: 1 }, { a: 2 }, [3]]],
    ['values among other lines', '[1]\n[INFO] up\n{"a":2}\n[build failed]\n[[3]]\n[', [[1], { a: 2 }, [[3]]]],
    ['record separators', '\u001e{"a":1}\n\u001e{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ])('accepts %s', (_, text, values) => {
    const { values: got, tokenizer } = read(text)
    expect(got.map((value) => JSON.stringify(value).replaceAll("'", '"'))).toEqual(
      values.map((value) => JSON.stringify(value)),
    )
    expect(tokenizer.broken).toBeUndefined()
  })

  it.each([
    ['[1, 2}', 5],
    ['{"a": 1, : 2}', 9],
    ['{"a": word}', 6],
    ['[1, #]', 4],
  ])('returns the position at which %s stops being JSON', (text, offset) => {
    expect(read(text).tokenizer.broken).toEqual({ offset, line: 1 })
  })

  it('continues on the next line if a value is incomplete at the end of its line', () => {
    const { values, tokenizer } = read('{"a":1}\n{"a":2}\n{"a":3}\n{"a":{"b":"x\n{"a":5}\n{"a":6}}\n{"a":7}')
    expect(values).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 5 }, { a: 6 }, { a: 7 }])
    expect([tokenizer.abandoned, tokenizer.byLine]).toEqual([1, true])
  })

  it('skips lines between values that are not JSON', () => {
    const { values, events } = read('{"a":1}\nServer listening on {port}\n{"a":2}\n')
    expect(values).toEqual([{ a: 1 }, { a: 2 }])
    expect(events).toContain('stray,2')
  })
})
