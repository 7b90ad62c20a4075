/** What a line says, as far as it can be told from the line alone. */
export type SignalKind = 'exit' | 'failure' | 'error' | 'cause' | 'detail' | 'summary' | 'warning' | 'none'

/** How much a line matters on its own, from 0 to 100, and where in it that shows. */
export interface LineSignal {
  readonly kind: SignalKind
  readonly weight: number
  /** Index of the match in UTF-16 units. */
  readonly at: number
}

const NONE: LineSignal = { kind: 'none', weight: 0, at: 0 }

type Rule = readonly [kind: SignalKind, weight: number, pattern: RegExp]

// Every pattern below is tried on a text of at most about 1,000 characters, and none nests quantifiers.

/** Lines that speak of success, or of failures that did not happen. */
const HARMLESS =
  /^\s*(?:ok\b|PASS|✓|✔|√|passed\b)|\b(?:\.\.\.|…) ?(?:ok|passed|skipped|yes|no|done|found|none needed)\s*$|\bexit(?:ed)?(?: with)?(?: code| status)? ?[:=]? ?0\b|^(?:0|no) (?:errors?|warnings?|failures?|problems?)\b|\bPASSED\b|\b(?:xfail|expected failure)/i

/** Lines that name many things in passing, such as what is downloaded, compiled or installed. */
const PROGRESS =
  /^\s*(?:\[[\w ./%-]{1,20}\]\s*)*(?:(?:re)?download(?:ing|ed)?|compil(?:ing|ed)|fetch(?:ing|ed)|get:|hit:|ign:|unpacking|selecting|setting up|preparing|collecting|install(?:ing|ed)|extract(?:ing|ed)|resolving|updat(?:ing|ed)|add(?:ing|ed)|using|requirement|building|generating|copying|creat(?:ing|e)|inflating|processing|linking|checking|looking for|running|loading|loaded|remote:|from|receiving|cloning|successfully)\b/i

/** Commands as a shell or build tool echoes them. */
const COMMAND =
  /^\s*(?:\++ |\$ |> (?!Task)|\[command\]|Run |cd \S+ && |\S*\/?(?:gcc|g\+\+|cc|clang|clang\+\+|javac|rustc|ghc|cl\.exe|ar|ld) -)/

const STRONG: readonly Rule[] = [
  ['exit', 100, /\bexited with (?:code |status )?-?[1-9]/i],
  [
    'exit',
    100,
    /\bProcess completed with exit code [1-9]|\bmarked build as failure|\bERROR: Job failed|\breturned a non-zero code/,
  ],
  ['exit', 96, /^(?:.{0,40}\s)?make(?:\[\d+\])?: \*\*\* |\bELIFECYCLE\b|^error Command failed with|^RPM build errors/],
  ['exit', 90, /\bBUILD FAIL(?:ED|URE)\b|^FAILURE: Build|^\s*Build failed\b/],
  [
    'exit',
    84,
    /\b(?:exit(?:ed)?|return(?:ed)?|quit|terminated)(?: with)?(?: an?)?(?: exit| error| non-zero| nonzero)* ?(?:code|status|signal)\b\W{0,3}(?!0\b)-?\d/i,
  ],
  ['summary', 88, /\bTests run: ?\d+, ?(?:Failures: ?[1-9]|Failures: ?0, ?Errors: ?[1-9])/],
  [
    'failure',
    96,
    /^\s*-{3} FAIL: |<<< (?:FAILURE|ERROR)!|\*\*\* FAILED \*\*\*|^\s*not ok \d|^(?:ERROR|FAIL): \w\S* ?[([]/,
  ],
  ['failure', 94, /^(?:FAILED|FAIL|ERROR)\b[: ]\s?\S*(?:::|\/|\.\w+)/],
  ['failure', 92, /^\s*(?:[✗✘✕✖❌⨯●×]|\d+\) )\s*\S/],
  ['failure', 90, /\bFAILED(?: CONSISTENTLY)?\b(?! \()|\.\.\. ?FAIL(?:ED|URE)?\b|^FAIL\b|\bFAIL$/],
  [
    'failure',
    82,
    /^_{3,} .{1,160} _{3,}$|^[═=─-]{3,} ?(?:FAILURES|ERRORS|short test summary info) ?[═=─-]{3,}|^\s*(?:Failures?|Failed tests?|Tests in error|Failed examples|Errors?)(?: ?\(\d+\))?:\s*$/i,
  ],
  [
    'summary',
    80,
    /\b[1-9]\d* (?:tests? |specs? |examples?, |of \d+ )?(?:failed|failures?|failing|errors?|problems?)\b|\b(?:failures?|errors?|failed)[:=] ?[1-9]\d*|^FAILED \(/i,
  ],
  [
    'error',
    92,
    /^(?:.{0,60}\s)?(?:fatal|panic|panicked|FATAL ERROR|fatal error|Fatal error)\b[: ]|^thread '.{1,80}' panicked|^rake aborted!/,
  ],
  [
    'error',
    90,
    /##\[error\]|^::error|(?:^|[\s:[(])(?:error|ERROR|Error|SEVERE)(?:\[[\w-]+\]|\s[A-Z]{1,6}\d{2,6}|\s\(.{1,60}?\))?:\s*\S/,
  ],
  [
    'error',
    86,
    /^\s*\[?\s*(?:error|ERROR|FATAL|SEVERE|fatal|Error|ERR!?)\s*\]|^npm ERR!|^\s*(?:ERROR|FATAL|CRITICAL|SEVERE|Error|error)\s+\S|\s(?:ERROR|FATAL|CRITICAL|SEVERE) +\S|\| ?ERROR ?\|/,
  ],
  [
    'cause',
    80,
    /^\s*(?:Caused by|Reason|Cause|Suppressed|Root cause)\b ?:|^During handling of the above|^The above exception/i,
  ],
  [
    'error',
    88,
    /^(?:\s*(?:E\s+)?|.{0,80}: )(?:[a-zA-Z_$][\w$]*[.:\\]{1,2})*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Exit|Timeout)\b(?:$|:| \[|\s-)/,
  ],
  [
    'error',
    74,
    /Traceback \(most recent call last\)|^Unhandled |^Uncaught |\bSegmentation fault\b|\bcore dumped\b|\bUnhandledPromiseRejection|\bstack overflow\b|\bout of memory\b|\bSIG(?:SEGV|KILL|ABRT|BUS|INT|TERM|ILL|FPE)\b|\bAddressSanitizer\b|\bassertion (?:failed|`)/i,
  ],
  [
    'detail',
    72,
    /^E\s{2,}\S|^\s*(?:Expected|Received|Actual|expected|actual)\b ?:?.{0,3}\S|^\s*[-+] (?:Expected|Received)|^\s*Failed asserting|\bwas not (?:equal|greater|less|true)|\bdid not (?:match|equal|contain)|^\s*(?:AssertionError|Assertion failed)/,
  ],
]

const MEDIUM: readonly Rule[] = [
  [
    'error',
    70,
    /\b(?:undefined reference|unresolved (?:external|import|reference)|cannot find|could not (?:find|resolve|connect|open|load|parse|compile|import|read|write)|couldn't|command not found|no such file|permission denied|access denied|connection (?:refused|reset|timed)|not a member of|is not defined|does not exist|is not (?:recognized|found|installed|a valid)|no matching|unable to|can't|not found:|invalid (?:argument|reference|syntax|option|value)|syntax error|mismatched|nothing provides|out of range|no space left|address already in use|received (?:SIG|fatal))/i,
  ],
  [
    'error',
    62,
    /(?<![\w/.$-])(?:errors?|failed|failures?|failing|fails|exceptions?|aborted|crashed|timed? ?out|timeout|killed|denied|refused|rejected|unhandled|corrupt(?:ed)?)(?![\w/=-]|\.\w)/i,
  ],
  [
    'error',
    50,
    /\b(?:cannot|unable|not found|no such|undefined|unexpected|missing|unknown|unsupported|conflict(?:s|ing)?|incompatible|mismatch|illegal|invalid|violat(?:es|ion|ions)|unused|unreachable|ambiguous|inconsistent|deadlock|expected)\b/i,
  ],
]

const WARNING: Rule = [
  'warning',
  34,
  /(?:^|[\s:[(\]])(?:warn(?:ing)?s?|WARN(?:ING)?S?|Warning)\b|##\[warning\]|⚠|\bdeprecated\b/i,
]

/** Longest start of a line that is looked at. */
export const CLASSIFIED_UNITS = 800

/** Tell how much a cleaned line matters on its own. Pure: the same line always has the same signal. */
export function lineSignal(line: string): LineSignal {
  const text = line.length > CLASSIFIED_UNITS ? line.slice(0, CLASSIFIED_UNITS) : line
  const harmless = HARMLESS.test(text)
  const command = COMMAND.test(text)
  if (!command) {
    for (const [kind, weight, pattern] of STRONG) {
      const at = text.search(pattern)
      if (at >= 0) return harmless && weight < 95 ? { kind: 'none', weight: 8, at } : { kind, weight, at }
    }
  }
  if (harmless) return NONE
  const warning = text.search(WARNING[2])
  const damp = command ? 0.25 : PROGRESS.test(text) ? 0.4 : 1
  for (const [kind, weight, pattern] of MEDIUM) {
    const at = text.search(pattern)
    if (at < 0) continue
    if (warning >= 0) return { kind: 'warning', weight: WARNING[1] * damp, at: warning }
    return { kind: damp < 1 ? 'none' : kind, weight: weight * damp, at }
  }
  if (warning >= 0) return { kind: 'warning', weight: WARNING[1] * damp, at: warning }
  return NONE
}
