import type { LineRule } from './line-rule.ts'

/** How build tools, beside the compilers they run, say what stopped them. */
export const BUILD_RULES: readonly LineRule[] = [
  {
    tools: ['gradle', 'maven', 'ant', 'msvc', 'kotlinc', 'bazel', 'csc-msbuild'],
    kind: 'exit',
    weight: 90,
    words: 'fail',
    pattern:
      /\bBUILD FAIL(?:ED|URE)\b|^FAILURE: Build|^\s*[Bb]uild (?:failed|FAILED)\b|^FAILED: Build did NOT complete/,
  },
  {
    tools: ['ninja', 'clang', 'cmake'],
    kind: 'exit',
    weight: 88,
    words: 'stopped ^ninja incomplete',
    pattern: /^ninja: build stopped|^-- Configuring incomplete/,
  },
  {
    tools: ['gradle', 'kotlinc', 'maven', 'turbo'],
    kind: 'failure',
    weight: 88,
    words: 'fail error',
    pattern:
      /^Execution failed for task|^> Task \S+ FAILED|^\s*> (?:Compilation error|There were failing tests)|\bFailed to execute goal\b|^\s*Failed: {2,}\S/,
  },
  { tools: ['cmake'], kind: 'error', weight: 91, words: '^cmake', pattern: /^CMake Error\b/ },
  {
    tools: ['nix', 'ghc', 'nuget'],
    kind: 'error',
    weight: 86,
    words: 'failed',
    pattern: /\bbuilder for '.{1,200}' failed|^Failed to (?:build|restore) /,
  },
  {
    tools: ['ant'],
    kind: 'error',
    weight: 84,
    words: '*',
    pattern: /^\S{1,200}\.xml:\d+: \S/,
  },
  { tools: ['ninja'], kind: 'error', weight: 84, words: '^usage error', pattern: /^\S{1,60}: error: |^usage: \S/ },
]
