/**
 * Functions that create a text of about a given length, in UTF-16 units. The texts break naive parsers of some format.
 */
export const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  'JSON of only opening brackets': (length) => '['.repeat(length),
  'JSON nested in objects': (length) => '{"a":'.repeat(length / 5),
  'JSON nested and closed': (length) => `${'[{"a":'.repeat(length / 8)}1${'}]'.repeat(length / 8)}`,
  'JSON with a key for every value': (length) => `{${entries(length / 14, (index) => `"key${index}":${index}`)}}`,
  'JSON with one long string': (length) => `{"text":"${'\\u00e9\\n'.repeat(length / 8)}"}`,
  'JSON with a string that never ends': (length) => `{"text":"${'x'.repeat(length)}`,
  'JSON of numbers without end': (length) => `[${'9'.repeat(length)}`,
  'JSON lines with different shapes': (length) =>
    Array.from({ length: length / 24 }, (_, index) => `{"k${index}":{"v${index % 7}":${index}}}`).join('\n'),
  'CSV of a million columns': (length) =>
    `${entries(length / 16, (index) => `c${index}`)}\n${entries(length / 16, String)}\n`,
  'CSV with a quote that never ends': (length) => `a,b,c\n1,2,"${'x,y\n'.repeat(length / 4)}`,
  'CSV of quotes': (length) => `a,b\n${'"",""\n'.repeat(length / 6)}`,
  'CSV of empty cells': (length) => `a,b,c\n${',,\n'.repeat(length / 3)}`,
  'Markdown table of pipes': (length) => `|a|b|\n|-|-|\n${'|'.repeat(length)}`,
  'open tags': (length) => `<!doctype html><html><body>${'<div>'.repeat(length / 5)}`,
  'open tags of many kinds': (length) => `<html><body>${'<table><tr><td><p><a><b>'.repeat(length / 24)}`,
  'less-than signs': (length) => `<html><body>${'<'.repeat(length)}`,
  'an attribute that never ends': (length) => `<html><body a="${'x'.repeat(length)}`,
  'a comment that never ends': (length) => `<html><!--${'-'.repeat(length)}`,
  'character references': (length) => `<html><body><p>${'&amp'.repeat(length / 8)}${'&#x1F600;'.repeat(length / 18)}`,
  'XML nested': (length) => `<?xml version="1.0"?>${'<a>'.repeat(length / 3)}`,
  'XML entities': (length) => `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "${'&b;'.repeat(length / 3)}">]><a>&b;</a>`,
  'opening parentheses of code': (length) => `function f() {\n${'('.repeat(length)}`,
  'opening braces of code': (length) => 'function f() {'.repeat(length / 14),
  'code on one line': (length) => 'function a(){return 1};var b={c:[1,2]};'.repeat(length / 39),
  'code of template strings': (length) => 'const a = `${'.repeat(length / 13),
  'a diff of headers': (length) => 'diff --git a/x b/x\n--- a/x\n+++ b/x\n'.repeat(length / 36),
  'a diff of hunks': (length) => `--- a/x\n+++ b/x\n${'@@ -1 +1 @@\n-a\n+b\n'.repeat(length / 18)}`,
  'a diff that claims too much': (length) =>
    `--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n${'+x\n'.repeat(length / 3)}`,
  'a heading that never ends': (length) => `# ${'#'.repeat(length)}`,
  'Markdown of headings': (length) => '# a\n## b\n'.repeat(length / 9),
  'fences that never close': (length) => '```\n~~~\n'.repeat(length / 8),
  'nested lists': (length) => lines(length, (index) => `${' '.repeat(index % 400)}- a`),
  'nested YAML': (length) => lines(length, (index) => `${' '.repeat(index % 2_000)}a:`),
  'YAML anchors': (length) => `a: &a [x]\n${'b: [*a, *a, *a]\n'.repeat(length / 16)}`,
  'YAML documents': (length) => '---\nkind: A\n'.repeat(length / 12),
  'folders without files': (length) => lines(length, (index) => `./a/${index}:\n`),
  'paths that grow': (length) => lines(length, (index) => 'a/'.repeat(index % 3_000)),
  'grep of one file': (length) => lines(length, (index) => `a.ts:${index + 1}:x`),
  'red lines': (length) => '\u001B[31mx\u001B[0m\n'.repeat(length / 11),
  'escapes that never end': (length) => `\u001B]8;;${'x'.repeat(length)}`,
  'escape characters': (length) => '\u001B['.repeat(length / 2),
  'carriage returns': (length) => '\r'.repeat(length),
  'progress bars': (length) => Array.from({ length: length / 20 }, (_, index) => `\rdownloading ${index}`).join(''),
  'different errors': (length) => lines(length, (index) => `error: ${index.toString(36)} in ${index}.c`),
  'stack frames': (length) => `Error: x\n${'    at f (a.js:1:1)\n'.repeat(length / 20)}`,
  'log lines of one word': (length) => 'error\n'.repeat(length / 6),
  'zero bytes': (length) => '\0'.repeat(length),
  'lone surrogates': (length) => '\uD83D'.repeat(length),
  'combining marks': (length) => `e${'\u0301'.repeat(length)}`,
  'joined emoji': (length) => '👩‍👩‍👧‍👦'.repeat(length / 11),
  'byte order marks': (length) => '\uFEFF'.repeat(length),
  newlines: (length) => '\n'.repeat(length),
  blanks: (length) => ' '.repeat(length),
  'one long word': (length) => 'x'.repeat(length),
  quotes: (length) => `'"\``.repeat(length / 3),
  dashes: (length) => '-'.repeat(length),
  'text right to left': (length) => '\u202Eשלום עולם '.repeat(length / 11),
  'Chinese on one line': (length) => '汉字没有空格'.repeat(length / 6),
}

function lines(length: number, line: (index: number) => string): string {
  const made: string[] = []
  for (let units = 0, index = 0; units < length; index++) {
    const next = line(index)
    made.push(next)
    units += next.length + 1
  }
  return made.join('\n')
}

function entries(count: number, entry: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => entry(index)).join(',')
}
