import type { LineRule } from './line-rule.ts'

/** How linters report offences, most of them without a word of failure. */
export const LINTER_RULES: readonly LineRule[] = [
  {
    tools: ['eslint', 'hadolint-yamllint'],
    kind: 'error',
    weight: 82,
    words: 'error',
    pattern: /^\s+\d+:\d+ +(?:- )?error\b/,
  },
  {
    tools: ['rubocop', 'mypy', 'ruff', 'biome', 'tsc', 'checkstyle'],
    kind: 'summary',
    weight: 80,
    words: 'offense error problem violation issues',
    pattern:
      /\b[1-9]\d*(?:,\d{3})* (?:offenses?|errors?|problems?|violations?|issues?) (?:detected|found|generated|emitted)|\bFound [1-9]\d*(?:,\d{3})* (?:errors?|problems?|issues?)|\bends with [1-9]\d* errors/i,
  },
  {
    tools: ['biome'],
    kind: 'error',
    weight: 84,
    words: '*',
    pattern: /^\S{1,200}:\d+:\d+ (?:lint|parse|assist|format)\S* ━{3}/,
  },
  {
    tools: ['perlcritic'],
    kind: 'error',
    weight: 62,
    words: 'column',
    pattern: /\bat line \d+, column \d+/,
  },
  {
    tools: ['shellcheck'],
    kind: 'error',
    weight: 84,
    words: 'warning error',
    pattern: /\bSC\d{4} \((?:error|warning)\)/,
  },
  {
    tools: ['pylint', 'prettier'],
    kind: 'summary',
    weight: 78,
    words: '^your issues',
    pattern: /^Your code has been rated at (?!10\.00)|^\[warn\] Code style issues found/,
  },
]
