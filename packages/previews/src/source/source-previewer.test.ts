import { isFull, propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { cleanLine, estimateTokens } from '@spillway/text/internal'
import { toolIntent } from '../detect/tool-intent.ts'
import type { Outliner, OutlineSymbol } from './outline.ts'
import { completeOutline, patternOutline, promisingLines } from './read-source.ts'
import { sourcePreviewer } from './source-previewer.ts'
import { codeLines } from './code-lines.ts'
import { DEFINITION_RULES } from './definition-rules.ts'
import { SourceLines } from './source-lines.ts'

const showLines = (start: number, end: number): string => `lines ${start}-${end}`

async function preview(
  text: string,
  budgetTokens: number,
  input: unknown = { path: 'a.go' },
  outline?: Outliner,
  cuts: readonly number[] = [],
): Promise<string | undefined> {
  const toolName = 'read_file'
  const subject = {
    toolName,
    input,
    intent: toolIntent(toolName, input),
    contentType: 'text/plain',
    start: text.slice(0, 16_384),
    isWhole: text.length <= 16_384,
  }
  const reader = sourcePreviewer(outline).read(subject)
  let from = 0
  for (const cut of [...cuts, text.length]) {
    reader.push(text.slice(from, cut))
    from = cut
  }
  return (await reader.finish(subject))?.({ budgetTokens, countTokens: estimateTokens, showLines })
}

const body = (size: number): string =>
  Array.from({ length: size }, (_, line) => `\tresult = combine(result, values[${line}])`).join('\n')
const goFunction = (index: number, size = 6): string =>
  `// Step${index} does the work of a step.\nfunc Step${index}(values []int) int {\n${body(size)}\n\treturn result\n}\n`
const GO = `package steps\n\nimport (\n\t"fmt"\n)\n\n${Array.from({ length: 40 }, (_, index) => goFunction(index)).join('\n')}`
const numbered = (text: string, first = 1): string =>
  text
    .split('\n')
    .map((line, index) => `${String(first + index).padStart(6)}→${line}`)
    .join('\n')

/** Return the lines that a preview shows, and the number of lines that its gaps mention. */
function accounted(shown: string, text: string): { lines: number[]; hidden: number } {
  const source = text.split('\n')
  const lines: number[] = []
  let next = 1
  let hidden = 0
  for (const part of shown.split('\n').slice(1)) {
    const gap = /^\[… ([\d,]+) lines?(?:: .*)?\]$/.exec(part)
    const number = /^(\d+)\| /.exec(part)
    if (gap !== null) {
      hidden += Number(gap[1]!.replaceAll(',', ''))
      next += Number(gap[1]!.replaceAll(',', ''))
    } else if (!/^\d+(?:, \d+)* [\w.]+$/.test(part) || source[next - 1] === part) {
      if (number !== null && !source[next - 1]!.startsWith(number[0])) expect(Number(number[1])).toBe(next)
      const line = number === null ? part : part.slice(number[0].length)
      expect(cleanLine(source[next - 1]!)).toContain(line.replace(/\[…\]$/, ''))
      lines.push(next)
      next++
    }
  }
  return { lines, hidden }
}

test('a preview names the longest inner definitions if not all of them fit', async () => {
  const method = (index: number, size: number): string =>
    `  def step_${index}(values)\n${'    total += combine(values)\n'.repeat(size)}    total\n  end\n`
  const errors = Array.from({ length: 9 }, (_, index) => `class Failure${index} < StandardError; end\n`).join('')
  const methods = Array.from({ length: 120 }, (_, index) => method(index, index === 70 ? 30 : 8)).join('\n')
  const shown = (await preview(`${errors}\nclass Store\n${methods}end\n`, 300, { path: 'store.rb' }))!
  expect(shown).toMatch(/\n\d+ step_70$/m)
  expect(shown.match(/^\d+ step_\d+$/gm)!.length).toBeGreaterThan(5)
})

describe('a preview of source code', () => {
  it('has the language and the number of lines, and the name of each definition beside its line', async () => {
    const shown = (await preview(GO, 400))!
    expect(shown.split('\n')[0]).toBe(`[Go, ${GO.split('\n').length - 1} lines, 40 definitions]`)
    const source = GO.split('\n')
    for (let index = 0; index < 40; index++) {
      const line = source.findIndex((each) => each.startsWith(`func Step${index}(`)) + 1
      expect(shown).toMatch(new RegExp(`^${line}(?: |\\| func )Step${index}\\b`, 'm'))
    }
  })

  it('accounts for every line, which is shown or counted in a gap', async () => {
    const sources = fc
      .array(fc.tuple(fc.nat(9), fc.constantFrom('', '\n', '\n\n\n', '\tx := 1\n', '\t// note\n', '12 names\n')), {
        minLength: 1,
        maxLength: 60,
      })
      .map((parts) => parts.map(([size, between], index) => goFunction(index, size) + between).join(''))
    await fc.assert(
      fc.asyncProperty(sources, fc.integer({ min: 40, max: 3_000 }), async (text, budget) => {
        const shown = await preview(text, budget)
        if (shown === undefined || shown === '') return
        const { lines, hidden } = accounted(shown, text)
        // A blank line at the end may be missing.
        const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
        expect([count, text.endsWith('\n\n') ? count - 1 : count]).toContain(lines.length + hidden)
      }),
      propertyRuns(20, 600),
    )
  })

  it('is the same for any chunks of the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(GO.length), { maxLength: 20 }), async (cuts) => {
        const sorted = cuts.toSorted((one, other) => one - other)
        expect(await preview(GO, 300, undefined, undefined, sorted)).toBe(await preview(GO, 300))
      }),
      propertyRuns(8, 200),
    )
  })

  it('shows more lines for a larger budget, and all lines if they fit', async () => {
    let before = 0
    for (const budget of [100, 400, 1_000, 3_000]) {
      const tokens = estimateTokens((await preview(GO, budget))!)
      expect(tokens).toBeLessThanOrEqual(budget)
      expect(tokens).toBeGreaterThan(before)
      before = tokens
    }
    const all = (await preview(GO, 100_000))!
    expect(accounted(all, GO)).toMatchObject({ hidden: 0 })
  })

  it.each([1, 2, 3, 5, 8, 13, 21, 34])('fits even into %d tokens', async (budget) => {
    expect(estimateTokens((await preview(GO, budget))!)).toBeLessThanOrEqual(budget)
  })

  it('removes the line numbers that a tool added, and shows the line numbers of the text', async () => {
    const shown = (await preview(numbered(GO), 400))!
    expect(shown).not.toContain('→')
    expect(shown.split('\n')[0]).toMatch(/^\[Go, \d+ lines, 40 definitions\]$/)
    const part = (await preview(numbered(GO, 101), 400))!
    expect(part.split('\n')[0]).toContain('; file line = number + 100]')
  })

  it('has the line numbers of the file if the call read a part of it', async () => {
    const lines = GO.split('\n').slice(0, 200).join('\n')
    const shown = (await preview(lines, 300, { command: 'sed -n 51,250p a.go' }))!
    expect(shown.split('\n')[0]).toContain('; file line = number + 50]')
  })

  it('shows the lines, definitions and words that the call looks for', async () => {
    const source = GO.split('\n')
    const line = source.findIndex((each) => each.startsWith('func Step31(')) + 4
    for (const input of [
      { path: `a.go:${line}` },
      { path: 'a.go', pattern: 'Step31' },
      { path: 'a.go', query: 'what does `Step31` do' },
    ]) {
      const { lines } = accounted((await preview(GO, 500, input))!, GO)
      expect(lines, JSON.stringify(input)).toEqual(expect.arrayContaining([line - 3, line - 2]))
    }
  })

  it('shows both sides of a conflict first', async () => {
    const conflict = '<<<<<<< HEAD\n\tcount := 1\n=======\n\tcount := 2\n>>>>>>> branch'
    const text = `${GO}func Last() {\n${conflict}\n}\n${GO}`
    expect(await preview(text, 700)).toContain(conflict)
  })

  it.each([
    'cat: src/missing.go: No such file or directory',
    'jq: error (at <stdin>:200): Cannot index number',
    'Error from server (Timeout): the request timed out',
    'warning: 3 files were skipped',
  ])('shows the message `%s` of a program among the lines', async (message) => {
    const line = GO.split('\n').length
    expect(await preview(`${GO}\n${message}\n${GO}`, 300)).toContain(`]\n${line + 1}| ${message}\n`)
    expect(await preview(`${GO}\n${`${message}\n`.repeat(5)}${GO}`, 300)).not.toContain(`${line + 1}| `)
  })

  it.each(['outer: for (;;) { a(b ? c : d) }', 'type: (a: string) => void = (a) => {}', "default: 'a: b'"])(
    'does not treat `%s` as a message of a program',
    async (code) => {
      expect(await preview(`${GO}\n${code}\n${GO}`, 300)).not.toContain(`| ${code}`)
    },
  )

  it('hides remarks of a tool, except remarks about omitted lines', async () => {
    const text = `<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\n${GO}</output_head>\n<elided_chars>\n5,321 characters elided\n</elided_chars>\n<output_tail>\n${GO}</output_tail>`
    const shown = (await preview(text, 900, { command: 'cat a.go' }))!
    expect(shown).not.toContain('Too long.')
    expect(shown).toContain('5,321 characters elided')
  })

  it('uses the definitions of an outliner, which gets the code without line numbers', async () => {
    let seen = ''
    // The definition spans the file, so that it encloses all definitions that patterns find.
    const symbol: OutlineSymbol = {
      name: 'Anything',
      kind: 'function',
      line: 1,
      endLine: 10_000,
      depth: 0,
    }
    const outline = async (text: string, language: string): Promise<OutlineSymbol[] | undefined> => {
      seen = text
      return language === 'go' ? [symbol] : undefined
    }
    expect(await preview(numbered(GO), 200, undefined, outline)).not.toMatch(/^\d+ Step/m)
    expect(seen).toBe(GO)
    expect(await preview(GO, 200, undefined, async () => undefined)).toMatch(/^\d+ Step30$/m)
  })

  it('leaves text to other previewers if its language is only guessed, and it defines almost nothing', async () => {
    const constants = Array.from({ length: 400 }, (_, index) => `const LIMIT_${index} = ${index * 7};`).join('\n')
    expect(await preview(constants, 300, { path: 'protocol.x' })).toBeUndefined()
    expect(await preview(constants, 300, { path: 'limits.js' })).toMatch(/^\[JavaScript, 400 lines/)
    const program = `${constants.slice(0, 400)}\n${'function run() {\n  return 1\n}\n'.repeat(20)}`
    expect(await preview(program, 300, { path: 'program.x' })).toMatch(/^\[JavaScript, /)
  })

  it('leaves minified code to other previewers', async () => {
    expect(await preview(`const a=${'f(1);'.repeat(2_000)}\n`.repeat(3), 300, { path: 'a.js' })).toBeUndefined()
  })

  it('returns a preview within the budget for hostile content', async () => {
    for (const part of [
      '(',
      '{\n',
      '\n',
      'func a() {\n',
      '\t',
      '/*',
      'a, \n',
      '"""\n',
      '1: x\n',
      '<<<<<<< a\n',
      '\u0000\n',
      '\uD83D',
    ]) {
      const text = `package a\n${part.repeat((isFull ? 1_500_000 : 300_000) / part.length)}`
      const shown = (await preview(text, 500)) ?? ''
      expect(estimateTokens(shown), JSON.stringify(part)).toBeLessThanOrEqual(500)
    }
  })
})

const symbol = (name: string, line: number, endLine = line, kind = 'function'): OutlineSymbol => ({
  name,
  kind,
  line,
  endLine,
  depth: 0,
})
const names = (outline: readonly OutlineSymbol[]): string[] => outline.map(({ name }) => name)

test('an outline that misses many definitions is completed by patterns', () => {
  const patterns = [symbol('a', 1), symbol('b', 5), symbol('c', 9)]
  expect(names(completeOutline([], patterns))).toEqual(['a', 'b', 'c'])
  expect(names(completeOutline([symbol('b', 5)], patterns))).toEqual(['a', 'b', 'c'])
})

test('an outline that misses many definitions is not completed by definitions within functions', () => {
  const outline = [symbol('outer', 1, 30), symbol('Box', 40, 60, 'class')]
  const patterns = [
    symbol('outer', 1, 30),
    symbol('inner', 5),
    symbol('other', 9),
    symbol('Box', 40),
    symbol('open', 41),
  ]
  expect(names(completeOutline(outline, patterns.slice(0, 4)))).toEqual(['outer', 'Box'])
  expect(names(completeOutline(outline, [...patterns, symbol('close', 50)]))).toEqual(['outer', 'Box', 'open', 'close'])
})

test('an outline that misses few definitions is unchanged', () => {
  const outline = Array.from({ length: 10 }, (_, index) => symbol(`f${index}`, index * 10 + 1, index * 10 + 5))
  expect(completeOutline(outline, [...outline, symbol('none', 200)])).toBe(outline)
})

function outline(language: string, text: string): Promise<OutlineSymbol[]> {
  const rules = DEFINITION_RULES[language]!
  return patternOutline(codeLines(new SourceLines(text), rules), rules)
}

/** Each definition as `line-end kind name`, indented by its depth. */
const written = async (language: string, text: string): Promise<string[]> =>
  (await outline(language, text)).map(
    ({ name, kind, line, endLine, depth }) => `${'  '.repeat(depth)}${line}-${endLine} ${kind} ${name}`,
  )

const SAMPLES: readonly (readonly [language: string, code: string, outline: readonly string[]])[] = [
  [
    'typescript',
    `import { a } from 'a'

export interface Options {
  name?: string
}
type Id = string | number
export const load = async (path: string): Promise<string> => {
  return path
}
export default class Store<Item> extends Base {
  #items: Item[] = []
  constructor(options: Options) {
    super(options)
    if (options.name) {
      run(options)
    }
  }
  static async open(path: string): Promise<Store> {
    return new Store({ name: path })
  }
  get size(): number {
    return this.#items.length
  }
}
function* walk<T>(items: T[]) {}
`,
    [
      '3-5 interface Options',
      '6-6 type Id',
      '7-9 function load',
      '10-24 class Store',
      '  12-17 method constructor',
      '  18-20 method open',
      '  21-23 method size',
      '25-25 function* walk',
    ],
  ],
  [
    'toml',
    `[package]
name = "shop"

[[bin]]
name = "server"
path = "src/server.rs"

[[rule]]
port = 80
`,
    ['1-1 section package', '4-4 name server', '8-8 entry rule'],
  ],
  [
    'python',
    `"""Module.

def not_code():
    pass
"""
import os


class Store(Base):
    """Keeps things."""

    def __init__(self, path):
        def inner():
            return path
        self.path = inner()

    @property
    async def size(self) -> int:
        return 1


def main(
    argv,
):
    return 0
`,
    [
      '9-19 class Store',
      '  12-15 function __init__',
      '    13-14 function inner',
      '  18-19 function size',
      '22-25 function main',
    ],
  ],
  [
    'go',
    `package db

type DB struct {
	dir string
}

// Open opens.
func (db *DB) Open(path string) (*DB, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return db, nil
}

func New[T any](x T) T { return x }
`,
    ['3-5 type DB', '8-13 function Open', '15-15 function New'],
  ],
  [
    'rust',
    `#[derive(Debug)]
pub struct Walker<'a> {
    dir: &'a str,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(dir: &'a str) -> Self {
        Walker { dir }
    }
}

impl Iterator for Walker<'_> {
    fn next(&mut self) -> Option<u8> {
        None
    }
}

macro_rules! gather {
    () => {};
}
pub async unsafe fn run() {}
`,
    [
      '2-4 struct Walker',
      '6-10 implementation Walker',
      '  7-9 function new',
      '12-16 implementation Walker',
      '  13-15 function next',
      '18-20 macro gather',
      '21-21 function run',
    ],
  ],
  [
    'java',
    `package a.b;

public final class Store<T> implements Closeable {
    private final Map<String, T> items = new HashMap<>();

    public Store(int size) {
        this.size = size;
    }

    @Override
    public <R> R find(String name,
                      Function<T, R> then) throws IOException {
        if (name.isEmpty()) {
            return run(name);
        }
        return null;
    }

    enum State { OPEN }
}
`,
    ['3-20 class Store', '  6-8 method Store', '  11-17 method find', '  19-19 enum State'],
  ],
  [
    'c',
    `#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct point {
	int x;
};
typedef struct node *Node;
static int counter = 0;
int declared(int a);

static struct point *
find_point(struct point *points, int count)
{
	for (int i = 0; i < count; i++) {
		if (points[i].x)
			return &points[i];
	}
	return NULL;
}

int main(int argc, char **argv) {
	printf("%d", argc);
}
`,
    ['4-6 struct point', '7-7 type Node', '12-19 function find_point', '21-23 function main'],
  ],
  [
    'cpp',
    `namespace leveldb {
class DBImpl : public DB {
 public:
  DBImpl(const Options& options);
  ~DBImpl() override;
  Status Get(const Key& key) {
    return impl(key);
  }
};

Status DBImpl::Write(const Options& options,
                     Batch* batch) {
  return Status::OK();
}
}  // namespace leveldb
`,
    [
      '1-1 module leveldb',
      '2-9 class DBImpl',
      '  4-4 method DBImpl',
      '  5-5 method ~DBImpl',
      '  6-8 method Get',
      '11-15 function Write',
    ],
  ],
  [
    'csharp',
    `namespace App.Core
{
    public sealed class Store : IStore
    {
        public async Task<int> CountAsync(string name)
        {
            return await Run(name);
        }
    }
    public record Item(string Name);
}
`,
    ['1-11 module App.Core', '3-9 class Store', '  5-8 method CountAsync', '10-10 record Item'],
  ],
  [
    'php',
    `<?php
namespace App\\Models;

abstract class Model
{
    public static function &find($id)
    {
        return static::query($id);
    }
}
`,
    ['3-3 module App', '4-10 class Model', '  6-9 function find'].map((line) =>
      line.replace('3-3 module App', '2-2 module App\\Models'),
    ),
  ],
  [
    'ruby',
    `module Jekyll
  class Site < Base
    attr_reader :config

    def self.open(path)
      new(path)
    end

    def valid?
      true
    end
  end
end
`,
    ['1-13 module Jekyll', '2-12 class Site', '  5-7 method self.open', '  9-11 method valid?'],
  ],
  [
    'kotlin',
    `package a

data class Item(val name: String)

suspend fun String.load(path: String): Item {
    return Item(path)
}
object Registry {
    override fun find(name: String) = items[name]
}
`,
    ['3-3 class Item', '5-7 function load', '8-10 object Registry', '  9-9 function find'],
  ],
  [
    'swift',
    `import Foundation

public protocol Store {
    func find(_ name: String) -> Item?
}
extension Array where Element == Item {
    mutating func drop() {}
}
`,
    ['3-5 interface Store', '  4-4 function find', '6-8 extension Array', '  7-7 function drop'],
  ],
  [
    'scala',
    `case class Item(name: String)

object Main extends App {
  def run(args: Seq[String]): Unit = {
    println(args)
  }
}
`,
    ['1-1 class Item', '3-7 object Main', '  4-6 function run'],
  ],
  [
    'bash',
    'set -e\nfunction build {\n  make\n}\ndeploy() {\n  scp a b\n}\n',
    ['2-4 function build', '5-7 function deploy'],
  ],
  [
    'lua',
    'local M = {}\nfunction M.open(path)\n  return path\nend\nM.close = function()\nend\n',
    ['2-4 function M.open', '5-6 function M.close'],
  ],
  [
    'elixir',
    `defmodule App.Store do
  @moduledoc """
  def nothing
  """
  def open(path), do: path

  defp load!(path) do
    path
  end
end
`,
    ['1-10 module App.Store', '5-5 function open', '7-9 function load!'],
  ],
  ['perl', 'package A::B;\nsub run {\n  my $x = shift;\n}\n', ['1-1 module A::B', '2-4 function run']],
  ['erlang', '-module(a).\nrun(X) ->\n  X.\n', ['1-1 module a', '2-3 function run']],
  ['clojure', '(ns a.core)\n(defn run [x]\n  x)\n', ['1-1 function a.core', '2-3 function run']],
  [
    'protobuf',
    'message Item {\n  string name = 1;\n}\nservice Store {\n  rpc Get(Item) returns (Item);\n}\n',
    ['1-3 type Item', '4-6 interface Store', '  5-5 method Get'],
  ],
  [
    'sql',
    'CREATE TABLE IF NOT EXISTS users (\n  id int\n);\ncreate unique index by_id on users (id);\n',
    ['1-3 definition users', '4-4 definition by_id'],
  ],
  [
    'zig',
    'const std = @import("std");\npub const Item = struct {\n    pub fn open() void {}\n};\n',
    ['2-4 type Item', '  3-3 function open'],
  ],
  [
    'pony',
    'class Parser\n  new box create(a: B) =>\n    None\n  fun ref parse() =>\n    None\n',
    ['1-5 class Parser', '  2-3 method create', '  4-5 method parse'],
  ],
]

describe('the outline by patterns', () => {
  it.each(SAMPLES)('lists each definition of %s with its lines and depth', async (language, code, expected) => {
    expect(await written(language, code)).toEqual(expected)
  })

  it('finds no definition in three plain words, in any language', async () => {
    for (const language of Object.keys(DEFINITION_RULES))
      expect(await outline(language, 'a b c\n'), language).toEqual([])
  })

  it('lists functions declared in a C header, but not forward declarations', async () => {
    const header =
      '#define A(x) x\nint open_db(const char *path);\nextern struct db *find(int id,\n\tint flags);\nvoid close_db(void);\n'
    expect(await written('c', header)).toEqual([
      '2-2 declaration open_db',
      '3-4 function find',
      '5-5 declaration close_db',
    ])
    const file = `${header}int open_db(const char *path) {\n}\nvoid close_db(void)\n{\n}\nint main() {\n}\n`
    expect(await written('c', file)).toEqual([
      '3-4 function find',
      '6-7 function open_db',
      '8-10 function close_db',
      '11-12 function main',
    ])
  })

  it('ignores code within strings of several lines', async () => {
    const text =
      'USAGE = """\ndef no():\n"""\ndef yes():\n    """Says."""\n    x = \'\'\'a\'\'\'\n\nclass Also:\n    pass\n'
    expect((await outline('python', text)).map(({ name }) => name)).toEqual(['yes', 'Also'])
  })

  it.each([
    '(',
    '{\n',
    'function f() {\n',
    'a b ',
    'class a:\n ',
    '((a) => ',
    'const a = ',
    'impl<',
    'typedef ',
    '"""',
    '/*',
  ])(
    'takes bounded time for text of only %j',
    async (part) => {
      for (const language of ['typescript', 'python', 'cpp', 'rust', 'java', 'kotlin']) {
        const text = part.repeat((isFull ? 1_000_000 : 200_000) / part.length)
        expect((await outline(language, text)).length, language).toBeLessThan(text.length)
      }
    },
    60_000,
  )
})

describe('the lines that a preview of code considers', () => {
  it('are all lines of a short file', () => {
    const source = new SourceLines('a\n'.repeat(100))
    expect([...promisingLines(source, new Float32Array(100), 10)]).toEqual([...Array(100).keys()])
  })

  it('are the most valuable lines of a long file, in order', () => {
    const source = new SourceLines('value = compute(value)\n'.repeat(20_000))
    const worth = new Float32Array(20_000).fill(0.1)
    for (const line of [5_000, 5_001, 15_000]) worth[line] = 9
    const lines = promisingLines(source, worth, 100)
    expect(lines).toEqual(expect.arrayContaining([5_000, 5_001, 15_000]))
    expect(lines.length).toBeLessThan(500)
    expect(lines).toEqual(lines.toSorted((one, other) => one - other))
  })

  it('are more for a larger budget', () => {
    const source = new SourceLines('value = compute(value)\n'.repeat(20_000))
    const worth = new Float32Array(20_000).fill(1)
    const counts = [100, 1_000, 100_000].map((budget) => promisingLines(source, worth, budget).length)
    expect(counts).toEqual(counts.toSorted((one, other) => one - other))
    expect(counts.at(-1)).toBe(20_000)
  })
})

it('an outline of Terraform has addresses, and begins with the kinds that are rare', async () => {
  const resources = Array.from(
    { length: 90 },
    (_, index) => `resource "aws_sqs_queue" "jobs_${index}" {\n  size = 1\n}\n`,
  )
  const shown = await preview(`${resources.join('\n')}\nmodule "vpc" {\n}\n`, 300, { path: 'main.tf' })
  expect(shown).toContain('1 aws_sqs_queue.jobs_0\n')
  expect(shown).toContain('361 module.vpc')
})

it('an outline of TOML names the first entry of a list', async () => {
  const entries = Array.from({ length: 90 }, (_, index) => `[[package]]\nname = "pkg-${index}"\n`)
  const shown = await preview(`${entries.join('\n')}\n[metadata]\nhash = 1\n`, 300, { path: 'poetry.lock' })
  expect(shown).toContain('\n1 pkg-0\n')
  expect(shown).toMatch(/271 metadata$/)
})
