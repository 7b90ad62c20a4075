import type { LineRule } from './line-rule.ts'

/** Words that tell of failure whatever prints them; tried where no tool's own rule applies. */
export const GENERAL_RULES: readonly LineRule[] = [
  {
    tools: [],
    kind: 'error',
    weight: 70,
    words:
      'undefined unresolved cannot could unable such denied refused reset timed member exist recognized found matching syntax mismatch eaddrinuse invalid',
    pattern:
      /\b(?:undefined reference|unresolved (?:external|import|reference)|cannot (?:find|open|read|write|load|connect|create|access|use|borrow|resolve)|could not (?:find|resolve|connect|open|load|parse|compile|import|read|write)|couldn't|command not found|no such|permission denied|access denied|connection (?:refused|reset|timed)|not a member of|is not defined|does not exist|is not (?:recognized|found|installed|a valid)|no matching|unable to|can't|not found:|invalid (?:argument|reference|syntax|option|value)|syntax error|mismatched|out of range|no space left|address already in use|too many open files|received (?:SIG|fatal))/i,
  },
  {
    tools: [],
    kind: 'error',
    weight: 64,
    words: 'fail aborted crashed timed killed denied refused rejected declined unhandled corrupt',
    pattern:
      /(?<![\w/.$-])(?:failed|failure|failing|fails|aborted|aborting|crashed|timed out|killed|denied|refused|rejected|declined|unhandled|corrupt(?:ed)?)(?![\w/=-]|\.\w)/i,
  },
  {
    tools: [],
    kind: 'error',
    weight: 52,
    words:
      'error failures exception timeout cannot unable found such undefined unexpected missing unknown unsupported conflict incompatible mismatch illegal invalid violates unreachable ambiguous inconsistent deadlock expected wrong lost exceeded',
    pattern:
      /(?<![\w/.$-])(?:errors?|failures|exceptions?|timeout)(?![\w/=-]|\.\w)|\b(?:cannot|unable|not found|no such|undefined|unexpected|missing|unknown|unsupported|conflict(?:s|ing)?|incompatible|mismatch|illegal|invalid|violat(?:es|ion|ions)|unreachable|ambiguous|inconsistent|deadlock|expected|wrong|exceeded|lost)\b/i,
  },
]

export const WARNING_RULE: LineRule = {
  tools: ['eslint', 'maven', 'pnpm', 'thread-sanitizer'],
  kind: 'warning',
  weight: 34,
  words: 'warn deprecated *',
  pattern: /(?:^|[\s:[(\]])(?:warn(?:ing)?s?|WARN(?:ING)?S?|Warning)\b|##\[warning\]|⚠|\bdeprecated\b|[a-z]Warning: /i,
}
