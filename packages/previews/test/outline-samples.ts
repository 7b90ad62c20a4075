/** Code of each language and its outline: `firstLine-lastLine name`, indented by depth. */
export interface OutlineSample {
  readonly code: string
  readonly names: readonly string[]
}

/** One sample for each language with a grammar, including code that misleads simple scanners. */
export const OUTLINE_SAMPLES: Readonly<Record<string, OutlineSample>> = {
  typescript: {
    code: `import { readFile } from 'node:fs/promises'

// It's a comment with { and an apostrophe.
export interface Options<T = unknown> {
  readonly parse?: (text: string) => T
}

export type Name = 'a' | 'b'

const PATTERN = /[/"'{]\\//
export const LIMIT = 1_000

export async function load<T>(path: string, { parse = JSON.parse }: Options<T> = {}): Promise<T> {
  const text = \`\${await readFile(path, 'utf8')} {\${[1].map((n) => \`\${n}}\`)}\`
  function inner(): void {}
  return parse(text.replace(/\\}/g, ''))
}

export abstract class Store<T> extends Map<string, T> {
  #size = 0
  readonly onChange = (key: string): void => {
    this.#size++
  }

  constructor(private readonly path: string) {
    super()
  }

  get length(): number {
    return this.#size
  }

  abstract flush(): Promise<void>
}

export enum Color {
  Red,
}

declare module 'x' {
  function untyped(): void
}

export const arrow = <T,>(value: T): T => {
  return value
}
`,
    names: [
      '4-6 Options',
      '8-8 Name',
      '10-10 PATTERN',
      '11-11 LIMIT',
      '13-17 load',
      '19-34 Store',
      '  21-23 onChange',
      '  25-27 constructor',
      '  29-31 length',
      '  33-33 flush',
      '36-38 Color',
      '40-42 x',
      '  41-41 untyped',
      '44-46 arrow',
    ],
  },
  javascript: {
    code: `const fs = require('fs')

exports.read = function (path) {
  return fs.readFileSync(path)
}

Queue.prototype.push = function push(item) {
  this.items.push(item)
}

module.exports = {
  helper(a) {
    return a / 2 / 1
  },
  other: (b) => {
    return b
  },
}

function* ids() {
  yield 1
}

class Queue {
  static from(items) {
    return new Queue(items)
  }
}
`,
    names: ['3-5 read', '7-9 push', '12-14 helper', '15-17 other', '20-22 ids', '24-28 Queue', '  25-27 from'],
  },
  python: {
    code: `"""A module.

def not_one():
"""
import os

NAMES = {
    "a": 1,
}

class Store(Base):
    """A docstring
with a line in the first column.
    """

    kind = "store"

    def __init__(
        self,
        path: str = "/tmp/(",
    ) -> None:
        self.path = path
        text = """
class Hidden:
"""

    @property
    def size(self): return 1

    class Meta:
        def inner(self):
            pass

# def commented():
async def main(args):
    def nested():
        return 1
    return nested()

if os.name == "nt":
    def separator():
        return "\\\\"
else:
    def separator():
        return "/"
`,
    names: [
      '11-32 Store',
      '  18-25 __init__',
      '  28-28 size',
      '  30-32 Meta',
      '    31-32 inner',
      '35-38 main',
      '41-42 separator',
      '44-45 separator',
    ],
  },
  go: {
    code: `package db

import (
	"fmt"
)

type (
	// Options are options.
	Options struct {
		Path string
	}
	Hook func(string) error
)

type Reader interface {
	Read(p []byte) (int, error)
}

func New(path string, opts ...Options) (*DB, error) {
	query := \`select {\`
	fmt.Println(query, '{', "}")
	return nil, nil
}

func (db *DB) Close() error {
	return nil
}
`,
    names: ['9-11 Options', '12-12 Hook', '15-17 Reader', '19-23 New', '  25-27 Close'],
  },
  rust: {
    code: `use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Store<'a> {
    name: &'a str,
}

pub enum Kind { A, B(char) }

impl<'a> Store<'a> {
    pub fn new(name: &'a str) -> Self {
        let brace = '{';
        let raw = r#"{"a": "#;
        Store { name }
    }
}

impl fmt::Display for Store<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

/* a /* nested */ comment { */
pub trait Flush {
    fn flush(&mut self);
}

macro_rules! square {
    ($x:expr) => { $x * $x };
}

mod tests {
    #[test]
    fn works() {
        assert!(true);
    }
}
`,
    names: [
      '4-6 Store',
      '8-8 Kind',
      '10-16 Store',
      '  11-15 new',
      '18-22 Store',
      '  19-21 fmt',
      '25-27 Flush',
      '  26-26 flush',
      '29-31 square',
      '33-38 tests',
      '  35-37 works',
    ],
  },
  java: {
    code: `package a.b;

import java.util.List;

/** Don't stop at {@link Store}. */
@SuppressWarnings({"unchecked", "rawtypes", "deprecation", "serial"})
public final class Store<T extends Comparable<T>> implements AutoCloseable {
    private static final char BRACE = '{';
    private final List<T> items = List.of();

    public Store(final String path) {
        this.path = path;
    }

    @Override
    public void close() throws IOException {
        final String text = """
            { "a": 1
            """;
    }

    public enum Kind {
        A { int n() { return 1; } }, B;

        int n() { return 0; }
    }

    interface Visitor { void visit(Store<?> store); }

    record Point(int x, int y) { }
}
`,
    names: [
      '7-31 Store',
      '  11-13 Store',
      '  16-20 close',
      '  22-26 Kind',
      '    25-25 n',
      '  28-28 Visitor',
      '    28-28 visit',
      '  30-30 Point',
    ],
  },
  c: {
    code: `#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CHECK(x) do { \\
    if (!(x)) abort(); \\
} while (0)

typedef struct node {
    struct node *next;
} node_t;

enum color { RED, GREEN };

typedef int (*compare_fn)(const void *, const void *);

static node_t *find(node_t *list, int key);

static node_t *
find(node_t *list, int key)
{
#ifdef DEBUG
    if (list) {
#else
    if (key) {
#endif
        return list;
    }
    return NULL;
}

int main(int argc, char **argv) {
    printf("{ %c\\n", '}');
    return 0;
}

#ifdef __cplusplus
}
#endif
`,
    names: ['10-12 node', '12-12 node_t', '14-14 color', '16-16 compare_fn', '18-18 find', '33-36 main'],
  },
  cpp: {
    code: `#include <string>

namespace leveldb {

namespace {

class Local {
 public:
  explicit Local(int x) : x_{x} {}
  ~Local();

 private:
  int x_;
};

}  // namespace

template <typename T>
struct Box {
  T value;
  bool operator==(const Box& other) const { return value == other.value; }
};

using Name = std::string;

Status DBImpl::Get(const ReadOptions& options, const Slice& key,
                   std::string* value) {
  const char* raw = R"x({ ")x";
  return Status::OK();
}

DBImpl::~DBImpl() {
  if (a) {
  }
}

}  // namespace leveldb
`,
    names: [
      '3-37 leveldb',
      '7-14 Local',
      '  9-9 Local',
      '  10-10 ~Local',
      '19-22 Box',
      '  21-21 operator==',
      '24-24 Name',
      '  26-30 Get',
      '  32-35 ~DBImpl',
    ],
  },
  csharp: {
    code: `using System;

namespace Shop.Carts
{
    /// <summary>It's a cart.</summary>
    [Serializable]
    public sealed class Cart : IDisposable
    {
        private readonly string path = @"C:\\";

        public int Count { get; private set; }

        public Cart(string path)
        {
        }

        public void Dispose() => GC.SuppressFinalize(this);

        public async Task<Item> Load<T>(int id, CancellationToken token = default)
        {
            var text = $"{id} {{";
            return null;
        }

        private enum State { Open, Closed }
    }

    public interface ICart { void Add(Item item); }

    public record Item(string Name, decimal Price);
}
`,
    names: [
      '3-31 Shop.Carts',
      '7-26 Cart',
      '  13-15 Cart',
      '  17-17 Dispose',
      '  19-23 Load',
      '  25-25 State',
      '28-28 ICart',
      '  28-28 Add',
      '30-30 Item',
    ],
  },
  php: {
    code: `<?php

namespace App\\Models;

use Illuminate\\Support\\Str;

if (! function_exists('helper')) {
    function helper($a) {
        return $a;
    }
}

#[Attribute]
abstract class Model implements Arrayable
{
    use HasEvents;

    protected $casts = [
        'a' => 'b',
    ];

    public function __construct(array $attributes = [])
    {
        $text = <<<SQL
            it's { a heredoc
            SQL;
    }

    /** Don't { stop. */
    public static function boot(): void
    {
        // it's
        $x = "a {$b} \\" {";
    }

    abstract protected function table(): string;
}

interface Arrayable
{
    public function toArray();
}
?>
<p>It's { markup</p>
<?php
function last() { return 1; }
`,
    names: [
      '3-3 App\\Models',
      '8-10 helper',
      '14-37 Model',
      '  22-27 __construct',
      '  30-34 boot',
      '  36-36 table',
      '39-42 Arrayable',
      '  41-41 toArray',
      '46-46 last',
    ],
  },
  ruby: {
    code: `module Jekyll
  class Site
    attr_reader :x

    # def commented
    class << self
      def build(*args)
        new(*args)
      end
    end

    def initialize(config,
                   options = {})
      @config = config
    end

    def draft?
      text = <<-EOS
not indented
EOS
      if text then 1 end
    end

    private

    def self.go!; end
  end
end
`,
    names: ['1-28 Jekyll', '2-27 Site', '  7-9 build', '  12-15 initialize', '  17-22 draft?', '  26-26 go!'],
  },
  bash: {
    code: `#!/usr/bin/env bash
set -e

log() { echo "$1"; }

function build {
  cat <<EOF
{ no block
EOF
}

deploy()
{
  for i in 1 2; do echo "$i"; done
}
`,
    names: ['4-4 log', '6-10 build', '12-15 deploy'],
  },
  kotlin: {
    code: `enum class Color(val rgb: Int) {
    RED(1), GREEN(2);

    fun hex() = rgb.toString(16)
}

object Registry : Listener {
    override fun onEvent(event: Event?) = true
}

fun String.shout(): String = uppercase() + '!' + '\\u0041'

fun topLevel(a: Int = 1, b: (Int) -> Int = { it + 1 }): Int {
    val s = """raw "quoted" { $a"""
    return b(a)
}

fun interface Pred {
    fun test(x: Int): Boolean
}

class ViewModel @Inject constructor(
    private val repo: Repo,
    @ApplicationContext private val context: Context,
) : ViewModel() {
    private val _state = MutableStateFlow<UiState>(UiState.Loading)
    val state: StateFlow<UiState> = _state.asStateFlow()
    var listener: (() -> Unit)? = null

    private val callback = object : Callback {
        override fun done(x: Int) {
            println(x)
        }
    }

    @Composable
    fun Render(content: @Composable () -> Unit) {
        content()
    }

    internal fun <T> List<T>.second(): T? = getOrNull(1)

    data class Item(
        val id: String,
        val n: Int = 0,
    )

    companion object {
        private const val TAG = "x"

        @JvmStatic
        fun create() = Unit
    }
}
`,
    names: [
      '1-5 Color',
      '  4-4 hex',
      '7-9 Registry',
      '  8-8 onEvent',
      '11-11 shout',
      '13-16 topLevel',
      '18-20 Pred',
      '  19-19 test',
      '22-54 ViewModel',
      '  37-39 Render',
      '  41-41 second',
      '  43-46 Item',
      '  52-52 create',
    ],
  },
  swift: {
    code: `import Foundation

public final class Manager: NSObject, Delegate {
    let closure: (Int) -> Void = { print("x \\($0)") }

    public init(name: String) {
        super.init()
    }

    func load<T: Decodable>(_ type: T.Type, from url: URL) async throws -> T {
        let text = """
        { "a": "it's" }
        """
        return try decoder.decode(type, from: text)
    }
}

struct Point {
    func length() -> Double { 0 }
}

protocol Delegate: AnyObject {
    func didLoad(_ manager: Manager)
}

extension Manager {
    func reset() {}
}

func main() {}
`,
    names: [
      '3-16 Manager',
      '  6-8 init',
      '  10-15 load',
      '18-20 Point',
      '  19-19 length',
      '22-24 Delegate',
      '  23-23 didLoad',
      '26-28 Manager',
      '  27-27 reset',
      '30-30 main',
    ],
  },
  scala: {
    code: `package com.example

object Main extends App {
  def run(args: Array[String]): Unit = {
    println(s"it's \${args.length}")
  }
}

trait Shape[+A] {
  def area: Double
}

case class Circle(r: Double) extends Shape[Int] {
  override def area: Double = math.Pi * r * r
}
`,
    names: ['3-7 Main', '  4-6 run', '9-11 Shape', '  10-10 area', '13-15 Circle', '  14-14 area'],
  },
  lua: {
    code: `local M = {}

-- function commented()
local function helper(a, b)
  return a + b
end

function M.setup(options)
  schedule(function()
    print("it's")
  end)
end

M.other = function(a)
  if a then return 1 end
end

return M
`,
    names: ['4-6 helper', '8-12 M.setup', '14-16 M.other'],
  },
}
