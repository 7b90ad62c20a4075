/** A programming language. */
type Language = readonly [id: string, name: string, names: string]

/**
 * Languages with the names by which they are recognized: extensions (`*.py`), interpreters (`#!python`), complete names
 * of files in lowercase, and content types other than `text/x-<id>` and `application/x-<id>`. In GitHub's Linguist, no
 * other common language has these extensions.
 */
const LANGUAGES: readonly Language[] = [
  ['typescript', 'TypeScript', '*.ts *.mts *.cts #!ts-node #!tsx #!deno #!bun text/typescript application/typescript'],
  ['tsx', 'TypeScript', '*.tsx'],
  ['javascript', 'JavaScript', '*.js *.mjs *.cjs *.jsx #!node #!nodejs text/javascript application/javascript'],
  ['python', 'Python', '*.py *.pyi *.pyw #!python sconstruct sconscript wscript'],
  ['go', 'Go', '*.go'],
  ['rust', 'Rust', '*.rs text/rust'],
  ['java', 'Java', '*.java text/x-java-source'],
  ['c', 'C', '*.c *.h text/x-chdr text/x-csrc'],
  [
    'cpp',
    'C++',
    '*.cc *.cpp *.cxx *.c++ *.hh *.hpp *.hxx *.h++ *.inl *.ipp *.tpp *.cu *.cuh *.ino text/x-c++ text/x-c++src text/x-c++hdr',
  ],
  ['csharp', 'C#', '*.cs *.csx'],
  ['php', 'PHP', '*.php *.php3 *.php4 *.php5 *.phtml #!php application/x-httpd-php'],
  [
    'ruby',
    'Ruby',
    '*.rb *.rake *.gemspec *.ru #!ruby #!jruby #!rake rakefile gemfile podfile vagrantfile fastfile brewfile guardfile',
  ],
  ['kotlin', 'Kotlin', '*.kt *.kts'],
  ['swift', 'Swift', '*.swift #!swift'],
  ['scala', 'Scala', '*.scala *.sc *.sbt #!scala'],
  [
    'bash',
    'Shell',
    '*.sh *.bash *.zsh *.ksh *.bats #!sh #!bash #!zsh #!ksh #!dash #!ash .bashrc .bash_profile .profile .zshrc pkgbuild apkbuild configure application/x-sh text/x-sh text/x-shellscript',
  ],
  ['lua', 'Lua', '*.lua #!lua #!luajit'],
  ['elixir', 'Elixir', '*.ex *.exs #!elixir'],
  ['erlang', 'Erlang', '*.erl *.hrl #!escript'],
  ['perl', 'Perl', '*.pl *.pm #!perl'],
  ['r', 'R', '*.r #!rscript'],
  ['julia', 'Julia', '*.jl #!julia'],
  ['haskell', 'Haskell', '*.hs #!runhaskell'],
  ['ocaml', 'OCaml', '*.ml *.mli #!ocaml'],
  ['fsharp', 'F#', '*.fs *.fsi *.fsx'],
  ['dart', 'Dart', '*.dart #!dart'],
  ['zig', 'Zig', '*.zig'],
  ['nim', 'Nim', '*.nim *.nims'],
  ['d', 'D', '*.d'],
  ['pony', 'Pony', '*.pony'],
  ['clojure', 'Clojure', '*.clj *.cljs *.cljc *.edn #!bb #!clojure'],
  ['lisp', 'Lisp', '*.lisp *.el *.scm *.ss *.rkt #!racket #!guile'],
  ['groovy', 'Groovy', '*.groovy *.gradle #!groovy jenkinsfile'],
  ['objectivec', 'Objective-C', '*.m *.mm'],
  ['powershell', 'PowerShell', '*.ps1 *.psm1 *.psd1 #!pwsh'],
  ['crystal', 'Crystal', '*.cr #!crystal'],
  ['solidity', 'Solidity', '*.sol'],
  ['vue', 'Vue', '*.vue'],
  ['svelte', 'Svelte', '*.svelte'],
  ['protobuf', 'Protocol Buffers', '*.proto'],
  ['graphql', 'GraphQL', '*.graphql *.gql'],
  ['terraform', 'Terraform', '*.tf *.tfvars *.hcl'],
  ['sql', 'SQL', '*.sql application/sql'],
  ['css', 'CSS', '*.css *.scss *.less text/css'],
  ['makefile', 'Makefile', '*.mk *.mak #!make makefile gnumakefile'],
  ['cmake', 'CMake', '*.cmake cmakelists.txt'],
  ['dockerfile', 'Dockerfile', '*.dockerfile dockerfile containerfile'],
  ['vim', 'Vim script', '*.vim .vimrc'],
  ['assembly', 'Assembly', '*.s *.asm'],
  ['fortran', 'Fortran', '*.f *.f90 *.f95 *.f03 *.f08 *.for'],
  ['pascal', 'Pascal', '*.pas *.pp *.dpr'],
  ['tcl', 'Tcl', '*.tcl #!tclsh #!wish #!expect'],
  ['nix', 'Nix', '*.nix'],
  ['yaml', 'YAML', '*.yaml *.yml .clang-format application/yaml text/yaml application/vnd.yaml'],
  ['toml', 'TOML', '*.toml cargo.lock poetry.lock uv.lock pdm.lock pipfile'],
  ['ini', 'INI', '*.ini *.cfg *.desktop *.service *.timer *.socket *.editorconfig *.gitconfig .flake8'],
]

const NAME_OF: ReadonlyMap<string, string> = new Map(LANGUAGES.map(([id, name]) => [id, name]))
const BY_NAME: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap(([id, , names]) =>
    [`text/x-${id}`, `application/x-${id}`, ...names.split(' ')].map((name) => [name, id]),
  ),
)

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
    BY_NAME.get(file) ??
    BY_NAME.get(file.includes('.') ? `*${file.slice(file.lastIndexOf('.'))}` : '') ??
    BY_NAME.get(contentType?.includes('/') === true ? contentType : '') ??
    languageOfShebang(start)
  )
}

/** Returns the display name of an id, for example `C++` for `cpp`, or the id itself if the id is unknown. */
export function languageName(id: string): string {
  return NAME_OF.get(id) ?? id
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
  const name = `#!${program?.slice(program.lastIndexOf('/') + 1).toLowerCase() ?? ''}`
  return BY_NAME.get(name) ?? BY_NAME.get(name.replace(/[\d.]+$/, ''))
}
