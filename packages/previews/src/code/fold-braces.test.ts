import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineIndents, foldBraces } from './fold-braces.ts'
import { LEXIS, type LexisName } from './lexis.ts'

const kept = { opens: /\bclass\b/, asked: new Set<number>() }
const fold = (code: string, language: LexisName = 'ecmascript'): string => foldBraces(code, LEXIS[language], kept).text

test('bodies are left out, and blocks that hold definitions stay', () => {
  expect(fold('class A {\n  b() {\n    c()\n  }\n}\nfunction d() { e() }\n')).toBe(
    'class A {\n  b() {}\n}\nfunction d() {}\n',
  )
})

test('braces in strings, templates, comments and regular expressions are none', () => {
  expect(fold('a("{"); b(`{${"{"}`); // {\nc(/[{]/) /* { */\nf() {x}\n')).toBe(
    'a("{"); b(`{${"{"}`); \nc(/[{]/) \nf() {}\n',
  )
})

test('long strings and long lists are emptied', () => {
  expect(fold(`a = "${'x'.repeat(99)}"\nb[${'1,'.repeat(99)}]\n`)).toBe('a = ""\nb[]\n')
})

test('a brace that was missed is made good for by indentation', () => {
  const code = "function a() {\n  return <p>Don't {b}</p>\n}\nfunction c() {\n  d\n}\n"
  expect(fold(code)).toBe('function a() {}\nfunction c() {}\n')
  expect(fold('function a() {\n  if (b) {\n}\nfunction c() {\n}\n')).toBe('function a() {}\nfunction c() {}\n')
})

test('lines that are indented by tabs and by blanks do not tell of each other', () => {
  expect(fold('class A {\n  b() {\n\t\tc {\n\t\t}\n\t}\n  d() {\n  }\n}\n')).toBe('class A {\n  b() {}\n  d() {}\n}\n')
})

test('a block that was asked for stays', () => {
  const code = 'f(() => {\n  g() {}\n})\n'
  const asked = new Set(foldBraces(code, LEXIS.ecmascript, kept).folded)
  expect(foldBraces(code, LEXIS.ecmascript, { ...kept, asked }).text).toBe(code)
})

test('of a statement that begins in two branches of a condition the first beginning stays', () => {
  expect(fold('#if A\nint f(int a)\n#else\nint f(long a)\n#endif\n{\n  x;\n}\n', 'c').replaceAll(/\n+/g, '\n')).toBe(
    '\nint f(int a)\n{}\n',
  )
  expect(fold('#if A\nint a;\n#else\nlong a;\n#endif\n', 'c').replaceAll(/\n+/g, '\n')).toBe('\nint a;\nlong a;\n')
})

test('each character of a skeleton stands in the code where it says, except for line ends and placeholders', () => {
  const pieces = fc.constantFrom(
    ...'{}()[]"\'`#/*<\n ;ab'.split(''),
    'class A',
    '//',
    '/*',
    '*/',
    '#if\n',
    '<?',
    '?>',
    '<<<A\n',
    'R"(',
  )
  fc.assert(
    fc.property(fc.array(pieces), fc.constantFrom(...(Object.keys(LEXIS) as LexisName[])), (parts, language) => {
      const code = parts.join('')
      const { text, originOf, folded } = foldBraces(code, LEXIS[language], kept)
      for (const [index, character] of text.split('').entries())
        if (character !== '\n' && character !== '_') expect(code[originOf(index)]).toBe(character)
      for (const start of folded) expect(code[start]).toBe('{')
    }),
  )
})

test('blanks count one column, and a tab goes to the next multiple of eight', () => {
  const at = (code: string): number => new LineIndents(code).at(0).indent
  expect(['a', '  a', '\ta', '  \ta', '\t a', ''].map(at)).toEqual([0, 2, 8, 8, 9, 0])
})

test('the first word stands behind what joins a line to the one before', () => {
  const at = (code: string): number => new LineIndents(code).at(0).wordIndent
  expect(['  ? {', '  : a', '  a ?', '  ...a', '  || a'].map(at)).toEqual([4, 4, 2, 5, 5])
})
