import { describe, expect, it } from 'vitest'
import { isJsonLinesType, isJsonType, recognizeJson } from './recognize-json.ts'

const textOf = (text: string, contentType = 'text/plain') => ({
  contentType,
  start: text.slice(0, 16_384),
  isWhole: text.length <= 16_384,
})

const sureness = (text: string, contentType = 'text/plain'): number => recognizeJson(textOf(text, contentType)).sureness
const issue = { id: 1, title: 'A', labels: ['x', 'y'], user: { login: 'ada', admin: false } }
const nine = Array.from({ length: 9 }, () => issue)

describe('recognizeJson', () => {
  it.each([
    ['an object', JSON.stringify(issue, null, 2)],
    ['an array on one line', JSON.stringify([issue, issue])],
    ['an array of strings', '["a", "b", "c"]'],
    ['a byte order mark', `\ufeff${JSON.stringify(issue)}`],
    ['a prefix against use as a script', `)]}',\n${JSON.stringify([issue])}`],
    ['a long string', JSON.stringify({ stdout: 'line\n'.repeat(9_000), code: 1 })],
    ['a long array', JSON.stringify(Array.from({ length: 900 }, () => issue))],
  ])('is at least 90 % confident for %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThanOrEqual(0.9)
  })

  it.each([
    ['objects', JSON.stringify({ items: nine })],
    ['objects on many lines', JSON.stringify({ items: nine }, null, 2)],
    ['numbers', JSON.stringify(Array.from({ length: 99 }, (_, index) => index * -1.5e21))],
    ['words', JSON.stringify(Array.from({ length: 99 }, () => [true, false, null]))],
    ['strings with escapes', JSON.stringify(Array(40).fill('\\"\n\u0001'))],
  ])('is as confident for %s, for any length of the start', (_, text) => {
    for (let end = 80; end < text.length; end++) {
      const start = text.slice(0, end)
      expect(recognizeJson({ ...textOf(start), isWhole: false }).sureness, start).toBe(0.95)
    }
  })

  it('is most confident if the content type confirms JSON', () => {
    expect(sureness(JSON.stringify(issue), 'application/json')).toBeGreaterThan(sureness(JSON.stringify(issue)))
  })

  it.each([
    ['comments and trailing commas', '{\n  // target\n  "a": 1, /* b */\n  "b": { "c": [1,], },\n}\n'],
    ['a long comment', `{ "a": 1, "b": 2, "c": 3, /* ${'long '.repeat(9_000)} */ "d": 4 }`],
    ['a printed Python value', "{'a': None, 'b': True, 'c': {'d': 1}}"],
    ['JSON cut off', JSON.stringify([issue, issue], null, 2).slice(0, -30)],
  ])('is at least 70 % confident for %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThanOrEqual(0.7)
  })

  it('finds JSON after a few words', () => {
    const { sureness: sure, at } = recognizeJson(textOf(`Status: 200\nResponse:\n${JSON.stringify(issue, null, 2)}`))
    expect([sure, at]).toEqual([0.7, 22])
  })

  it('finds JSON that begins at the end of a line of words', () => {
    expect(recognizeJson(textOf(`web1 | SUCCESS => ${JSON.stringify(issue, null, 2)}`)).at).toBe(18)
  })

  it.each([
    ['warnings', 'npm warn using --force\n'.repeat(20)],
    ['lines that begin with brackets', Array.from({ length: 30 }, (_, step) => `[info] loading ${step}\n`).join('')],
    ['a line of another script', 'größe wählen 😀\n'],
  ])('finds JSON after %s', (_, before) => {
    for (const json of [JSON.stringify(nine), `${JSON.stringify(issue)}\n`.repeat(9)]) {
      const { sureness: sure, at } = recognizeJson(textOf(before + json))
      expect(sure).toBeGreaterThanOrEqual(0.7)
      expect(at).toBe(before.length)
    }
  })

  it('is as confident for JSON after a warning as for JSON in a log, if all other text is JSON', () => {
    expect(sureness(`npm warn using --force\n${JSON.stringify(Array(200).fill('x'.repeat(99)))}`)).toBe(0.93)
    expect(sureness(`npm warn using --force\n${JSON.stringify(Array.from({ length: 200 }, () => issue))}`)).toBe(0.93)
  })

  it('does not recognize a log that contains one JSON value', () => {
    expect(sureness(`start\n${JSON.stringify(issue)}\n${'step done\n'.repeat(99)}`)).toBe(0)
  })

  it.each([
    ['JSON Lines', `${JSON.stringify(issue)}\n${JSON.stringify(issue)}\n`],
    ['a JSON text sequence', `\u001e${JSON.stringify(issue)}\n\u001e${JSON.stringify(issue)}\n`],
    ['documents one after another', `${JSON.stringify(issue, null, 2)}\n${JSON.stringify(issue, null, 2)}`],
    [
      'records with one broken record',
      `${`${JSON.stringify(issue)}\n`.repeat(3)}{"id":1,"ti\n${JSON.stringify(issue)}\n`,
    ],
  ])('recognizes %s as several values', (_, text) => {
    const { sureness: sure, many } = recognizeJson(textOf(text))
    expect(sure).toBeGreaterThanOrEqual(0.85)
    expect(many).toBe(true)
  })

  it.each([
    ['a log with levels', '[INFO] Scanning for projects...\n[INFO] ------\n[ERROR] Failed'],
    ['steps', '[1/5] Resolving packages...\n[2/5] Fetching packages...\n'],
    ['times', '[2024-05-17T10:21:00Z] started\n[2024-05-17T10:21:01Z] done\n'],
    ['numbered lines', '[12:00:01] step one\n[12:00:02] step two'],
    ['INI', '[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n'],
    ['TOML', '[package]\nname = "x"\n'],
    ['TOML tables of arrays', '[[bin]]\nname = "x"\n'],
    ['a Markdown link', '[Spillway](https://example.com) keeps results.\n'],
    ['a Markdown task', '[ ] write tests\n[x] write code\n'],
    ['a code block', '{\n  int x = 1;\n  return x;\n}\n'],
    ['a CSS rule', '{ color: red; margin: 0 }'],
    ['a template', '{{#if user}}\n<p>{{user.name}}</p>\n{{/if}}\n'],
    ['a Rust attribute', '[derive(Debug)]\nstruct A;\n'],
    ['a C# attribute', '[Serializable]\npublic class A {}\n'],
    ['a shell test', '[ -f x ] && echo yes\n'],
    ['quotations', '"To be or not to be", he said.\n"Maybe."\n'],
    ['prose', 'There are {3} items in [this] list.\n'],
    ['JavaScript', '(function () {\n  return { a: 1 }\n})()\n'],
    ['nothing', ''],
    ['brackets', '[[[[\n{{{{\n'],
  ])('does not recognize %s with any content type', (_, text) => {
    expect(sureness(text)).toBe(0)
    expect(sureness(text, 'application/json')).toBeLessThan(0.4)
  })
})

describe('the content type', () => {
  it.each(['application/json', 'text/json', 'application/ld+json', 'application/vnd.api+json'])(
    '%s is JSON',
    (type) => {
      expect([isJsonType(type), isJsonLinesType(type)]).toEqual([true, false])
    },
  )

  it.each(['application/x-ndjson', 'application/jsonl', 'application/json-seq'])('%s is JSON Lines', (type) => {
    expect([isJsonType(type), isJsonLinesType(type)]).toEqual([false, true])
  })
})
