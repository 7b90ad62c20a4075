import type { LineRule } from './line-rule.ts'

/** How package managers say what they cannot resolve, fetch, build or install. */
export const PACKAGE_RULES: readonly LineRule[] = [
  { tools: ['npm'], kind: 'error', weight: 86, words: '^npm', pattern: /^npm (?:ERR!|error)(?: \S|$)/ },
  {
    tools: ['pnpm', 'yarn', 'turbo'],
    kind: 'exit',
    weight: 96,
    words: 'elifecycle failed',
    pattern: /\bELIFECYCLE\b|^error Command failed with|\bYN0000: Failed with errors/,
  },
  {
    tools: ['pnpm'],
    kind: 'failure',
    weight: 84,
    words: 'failed',
    pattern: /^\S+ \w*(?:install|build|test|prepare)\w*: Failed$/,
  },
  {
    tools: ['yarn'],
    kind: 'error',
    weight: 86,
    words: 'couldn error failed',
    pattern: /^➤ YN\d{4}: .{0,200}(?:couldn't be|failed|error)/i,
  },
  {
    tools: ['poetry', 'uv', 'composer', 'conda', 'npm', 'cargo', 'bundler', 'dnf'],
    kind: 'error',
    weight: 88,
    words: 'solving solution could unable problem failed incompatible because unsatisfiable',
    pattern:
      /\bversion solving failed|\bNo solution found|\bunsatisfiable\b|\bcould not be resolved to an installable|\bunable to (?:resolve|select|find)|\bfailed to select a version|\bfollowing packages are incompatible|^\s*Problem(?: \d+)?\s*(?::|$)|^\s*Because (?:no versions of|only|\S+ depends on|every version of) |\bcould not solve for environment|\bcould not find compatible versions/i,
  },
  {
    tools: ['composer', 'dnf', 'conda'],
    kind: 'detail',
    weight: 78,
    words: 'satisfy provides providers conflicting exist such ^required',
    pattern:
      /\bdoes not satisfy that requirement|-> satisfiable by|\bnothing provides\b|\bnone of the providers can be installed|\bconflicting requests\b|\bdoes not exist \(perhaps|^\s*required by: |\bno such package\b/i,
  },
  {
    tools: ['apt', 'rpm-mock'],
    kind: 'error',
    weight: 90,
    words: '^e dpkg errors unmet',
    pattern: /^E: \S|^dpkg: error|^RPM build errors|^Errors were encountered while processing|\bunmet dependencies\b/,
  },
  {
    tools: ['bundler', 'pip', 'autoconf'],
    kind: 'error',
    weight: 88,
    words: 'failed ^unable ^configure',
    pattern:
      /\bFailed (?:to build|building) |^\*\*\* \S+ failed \*\*\*|^Unable to find |^configure: error|\bPackage requirements \(.{1,200}\) were not met/,
  },
]
