import type { LineRule } from './line-rule.ts'

/** How test runners name what failed, what was expected, and how many. */
export const TEST_RULES: readonly LineRule[] = [
  {
    tools: ['go-test', 'junit-surefire', 'scalatest', 'catch2', 'tap', 'prove', 'unittest', 'nose', 'ctest'],
    kind: 'failure',
    weight: 96,
    words: 'fail error timeout exception ^not',
    pattern:
      /^\s*-{3} FAIL: |<<< (?:FAILURE|ERROR)!|\*\*\* FAILED \*\*\*|^\s*not ok \d|^(?:ERROR|FAIL): \w\S* ?(?:[([]|$)|\*\*\*(?:Failed|Exception|Timeout|Not Run)\b|^[\w/.-]+:\d+: FAILED:/,
  },
  {
    tools: ['pytest', 'jest', 'vitest', 'pest', 'testng', 'googletest', 'busted'],
    kind: 'failure',
    weight: 94,
    words: 'fail error',
    pattern: /^\s*(?:FAILED|FAIL|ERROR)\b[: ]\s*\S*(?:::|\/|\\|\.\w+|\w{4})|^\s*\[ +FAILED +\] \S/,
  },
  {
    tools: [
      'jest',
      'mocha',
      'rspec',
      'minitest',
      'phpunit',
      'exunit',
      'jasmine',
      'cypress',
      'playwright',
      'ava',
      'pest',
    ],
    kind: 'failure',
    weight: 92,
    words: '*',
    pattern: /^\s*(?:[✗✘✕✖❌⨯●×]|\d+\) )\s*\S|^.{0,3}❌ /,
  },
  { tools: ['vitest'], kind: 'failure', weight: 76, words: 'failed', pattern: /^\s*❯ .{1,200} \d+ failed\)/ },
  {
    tools: ['junit-surefire', 'rspec', 'cargo-test', 'cucumber', 'minitest', 'xctest', 'ctest', 'scalatest', 'phpunit'],
    kind: 'failure',
    weight: 92,
    words: 'fail error issues',
    pattern:
      /^\s*(?:\[\w+\]\s*)?(?:\d+\) )?(?:Failures?|Failed tests?|Tests in error|Failed examples|Failing (?:tests?|scenarios)|Errors?|Issues|The following tests FAILED|There (?:was|were) \d+ (?:failures?|errors?))(?: ?\(\d+\))?:?(?: :-\()?\s*$/i,
  },
  {
    tools: ['gradle', 'karma', 'unittest', 'rspec', 'cargo-test', 'dotnet-test', 'xctest', 'pytest'],
    kind: 'failure',
    weight: 90,
    words: 'fail error',
    pattern:
      /\bFAILED(?: CONSISTENTLY)?\b(?! \()|\.\.\. ?(?:FAIL(?:ED|URE)?|ERROR)\s*$|^\s*FAIL\b|\bFAIL$|\((?:FAILED - \d+|FAILED)\)|^\s+Failed \S+ \[[\d.< ]+ m?s\]|^Test Case '.{1,200}' failed|\*\* \w+ FAILED \*\*/,
  },
  { tools: ['googletest'], kind: 'failure', weight: 92, words: 'failure', pattern: /^\S{1,200}[:(]\d+\)?: Failure$/ },
  {
    tools: ['exunit', 'busted'],
    kind: 'detail',
    weight: 74,
    words: 'assert ^left ^right ^code ^passed ^because',
    pattern: /^\s*(?:Assertion with \S+ failed|code: {2}\S|left: +\S|right: +\S|Passed in:|because (?:no|an|the) )/,
  },
  {
    tools: ['pytest', 'gradle', 'elm'],
    kind: 'failure',
    weight: 88,
    words: '* wrong',
    pattern:
      /^[_!]{3,} .{1,160} [_!]{3,}$|^[═=─⎯-]{3,} ?(?:FAILURES|ERRORS|short test summary info|Failed Tests \d+) ?[═=─⎯-]{3,}|^\* What went wrong:|^-- [A-Z][A-Z ]{3,40} -{3,}/,
  },
  {
    tools: ['junit-surefire', 'testng'],
    kind: 'summary',
    weight: 90,
    words: 'failures errors',
    pattern: /\bTests run: ?\d+, ?(?:Failures: ?[1-9]|Failures: ?0, ?Errors: ?[1-9])/,
  },
  {
    tools: [
      'jest',
      'vitest',
      'mocha',
      'cargo-test',
      'rspec',
      'minitest',
      'exunit',
      'unittest',
      'karma',
      'ava',
      'cucumber',
    ],
    kind: 'summary',
    weight: 80,
    words: 'fail error problem',
    pattern:
      /\b[1-9]\d*(?:,\d{3})* (?:tests? |specs? |examples?, |scenarios? |of \d+ )?(?:FAILED|failed|failures?|failing|errors?|problems?)\b|\b(?:failures?|errors?|failed|failing):? ?[=:]? ?[1-9]\d*\b|^FAILED \(|^# fail [1-9]/i,
  },
  {
    tools: ['catch2', 'prove', 'dotnet-test'],
    kind: 'summary',
    weight: 82,
    words: 'fail wstat ^looks ^result',
    pattern:
      /^(?:test cases|assertions): .{1,80} failed$|^# Looks like you (?:failed|planned)|^Result: (?:FAIL|NOTESTS)|\(Wstat: [1-9]|^Test Run Failed|^\s*Failed test(?:s|\(s\))?: +\d/i,
  },
  {
    tools: [
      'pytest',
      'jest',
      'rspec',
      'minitest',
      'phpunit',
      'jasmine',
      'dotnet-test',
      'googletest',
      'prove',
      'playwright',
    ],
    kind: 'detail',
    weight: 72,
    words: '^e ^expected ^received ^actual failed assertion ^got ^which ^require ^expect ^assert ^structures ^at',
    pattern:
      /^E\s{2,}\S|^\s*(?:Expected|Received|Actual|expected|received|actual|got)\b ?:?.{0,3}\S|^\s*[-+] (?:Expected|Received)|^\s*Failed asserting|^\s*(?:AssertionError|Assertion failed)|^\s+Which is: |^#\s+(?:\$\w|got|expected|Failed test|at \S+ line \d|Structures begin)|^\s+(?:REQUIRE|CHECK|EXPECT|ASSERT)\w*\( /,
  },
]
