import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isFull, propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { MissingPeerError, type PreviewFallback } from '../preview-fallback.ts'
import { previewText } from '../preview-text.ts'
import { sourcePreviewer } from '../source/source-previewer.ts'
import { codePreviewer, grammarOutliner } from './code-previewer.ts'
import { OUTLINE_SAMPLES } from '../../test/outline-samples.ts'

const code = Array.from({ length: 300 }, (_, n) => `def step_${n}(\n    state,\n):\n    return state + ${n}\n\n`).join(
  '',
)
const call = { toolName: 'read_file', input: { path: 'steps.py' }, budgetTokens: 2_000 }

test('a code preview shows definitions beside their lines', async () => {
  const preview = await previewText(code, { ...call, previewers: [codePreviewer()] })
  expect(preview.startsWith('[Python, 1,500 lines')).toBe(true)
  expect(preview).toMatch(/\b1496\b.*step_299/)
})

test('a code preview uses patterns if a package is missing, and an event reports the missing package', async () => {
  const fallbacks: PreviewFallback[] = []
  const preview = await previewText(code, {
    ...call,
    previewers: [codePreviewer({ locate: () => undefined })],
    onFallback: (fallback) => void fallbacks.push(fallback),
  })
  expect(preview).toBe(await previewText(code, { ...call, previewers: [sourcePreviewer()] }))
  expect(fallbacks).toMatchObject([{ previewer: 'code', reason: 'peer-missing' }])
})

const outline = grammarOutliner()

test.runIf('threadCpuUsage' in process)(
  'time used by other processes does not count toward the time limit of an outline',
  async () => {
    let elapsed = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 1_000))
    onTestFinished(() => clock.mockRestore())
    expect((await outline(code, 'python'))?.length).toBe(300)
  },
)

test('the texts of a caller wait for one parser in turn with the texts of other callers', async () => {
  let order = ''
  await Promise.all(['a', 'a', 'b'].map((caller) => outline(code, 'python', caller).then(() => (order += caller))))
  expect(order).toBe('aba')
})

describe.each(Object.entries(OUTLINE_SAMPLES))('the outline of %s', (language, { code, names }) => {
  test('lists each definition with its first line, its last line and its depth', async () => {
    const symbols = await outline(code, language)
    expect(symbols?.map(({ name, line, endLine, depth }) => `${'  '.repeat(depth)}${line}-${endLine} ${name}`)).toEqual(
      names,
    )
  })

  test('is the same for lines that end with CR LF', async () => {
    const symbols = await outline(code.replaceAll('\n', '\r\n'), language)
    expect(symbols?.map(({ name, line }) => `${line} ${name}`)).toEqual(
      (await outline(code, language))?.map(({ name, line }) => `${line} ${name}`),
    )
  })

  test('names only existing lines if the code is cut at any position', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(code.length), async (length) => {
        const cut = code.slice(0, length)
        const lines = cut.split('\n')
        for (const { name, line, endLine } of (await outline(cut, language)) ?? []) {
          expect(lines[line - 1]).toContain(name.split('\n')[0])
          expect(endLine).toBeGreaterThanOrEqual(line)
          expect(endLine).toBeLessThanOrEqual(lines.length)
        }
      }),
      propertyRuns(8, 300),
    )
  })
})

test('definitions within functions are outlined if there are few other definitions', async () => {
  const code = `(function () {\n  function inner() {\n    return 1\n  }\n  inner()\n})()\n`
  expect((await outline(code, 'javascript'))?.map(({ name, line }) => [name, line])).toEqual([['inner', 2]])
})

test('a module around the whole file does not count as a level', async () => {
  const code = 'module Shop\n  class Cart\n    def add(item)\n      @items << item\n    end\n  end\nend\n'
  expect((await outline(code, 'ruby'))?.map(({ name, depth }) => [name, depth])).toEqual([
    ['Shop', 0],
    ['Cart', 0],
    ['add', 1],
  ])
})

test('methods declared outside of their types are outlined as members of these types', async () => {
  expect(
    (await outline('func (db *DB) Open() error {\n}\nfunc New() {\n}\n', 'go'))?.map(({ depth }) => depth),
  ).toEqual([1, 0])
  expect((await outline('void DB::Open() {\n}\n', 'cpp'))?.map(({ name, depth }) => [name, depth])).toEqual([
    ['Open', 1],
  ])
})

test('a declaration is outlined if the file does not define the name', async () => {
  const header = 'int open_file(const char *path);\nint close_file(int file);\n'
  expect((await outline(header, 'c'))?.map(({ name }) => name)).toEqual(['open_file', 'close_file'])
  const source = `static int open_file(const char *path);\n${'\n'.repeat(9)}static int open_file(const char *path)\n{\n  return 1;\n}\n`
  expect((await outline(source, 'c'))?.map(({ line }) => line)).toEqual([11])
})

test('a language without a grammar has no outline', async () => {
  expect(await outline('IDENTIFICATION DIVISION.', 'cobol')).toBeUndefined()
})

test('a language whose grammar is not installed has no outline', async () => {
  const without = grammarOutliner(() => undefined)
  expect(await without('fun main() {}', 'kotlin')).toBeUndefined()
})

test('the outliner names the missing package of most grammars', async () => {
  const without = grammarOutliner(() => undefined)
  await expect(without('package main', 'go')).rejects.toThrow(MissingPeerError)
  await expect(without('package main', 'go')).rejects.toThrow('@vscode/tree-sitter-wasm')
})

test('an option that is not a function is rejected', () => {
  expect(() => grammarOutliner('/grammars' as never)).toThrow(
    new TypeError('`locate` must be a function that finds the file of a grammar.'),
  )
})

test('definitions within functions and callbacks are left out if there are enough other definitions', async () => {
  const others = Array.from({ length: 8 }, (_, n) => `function outer${n}() {\n  function inner() {}\n}\n`).join('')
  const symbols = await outline(`${others}describe(() => {\n  function local() {}\n})\n`, 'javascript')
  expect(symbols?.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, (_, n) => `outer${n}`))
})

test('definitions within preprocessor conditions are outlined', async () => {
  const header =
    '#ifndef A_H\n#define A_H\nstruct a {\n  int b;\n};\n#if X\nint c(void);\n#else\nint d(void);\n#endif\n#endif\n'
  expect((await outline(header, 'c'))?.map(({ name }) => name)).toEqual(['a', 'c', 'd'])
})

test('long code is outlined by patterns', async () => {
  expect(await outline(code.repeat(10), 'python')).toBeUndefined()
})

describe('code made to break parsers', () => {
  const hostile: Readonly<Record<string, (length: number) => string>> = {
    'open brackets': (length) => '('.repeat(length),
    'open braces': (length) => '{'.repeat(length),
    'closed braces': (length) => '}'.repeat(length),
    'nested templates': (length) => '`${'.repeat(length / 3),
    'comments that never end': (length) => '/*'.repeat(length / 2),
    'strings that never end': (length) => '"\n'.repeat(length / 2),
    'conditions that never end': (length) => '#if A\n'.repeat(length / 6),
    'heredocs that never end': (length) =>
      `<?php ${Array.from({ length: length / 10 }, (_, n) => `<<<A${n}\n`).join('')}`,
    'raw strings that never end': (length) => Array.from({ length: length / 10 }, (_, n) => `R"a${n}(`).join(''),
    'classes in classes': (length) => 'class A {\n'.repeat(length / 10),
    'lists that never end': (length) => 'def f(\n'.repeat(length / 7),
    'blanks before braces': (length) => ' '.repeat(length / 2) + '{}'.repeat(length / 4),
    'one minified line': (length) =>
      '!function(e,t){var r=t(1);function n(e){return e?r(e):{a:1}}};'.repeat(length / 64),
    'lone surrogates': (length) => '\ud800{'.repeat(length / 2),
    'zero bytes': (length) => '\0'.repeat(length),
  }

  const languages = ['typescript', 'python', 'cpp', 'php', 'ruby', 'rust', 'csharp', 'go']

  test.each([...Object.keys(hostile).entries()])(
    'has no outline, or fewer definitions than characters: text %i, %s',
    async (index, name) => {
      const text = hostile[name]!(400_000)
      // Each language is tested with four of the texts, each text with two languages. A full run tests all pairs.
      for (const language of languages.filter((_, at) => isFull || (at - index) % 4 === 0)) {
        expect((await outline(text, language))?.length ?? 0, language).toBeLessThan(text.length)
      }
    },
  )
})

test('the outline of any text has only existing lines, or is absent', async () => {
  const languages = Object.keys(OUTLINE_SAMPLES)
  const pieces = fc.constantFrom(
    ...'{}()[]"\'`#/*<>\n\t \\$@:;=,'.split(''),
    ...[
      'class A',
      'def f',
      'function f',
      'fn f',
      '/*',
      '*/',
      '"""',
      '#if x\n',
      '#else\n',
      '#endif\n',
      '${',
      '<<<A\n',
      'R"(',
      "'a",
      '\ud800',
    ],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 200 }), fc.constantFrom(...languages), async (parts, language) => {
      const text = parts.join('')
      const lines = text.split('\n').length
      const symbols = await outline(text, language)
      for (const { line, endLine, depth } of symbols ?? []) {
        expect(line).toBeGreaterThanOrEqual(1)
        expect(endLine).toBeLessThanOrEqual(lines)
        expect(depth).toBeGreaterThanOrEqual(0)
      }
      expect(await outline(text, language)).toEqual(symbols)
    }),
    propertyRuns(50, 1_500),
  )
})

test('the C++ grammar reads C if the C grammar is not installed', async () => {
  const asCpp = grammarOutliner((file) =>
    file.startsWith('@vscode/') ? new URL(import.meta.resolve(file)) : undefined,
  )
  const { code } = OUTLINE_SAMPLES['c']!
  expect(await asCpp(code, 'c')).toEqual(await outline(code, 'c'))
})
