import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'

const word = fc.constantFrom(
  'alpha',
  'beta',
  'delta',
  'größe',
  '数据',
  'emoji😀',
  'x',
  '10.0.0.1',
  'status',
  'FAILED',
  'error',
)
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))
const list = <Item>(item: fc.Arbitrary<Item>, most = 120): fc.Arbitrary<Item[]> =>
  fc.array(item, { minLength: 1, maxLength: most })
const joined = (item: fc.Arbitrary<string>, by = '\n', most = 120): fc.Arbitrary<string> =>
  list(item, most).map((items) => items.join(by))

const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
const records = list(
  fc.record({ id: fc.nat(), name: sentence, 'a b': fc.option(fc.boolean()), tags: fc.array(word, { maxLength: 4 }) }),
)
const cell = fc.oneof(word, fc.nat(100_000).map(String), fc.constantFrom('', '"a ""b"", c"', '"two\nlines"'))

/** Random texts of each kind that core previewers support, realistic enough to be recognized. */
export const SAMPLE_TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  log: joined(
    fc
      .tuple(fc.nat(59), fc.constantFrom('INFO', 'WARN', 'ERROR', 'DEBUG'), sentence)
      .map(([second, level, text]) => `2024-05-17T10:21:${String(second).padStart(2, '0')}.482Z ${level} ${text}`),
    '\n',
    400,
  ),
  'build output': joined(
    fc.oneof(
      sentence.map((text) => `Compiling ${text}`),
      fc.constantFrom(
        'src/a.c:1:2: error: expected ;',
        '    1 | int x',
        'FAILED tests/t.py::case',
        'make: *** [all] Error 2',
        'exited with 2',
        '',
      ),
    ),
    '\n',
    400,
  ),
  'JSON, indented': fc.oneof(json, records).map((value) => JSON.stringify(value, null, 2)),
  'JSON on one line': fc.oneof(json, records).map((value) => JSON.stringify(value)),
  'cut JSON': records.map((value) => JSON.stringify(value, null, 2).slice(0, -20)),
  'JSON lines': records.map((values) => values.map((value) => JSON.stringify(value)).join('\n')),
  CSV: fc
    .tuple(fc.integer({ min: 2, max: 6 }), list(fc.tuple(cell, cell, cell, cell, cell, cell)))
    .map(([columns, rows]) =>
      [['id', 'name', 'city', 'born', 'size', 'note'], ...rows]
        .map((row) => row.slice(0, columns).join(','))
        .join('\n'),
    ),
  'aligned columns': list(fc.tuple(word, fc.nat(99_999), word)).map((rows) =>
    [['NAME', 'PID', 'STATE'], ...rows]
      .map(([one, two, three]) => `${one.padEnd(16)}${String(two).padEnd(8)}${three}`)
      .join('\n'),
  ),
  'Markdown table': list(fc.tuple(word, fc.nat())).map((rows) =>
    ['| name | count |', '| --- | --- |', ...rows.map(([one, two]) => `| ${one} | ${two} |`)].join('\n'),
  ),
  paths: joined(fc.array(word, { minLength: 1, maxLength: 5 }).map((parts) => `./${parts.join('/')}.ts`)),
  'ls -R': joined(fc.tuple(word, list(word, 8)).map(([folder, names]) => `./${folder}:\n${names.join('\n')}\n`)),
  'grep -n': joined(
    fc.tuple(word, fc.nat(999), sentence).map(([file, line, text]) => `src/${file}.ts:${line + 1}:  ${text}`),
  ),
  diff: joined(
    fc.tuple(word, list(fc.tuple(fc.constantFrom(' ', '+', '-'), sentence), 12)).map(([file, changes]) => {
      const removed = changes.filter(([mark]) => mark !== '+').length
      const added = changes.filter(([mark]) => mark !== '-').length
      const body = changes.map(([mark, text]) => mark + text).join('\n')
      return `diff --git a/${file} b/${file}\nindex 1..2 100644\n--- a/${file}\n+++ b/${file}\n@@ -1,${removed} +1,${added} @@\n${body}`
    }),
    '\n',
    20,
  ),
  Markdown: joined(
    fc.oneof(
      sentence.map((text) => `## ${text}`),
      joined(sentence, ' ', 20),
      joined(
        sentence.map((text) => `- ${text}`),
        '\n',
        6,
      ),
      sentence.map((text) => `\`\`\`ts\nconst a = '${text}'\n\`\`\``),
    ),
    '\n\n',
  ),
  prose: joined(
    joined(
      sentence.map((text) => `${text}.`),
      ' ',
      20,
    ),
    '\n\n',
    30,
  ),
  YAML: joined(
    fc
      .tuple(word, list(fc.tuple(word, sentence), 6))
      .map(([key, values]) => `${key}:\n${values.map(([name, value]) => `  - ${name}: ${value}`).join('\n')}`),
  ),
  XML: joined(
    fc.tuple(word, sentence).map(([name, text]) => `<item id="${name}"><title>${text}</title></item>`),
    '\n',
  ).map((items) => `<?xml version="1.0"?>\n<items>\n${items}\n</items>`),
  HTML: joined(
    fc.tuple(sentence, sentence).map(([title, text]) => `<h2>${title}</h2>\n<p>${text} <a href="/x">${title}</a></p>`),
    '\n',
  ).map(
    (body) =>
      `<!doctype html>\n<html><head><title>t</title></head><body><nav><a href="/">home</a></nav>\n${body}\n</body></html>`,
  ),
  'source code': joined(
    fc
      .tuple(fc.nat(99), sentence)
      .map(
        ([index, text]) =>
          `export function step${index}(value: string): string {\n  // ${text}\n  return value + ${index}\n}\n`,
      ),
  ),
  'numbered source code': joined(
    fc
      .tuple(fc.nat(99), sentence)
      .map(([index, text]) => `def step${index}(value):\n    # ${text}\n    return value\n`),
  ).map((text) =>
    text
      .split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join('\n'),
  ),
  anything: fc.string({ maxLength: 4_000, unit: codePoint }),
}
