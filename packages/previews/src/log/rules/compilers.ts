import type { LineRule } from './line-rule.ts'

/** How compilers and linkers report what they cannot compile. */
export const COMPILER_RULES: readonly LineRule[] = [
  {
    tools: [
      'gcc',
      'clang',
      'msvc',
      'rustc',
      'javac',
      'tsc',
      'ghc',
      'csc-msbuild',
      'swiftc',
      'lld',
      'mypy',
      'pyright',
      'nuget',
      'vite',
      'gfortran',
      'cargo',
      'brew',
      'meson',
      'nix',
      'helm',
      'puppet',
    ],
    kind: 'error',
    weight: 90,
    words: 'error severe',
    pattern:
      /(?:^|[\s[(\]]|[\d)\]]:)(?:error|ERROR|Error|SEVERE)(?:\[[\w-]+\]|\s[A-Z]{1,6}\d{2,6}|\s\(.{1,60}?\))?:(?:\s*\S|$)/,
  },
  {
    tools: ['scalac', 'esbuild', 'webpack', 'prettier', 'checkstyle', 'rollup', 'log4j', 'turbo'],
    kind: 'error',
    weight: 86,
    words: 'error fatal severe critical err *',
    pattern:
      /^\s*(?:\S{1,2} )?\[?\s*(?:error|ERROR|FATAL|SEVERE|fatal|Error|ERR!?)\s*\]|^\s*(?:ERROR|FATAL|CRITICAL|SEVERE|Error|error|Fatal)\s+\S|\s(?:ERROR|FATAL|CRITICAL|SEVERE) +\S|\| ?ERROR ?\||^\[!\] /,
  },
  {
    tools: ['rust', 'cargo-test', 'php', 'ansible', 'docker-compose'],
    kind: 'error',
    weight: 92,
    words: 'fatal panic panicked ^rake',
    pattern:
      /^(?:.{0,60}[\s|])?(?:fatal|panic|panicked|FATAL|FATAL ERROR|fatal error|Fatal error)\b[: ]|^thread '.{1,80}' panicked|^rake aborted!/,
  },
  { tools: ['kotlinc'], kind: 'error', weight: 90, words: '^e', pattern: /^e: \S/ },
  {
    tools: [
      'go-build',
      'go-vet',
      'flake8',
      'pylint',
      'rubocop',
      'ruff',
      'golangci-lint',
      'erlc',
      'hadolint-yamllint',
      'tsc',
    ],
    kind: 'error',
    weight: 66,
    words: '*',
    pattern:
      /^\s*(?:(?:vet|note|lint): )?(?:\.{0,2}\/|[A-Za-z]:\\)?[\w@./\\+-]{1,200}[./]\w{1,12}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):? (?!\+0x)\S/,
  },
  {
    tools: ['ld', 'lld', 'kotlinc', 'webpack'],
    kind: 'error',
    weight: 76,
    words: 'undefined unresolved cannot found',
    pattern:
      /\bundefined (?:reference to|symbol)|\bunresolved (?:external|import|reference)|\bcannot find (?:symbol|module|name|package|-l)|\bModule not found|\bUnresolved reference/i,
  },
  {
    tools: ['make', 'gcc', 'gfortran'],
    kind: 'exit',
    weight: 96,
    words: '^make ^gmake error',
    pattern: /^(?:.{0,40}\s)?\w*make(?:\[\d+\])?: \*\*\* /,
  },
  { tools: ['ninja', 'clang'], kind: 'failure', weight: 93, words: '^failed', pattern: /^FAILED: \S/ },
]
