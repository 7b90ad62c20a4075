/** A programming language, with id, display name, extensions, and file names. */
export interface Language {
  readonly id: string
  readonly name: string
  readonly extensions: readonly string[]
  /** Complete file names, in lowercase. */
  readonly files?: readonly string[]
  /** Names of interpreters after `#!`. */
  readonly interpreters?: readonly string[]
  /** Content types other than `text/x-<id>` and `application/x-<id>`. */
  readonly contentTypes?: readonly string[]
}

const language = (
  id: string,
  name: string,
  extensions: string,
  more: Omit<Language, 'id' | 'name' | 'extensions'> = {},
): Language => ({ id, name, extensions: extensions.split(' '), ...more })

/** Languages with their extensions. In GitHub's Linguist, no other common language has these extensions. */
const LANGUAGES: readonly Language[] = [
  language('typescript', 'TypeScript', 'ts mts cts', {
    interpreters: ['ts-node', 'tsx', 'deno', 'bun'],
    contentTypes: ['text/typescript', 'application/typescript'],
  }),
  language('tsx', 'TypeScript', 'tsx'),
  language('javascript', 'JavaScript', 'js mjs cjs jsx', {
    interpreters: ['node', 'nodejs'],
    contentTypes: ['text/javascript', 'application/javascript'],
  }),
  language('python', 'Python', 'py pyi pyw', { interpreters: ['python'], files: ['sconstruct', 'wscript'] }),
  language('go', 'Go', 'go'),
  language('rust', 'Rust', 'rs', { contentTypes: ['text/rust'] }),
  language('java', 'Java', 'java', { contentTypes: ['text/x-java-source'] }),
  language('c', 'C', 'c h', { contentTypes: ['text/x-chdr', 'text/x-csrc'] }),
  language('cpp', 'C++', 'cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp cu cuh ino', {
    contentTypes: ['text/x-c++', 'text/x-c++src', 'text/x-c++hdr'],
  }),
  language('csharp', 'C#', 'cs csx'),
  language('php', 'PHP', 'php php3 php4 php5 phtml', {
    interpreters: ['php'],
    contentTypes: ['application/x-httpd-php'],
  }),
  language('ruby', 'Ruby', 'rb rake gemspec ru', {
    interpreters: ['ruby', 'jruby', 'rake'],
    files: ['rakefile', 'gemfile', 'podfile', 'vagrantfile', 'fastfile', 'brewfile', 'guardfile'],
  }),
  language('kotlin', 'Kotlin', 'kt kts'),
  language('swift', 'Swift', 'swift', { interpreters: ['swift'] }),
  language('scala', 'Scala', 'scala sc sbt', { interpreters: ['scala'] }),
  language('bash', 'Shell', 'sh bash zsh ksh bats', {
    interpreters: ['sh', 'bash', 'zsh', 'ksh', 'dash', 'ash'],
    contentTypes: ['application/x-sh', 'text/x-sh', 'text/x-shellscript'],
    files: ['.bashrc', '.bash_profile', '.profile', '.zshrc', 'pkgbuild', 'apkbuild', 'configure'],
  }),
  language('lua', 'Lua', 'lua', { interpreters: ['lua', 'luajit'] }),
  language('elixir', 'Elixir', 'ex exs', { interpreters: ['elixir'] }),
  language('erlang', 'Erlang', 'erl hrl', { interpreters: ['escript'] }),
  language('perl', 'Perl', 'pl pm', { interpreters: ['perl'] }),
  language('r', 'R', 'r', { interpreters: ['rscript'] }),
  language('julia', 'Julia', 'jl', { interpreters: ['julia'] }),
  language('haskell', 'Haskell', 'hs', { interpreters: ['runhaskell'] }),
  language('ocaml', 'OCaml', 'ml mli', { interpreters: ['ocaml'] }),
  language('fsharp', 'F#', 'fs fsi fsx'),
  language('dart', 'Dart', 'dart', { interpreters: ['dart'] }),
  language('zig', 'Zig', 'zig'),
  language('nim', 'Nim', 'nim nims'),
  language('d', 'D', 'd'),
  language('pony', 'Pony', 'pony'),
  language('clojure', 'Clojure', 'clj cljs cljc edn', { interpreters: ['bb', 'clojure'] }),
  language('lisp', 'Lisp', 'lisp el scm ss rkt', { interpreters: ['racket', 'guile'] }),
  language('groovy', 'Groovy', 'groovy gradle', { interpreters: ['groovy'], files: ['jenkinsfile'] }),
  language('objectivec', 'Objective-C', 'm mm'),
  language('powershell', 'PowerShell', 'ps1 psm1 psd1', { interpreters: ['pwsh'] }),
  language('crystal', 'Crystal', 'cr', { interpreters: ['crystal'] }),
  language('solidity', 'Solidity', 'sol'),
  language('vue', 'Vue', 'vue'),
  language('svelte', 'Svelte', 'svelte'),
  language('protobuf', 'Protocol Buffers', 'proto'),
  language('graphql', 'GraphQL', 'graphql gql'),
  language('terraform', 'Terraform', 'tf tfvars hcl'),
  language('sql', 'SQL', 'sql', { contentTypes: ['application/sql'] }),
  language('css', 'CSS', 'css scss less', { contentTypes: ['text/css'] }),
  language('makefile', 'Makefile', 'mk mak', { files: ['makefile', 'gnumakefile'], interpreters: ['make'] }),
  language('cmake', 'CMake', 'cmake', { files: ['cmakelists.txt'] }),
  language('dockerfile', 'Dockerfile', 'dockerfile', { files: ['dockerfile', 'containerfile'] }),
  language('vim', 'Vim script', 'vim', { files: ['.vimrc'] }),
  language('assembly', 'Assembly', 's asm'),
  language('fortran', 'Fortran', 'f f90 f95 f03 f08 for'),
  language('pascal', 'Pascal', 'pas pp dpr'),
  language('tcl', 'Tcl', 'tcl', { interpreters: ['tclsh', 'wish', 'expect'] }),
  language('nix', 'Nix', 'nix'),
  language('yaml', 'YAML', 'yaml yml', {
    files: ['.clang-format'],
    contentTypes: ['application/yaml', 'text/yaml', 'application/vnd.yaml'],
  }),
  language('toml', 'TOML', 'toml', { files: ['cargo.lock', 'poetry.lock', 'uv.lock', 'pdm.lock', 'pipfile'] }),
  language('ini', 'INI', 'ini cfg desktop service timer socket editorconfig gitconfig', { files: ['.flake8'] }),
]

const BY_ID: ReadonlyMap<string, Language> = new Map(LANGUAGES.map((each) => [each.id, each]))
const BY_EXTENSION: ReadonlyMap<string, string> = indexed(({ extensions }) => extensions)
const BY_FILE: ReadonlyMap<string, string> = indexed(({ files = [] }) => files)
const BY_INTERPRETER: ReadonlyMap<string, string> = indexed(({ interpreters = [] }) => interpreters)
const BY_CONTENT_TYPE: ReadonlyMap<string, string> = indexed(({ id, contentTypes = [] }) => [
  `text/x-${id}`,
  `application/x-${id}`,
  ...contentTypes,
])

function indexed(keys: (language: Language) => readonly string[]): Map<string, string> {
  return new Map(LANGUAGES.flatMap((each) => keys(each).map((key) => [key, each.id] as const)))
}

/**
 * @param path - A path or file name. The extension is the most reliable information.
 * @param contentType - The content type, in lowercase and without parameters.
 * @param start - The start of the file, for example `#!/usr/bin/env python3`.
 * @returns An id such as `typescript` or `cpp`. `undefined` if unknown.
 */
export function languageOf(
  path: string | undefined,
  contentType: string | undefined,
  start: string,
): string | undefined {
  const file = fileName(path)
  return (
    BY_FILE.get(file) ??
    BY_EXTENSION.get(file.includes('.') ? file.slice(file.lastIndexOf('.') + 1) : '') ??
    BY_CONTENT_TYPE.get(contentType ?? '') ??
    languageOfShebang(start)
  )
}

/** Returns the display name of an id, for example `C++` for `cpp`, or the id itself if the id is unknown. */
export function languageName(id: string): string {
  return BY_ID.get(id)?.name ?? id
}

function fileName(path: string | undefined): string {
  if (path === undefined) return ''
  return path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .slice(-256)
    .toLowerCase()
}

/** Read the interpreter of a `#!` line. `env`, its options, and a version are ignored. */
function languageOfShebang(start: string): string | undefined {
  if (!start.startsWith('#!')) return undefined
  const words = start.slice(2, 256).split('\n', 1).join('').trim().split(/\s+/)
  const program = words.find((word) => !/(?:^|\/)env$|^-|=/.test(word))
  const name = program?.slice(program.lastIndexOf('/') + 1).toLowerCase() ?? ''
  return BY_INTERPRETER.get(name) ?? BY_INTERPRETER.get(name.replace(/[\d.]+$/, ''))
}
