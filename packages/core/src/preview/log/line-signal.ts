/** What a line says, as far as it can be told from the line alone. */
export type SignalKind = 'exit' | 'failure' | 'error' | 'cause' | 'detail' | 'summary' | 'warning' | 'none'

/** How much a line matters on its own, from 0 to 100, and where in it that shows. */
export interface LineSignal {
  readonly kind: SignalKind
  readonly weight: number
  /** Index of the match in UTF-16 units. */
  readonly at: number
  /** Whether the line is a heading: what it announces stands below it. */
  readonly heads: boolean
}

const NONE: LineSignal = { kind: 'none', weight: 0, at: 0, heads: false }

type Rule = readonly [kind: SignalKind, weight: number, pattern: RegExp]

// Every pattern below is tried on a text of at most about 1,000 characters, and none nests quantifiers.

/** What at least one rule below needs: most lines have none of it. */
const VOCABULARY =
  /err|fail|exce|fatal|panic|abort|exit|warn|deprec|\bnot? |cannot|can't|could|un(?:able|known|defined|resolved|expected|supported|handled|caught|reachable)|denied|refused|reject|reset|time|kill|crash|corrupt|conflict|match|miss|invalid|illegal|violat|ambig|inconsist|deadlock|expect|received|actual|cause|reason|suppress|trace|handling|assert|segm|core dump|overflow|memory|\bsig|sanitizer|interrupt|issues|wrong|quit|return|terminat|make|problem|severe|critical|nothing|out of|does|[✗✘✕✖❌⨯●×⚠]|^\s*\d+\) |^[_!=═─-]{3}/i

/** A warning, with no word of failure beside it, is no more than that. */
const FAILURE = /err|fail|exce|fatal|panic|abort|exit|cannot|unable|denied|✖|✗/i

/** Lines that speak of success, or of failures that did not happen. */
const HARMLESS =
  /^\s*(?:ok\b|✓|✔|√|passed\b)|\b(?:\.\.\.|…) ?(?:ok|passed|skipped|yes|no|done|found|none needed)\s*$|\bexit(?:ed)?(?: with)?(?: code| status)? ?[:=]? ?0\b|^(?:0|no) (?:errors?|warnings?|failures?|problems?)\b|\b(?:xfail|expected failure)/i

/** The same, where case tells. */
const PASSED = /^\s*PASS\b|\bPASSED\b/

/** Counts of nothing. */
const ZERO =
  /\b(?:failures?|errors?|failed|warnings?)[:=] ?0\b|\b(?:0|no) (?:failures?|errors?|failed|failing|warnings?|problems?)\b/i

/** Lines that name many things in passing, such as what is downloaded, compiled or installed. */
const PROGRESS =
  /^\s*(?:\[[\w ./%-]{1,20}\]\s*)*(?:(?:re)?download(?:ing|ed)?|compil(?:ing|ed)|fetch(?:ing|ed)|get:|hit:|ign:|unpacking|selecting|setting up|preparing|collecting|install(?:ing|ed)|extract(?:ing|ed)|resolving|updat(?:ing|ed)|add(?:ing|ed)|using|requirement|building|generating|copying|creat(?:ing|e)|inflating|processing|linking|checking|looking for|running|loading|loaded|remote:|from|receiving|cloning|successfully)\b/i

/** Commands as a shell or build tool echoes them. */
const COMMAND =
  /^\s*(?:\++ |\$ |> (?!Task)|\[command\]|Run |cd \S+ && |\S*\/?(?:gcc|g\+\+|cc|clang|clang\+\+|javac|rustc|ghc|cl\.exe|ar|ld) -)/

/** What to do next, as tools say it after every failure alike. */
const ADVICE =
  /\b(?:[Rr]e-?run\b.{0,20}\b(?:with|using)|for more (?:information|details|help)|to see the full|please (?:refer|read|see|visit|check the)|see the (?:report|log|documentation)|[Rr]un with --|resume the build|\[Help \d\]|get more help|set the log level|this is probably not a problem with npm|[Aa] complete log of this run|consider (?:re-?running|adding)|To suppress this)/

interface RuleGroup {
  /** What every rule of the group needs: without it, none is tried. */
  readonly gate: RegExp
  readonly rules: readonly Rule[]
}

const EXITS: RuleGroup = {
  gate: /exit|build|make|ELIFECYCLE|command failed|code|status|signal|return|quit|terminated|job failed/i,
  rules: [
    ['exit', 100, /\bexited with (?:code |status )?-?[1-9]/i],
    [
      'exit',
      100,
      /\bProcess completed with exit code [1-9]|\bmarked build as failure|\bERROR: Job failed|\breturned a non-zero code/,
    ],
    [
      'exit',
      96,
      /^(?:.{0,40}\s)?make(?:\[\d+\])?: \*\*\* |\bELIFECYCLE\b|^error Command failed with|^RPM build errors/,
    ],
    ['exit', 90, /\bBUILD FAIL(?:ED|URE)\b|^FAILURE: Build|^\s*Build failed\b/],
    [
      'exit',
      84,
      /\b(?:exit(?:ed)?|return(?:ed|ing)?|quit|terminated)(?: with)?(?: an?)?(?: exit| error| non-zero| nonzero)* ?(?:code|status|signal)?\b\W{0,3}(?!0\b)-?\d{1,3}$/i,
    ],
  ],
}

const FAILURES: RuleGroup = {
  gate: /fail|<<<|not ok|went wrong|\d (?:errors?|problems?|of)|errors?[:=] ?\d|^\s*(?:[✗✘✕✖❌⨯●×]|\d+\) |error|(?:\[\w+\]\s*)?(?:errors?|issues)\b|tests in error)|^[_!═=─-]{3}/i,
  rules: [
    ['summary', 90, /\bTests run: ?\d+, ?(?:Failures: ?[1-9]|Failures: ?0, ?Errors: ?[1-9])/],
    [
      'failure',
      96,
      /^\s*-{3} FAIL: |<<< (?:FAILURE|ERROR)!|\*\*\* FAILED \*\*\*|^\s*not ok \d|^(?:ERROR|FAIL): \w\S* ?[([]/,
    ],
    ['failure', 94, /^(?:FAILED|FAIL|ERROR)\b[: ]\s?\S*(?:::|\/|\.\w+)/],
    ['failure', 92, /^\s*(?:[✗✘✕✖❌⨯●×]|\d+\) )\s*\S/],
    [
      'failure',
      92,
      /^\s*(?:\[\w+\]\s*)?(?:Failures?|Failed tests?|Tests in error|Failed examples|Failing tests?|Errors?|Issues)(?: ?\(\d+\))?:?(?: :-\()?\s*$/i,
    ],
    ['failure', 90, /\bFAILED(?: CONSISTENTLY)?\b(?! \()|\.\.\. ?FAIL(?:ED|URE)?\b|^\s*FAIL\b|\bFAIL$/],
    [
      'failure',
      88,
      /^[_!]{3,} .{1,160} [_!]{3,}$|^[═=─-]{3,} ?(?:FAILURES|ERRORS|short test summary info) ?[═=─-]{3,}|^\* What went wrong:/,
    ],
    [
      'summary',
      80,
      /\b[1-9]\d* (?:tests? |specs? |examples?, |of \d+ )?(?:FAILED|failed|failures?|failing|errors?|problems?)\b|\b(?:failures?|errors?|failed)[:=] ?[1-9]\d*|^FAILED \(/i,
    ],
  ],
}

const ERRORS: RuleGroup = {
  gate: /err|fatal|panic|abort|severe|critical|cause|reason|suppress|handling|exce|fail|interrupt|exit|time|trace|unhandled|uncaught|segm|core dump|overflow|memory|SIG|sanitizer|assert|expect|received|actual|^E\s|was not|did not/i,
  rules: [
    [
      'error',
      92,
      /^(?:.{0,60}\s)?(?:fatal|panic|panicked|FATAL ERROR|fatal error|Fatal error)\b[: ]|^thread '.{1,80}' panicked|^rake aborted!/,
    ],
    [
      'error',
      90,
      /##\[error\]|^::error|(?:^|[\s:[(])(?:error|ERROR|Error|SEVERE)(?:\[[\w-]+\]|\s[A-Z]{1,6}\d{2,6}|\s\(.{1,60}?\))?:(?:\s*\S|$)/,
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
      /^(?:\s*(?:E\s+)?|.{0,80}: |.{0,20}=> )(?:[a-zA-Z_$][\w$]*[.:\\]{1,2})*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Exit|Timeout)\b(?:$|:| \[|\s-)/,
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
  ],
}

/** Tried in this order; the first rule that applies tells. */
const STRONG: readonly RuleGroup[] = [EXITS, FAILURES, ERRORS]

const MEDIUM: readonly Rule[] = [
  [
    'error',
    70,
    /\b(?:undefined reference|unresolved (?:external|import|reference)|cannot find|could not (?:find|resolve|connect|open|load|parse|compile|import|read|write)|couldn't|command not found|no such file|permission denied|access denied|connection (?:refused|reset|timed)|not a member of|is not defined|does not exist|is not (?:recognized|found|installed|a valid)|no matching|unable to|can't|not found:|invalid (?:argument|reference|syntax|option|value)|syntax error|mismatched|nothing provides|out of range|no space left|address already in use|received (?:SIG|fatal))/i,
  ],
  [
    'error',
    64,
    /(?<![\w/.$-])(?:failed|failure|failing|fails|aborted|aborting|crashed|timed out|killed|denied|refused|rejected|unhandled|corrupt(?:ed)?)(?![\w/=-]|\.\w)/i,
  ],
  [
    'error',
    52,
    /(?<![\w/.$-])(?:errors?|failures|exceptions?|timeout)(?![\w/=-]|\.\w)|\b(?:cannot|unable|not found|no such|undefined|unexpected|missing|unknown|unsupported|conflict(?:s|ing)?|incompatible|mismatch|illegal|invalid|violat(?:es|ion|ions)|unreachable|ambiguous|inconsistent|deadlock|expected)\b/i,
  ],
]

const WARNING: Rule = [
  'warning',
  34,
  /(?:^|[\s:[(\]])(?:warn(?:ing)?s?|WARN(?:ING)?S?|Warning)\b|##\[warning\]|⚠|\bdeprecated\b|[a-z]Warning: /i,
]

/** Of a longer line, this much of the start and of the end is looked at. */
const START_UNITS = 800
const END_UNITS = 240

/** At least three words. */
const SENTENCE = /\S\s+\S+\s+\S/

/** A line that announces what stands below it. */
const HEADING =
  /:\s*$|^[_=!]{3,} .*[_=!]{3,}$|\bFAILURES\b|Traceback \(most recent|-{3} FAIL: |\bFAILED$|<<< (?:FAILURE|ERROR)!$|:-\(\s*$/

/** Tell how much a cleaned line matters on its own. Pure: the same line always has the same signal. */
export function lineSignal(line: string): LineSignal {
  if (line.length <= START_UNITS + END_UNITS) return classify(line)
  const signal = classify(`${line.slice(0, START_UNITS)} ${line.slice(-END_UNITS)}`)
  return signal.at < START_UNITS ? signal : { ...signal, at: signal.at + line.length - START_UNITS - END_UNITS - 1 }
}

function classify(text: string): LineSignal {
  if (!VOCABULARY.test(text)) return NONE
  const warning = text.search(WARNING[2])
  if (warning >= 0 && !FAILURE.test(text)) return classifyWarning(text, warning)
  const harmless = HARMLESS.test(text) || PASSED.test(text)
  const command = COMMAND.test(text)
  const heads = HEADING.test(text)
  if (!command) {
    for (const { gate, rules } of STRONG) {
      if (!gate.test(text)) continue
      for (const [kind, weight, pattern] of rules) {
        const at = text.search(pattern)
        if (at < 0) continue
        if (harmless && weight < 95) return { kind: 'none', weight: 8, at, heads: false }
        if (kind !== 'exit' && ADVICE.test(text)) return { kind, weight: 30, at, heads: false }
        return { kind, weight, at, heads }
      }
    }
  }
  if (harmless || ADVICE.test(text) || ZERO.test(text)) return NONE
  const damp = command ? 0.25 : PROGRESS.test(text) ? 0.4 : 1
  for (const [kind, weight, pattern] of MEDIUM) {
    const at = text.search(pattern)
    if (at < 0) continue
    if (warning >= 0) break
    // A bare word or name reports nothing.
    if (!SENTENCE.test(text)) return NONE
    return { kind: damp < 1 ? 'none' : kind, weight: weight * damp, at, heads }
  }
  return warning >= 0 ? classifyWarning(text, warning) : NONE
}

function classifyWarning(text: string, at: number): LineSignal {
  const damp = COMMAND.test(text) ? 0.25 : PROGRESS.test(text) ? 0.4 : HARMLESS.test(text) || ZERO.test(text) ? 0 : 1
  return damp === 0 ? NONE : { kind: 'warning', weight: WARNING[1] * damp, at, heads: HEADING.test(text) }
}
