import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it } from 'vitest'
import { codeLines } from './code-lines.ts'
import { DEFINITION_RULES } from './definition-rules.ts'
import type { OutlineSymbol } from './outline.ts'
import { patternOutline } from './pattern-outline.ts'
import { SourceLines } from './source-lines.ts'

function outline(language: string, text: string): OutlineSymbol[] {
  const rules = DEFINITION_RULES[language]!
  return patternOutline(codeLines(new SourceLines(text), rules), rules)
}

/** Each definition as `line-end kind name`, indented by its depth. */
const written = (language: string, text: string): string[] =>
  outline(language, text).map(
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
  it.each(SAMPLES)('of %s has each definition with its lines and depth', (language, code, expected) => {
    expect(written(language, code)).toEqual(expected)
  })

  it('has for each language a sample or a rule that compiles', () => {
    for (const language of Object.keys(DEFINITION_RULES)) expect(outline(language, 'a b c\n'), language).toEqual([])
  })

  it('has the functions that a header of C declares, and not those that a file declares before it defines them', () => {
    const header =
      '#define A(x) x\nint open_db(const char *path);\nextern struct db *find(int id,\n\tint flags);\nvoid close_db(void);\n'
    expect(written('c', header)).toEqual(['2-2 declaration open_db', '3-4 function find', '5-5 declaration close_db'])
    const file = `${header}int open_db(const char *path) {\n}\nvoid close_db(void)\n{\n}\nint main() {\n}\n`
    expect(written('c', file)).toEqual([
      '3-4 function find',
      '6-7 function open_db',
      '8-10 function close_db',
      '11-12 function main',
    ])
  })

  it('reads no code in strings over several lines, wherever they begin', () => {
    const text =
      'USAGE = """\ndef no():\n"""\ndef yes():\n    """Says."""\n    x = \'\'\'a\'\'\'\n\nclass Also:\n    pass\n'
    expect(outline('python', text).map(({ name }) => name)).toEqual(['yes', 'Also'])
  })

  it('has the first line of a definition as its signature, without the body', () => {
    expect(outline('go', 'func  Open(path string)   error {\n}\n')[0]?.signature).toBe('func Open(path string) error')
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
    'ends for nothing but %j',
    (part) => {
      for (const language of ['typescript', 'python', 'cpp', 'rust', 'java', 'kotlin']) {
        const text = part.repeat((isFull ? 1_000_000 : 200_000) / part.length)
        expect(outline(language, text).length, language).toBeLessThan(text.length)
      }
    },
    60_000,
  )
})
