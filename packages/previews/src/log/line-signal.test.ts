import { describe, expect, it } from 'vitest'
import { lineSignal } from './line-signal.ts'

/** Lines that programs print when something failed, by program. */
const failures: Record<string, readonly string[]> = {
  pytest: [
    'FAILED tests/test_api.py::test_login - AssertionError: assert 401 == 200',
    'E       assert 401 == 200',
    '_________________________ test_login _________________________',
    '=================================== FAILURES ===================================',
    '=========== 1 failed, 12 passed in 0.34s ===========',
    '!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!',
  ],
  unittest: ['FAIL: test_sum (tests.test_math.SumTest)', 'FAILED (failures=1)', 'Traceback (most recent call last):'],
  python: [
    "ModuleNotFoundError: No module named 'requests'",
    'KeyError: 7',
    'django.db.utils.OperationalError: no such table: x',
  ],
  jest: [
    '  ● Login › rejects a wrong password',
    'FAIL src/login.test.ts',
    '    ✕ rejects a wrong password (5 ms)',
    'Tests:       1 failed, 12 passed, 13 total',
  ],
  vitest: [
    ' FAIL  src/login.test.ts > rejects a wrong password',
    ' ❯ src/login.test.ts:12:5 AssertionError: expected 1 to be 2',
    '   × rejects 4ms',
  ],
  mocha: ['  1) Login rejects a wrong password:', '  3 failing', '     AssertionError: expected true to equal false'],
  node: [
    'not ok 3 - rejects',
    "Error: Cannot find module 'left-pad'",
    'Uncaught Error: boom',
    'npm ERR! code ELIFECYCLE',
    'TypeError: x.map is not a function',
  ],
  typescript: [
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    "src/a.ts:3:5 - error TS2322: Type 'string' is not",
  ],
  eslint: ['  3:5  error  Unexpected console statement  no-console', '✖ 2 problems (2 errors, 0 warnings)'],
  go: [
    '--- FAIL: TestLogin (0.01s)',
    'FAIL\texample.com/login\t0.012s',
    'panic: runtime error: index out of range [3] with length 3',
    './main.go:7:2: undefined: foo',
  ],
  rust: [
    'error[E0308]: mismatched types',
    "thread 'main' panicked at src/main.rs:2:5:",
    'test login::rejects ... FAILED',
    'error: could not compile `app` due to 2 previous errors',
  ],
  gcc: [
    "main.c:4:5: error: 'x' undeclared (first use in this function)",
    'main.c:1:10: fatal error: foo.h: No such file or directory',
    "main.o: undefined reference to `foo'",
    'collect2: error: ld returned 1 exit status',
  ],
  msvc: ['main.cpp(4): error C2065: x: undeclared identifier', 'LINK : fatal error LNK1104: cannot open file'],
  java: [
    'Main.java:5: error: cannot find symbol',
    'Exception in thread "main" java.lang.NullPointerException: x is null',
    'Caused by: java.io.IOException: closed',
  ],
  maven: [
    '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1 s <<< FAILURE! - in a.LoginTest',
    '[INFO] BUILD FAILURE',
    '[ERROR] /src/A.java:[3,5] cannot find symbol',
  ],
  gradle: ['LoginTest > rejects() FAILED', '* What went wrong:', '> Task :app:test FAILED', 'BUILD FAILED in 3s'],
  sbt: [
    '[error] /src/A.scala:3:5: not found: value x',
    '[info] - rejects *** FAILED ***',
    '[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful',
  ],
  ruby: [
    'rspec ./spec/login_spec.rb:3 # Login rejects: FAILED',
    '5 examples, 1 failure',
    'rake aborted!',
    '  1) Login rejects a wrong password',
  ],
  php: [
    'There was 1 failure:',
    '1) LoginTest::testRejects',
    'Failed asserting that false is true.',
    'PHP Fatal error:  Uncaught Error: Call to undefined function f()',
  ],
  elixir: [
    '  1) test rejects (LoginTest)',
    '** (CompileError) lib/a.ex:3: undefined function f/0',
    '3 tests, 1 failure',
  ],
  haskell: ['src/A.hs:3:5: error:', 'src/A.hs:3:5: error: [GHC-88464] Variable not in scope: x'],
  make: [
    'make: *** [Makefile:3: all] Error 1',
    'make[2]: *** [x.o] Error 1',
    'ninja: build stopped: subcommand failed.',
    'CMake Error at CMakeLists.txt:3 (find_package):',
  ],
  shell: [
    'bash: foo: command not found',
    'cp: cannot stat ‘a’: No such file or directory',
    'Segmentation fault (core dumped)',
    'curl: (6) Could not resolve host: example.com',
    'mkdir: cannot create directory ‘x’: Permission denied',
  ],
  docker: [
    'ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2',
    "The command '/bin/sh -c make' returned a non-zero code: 2",
  ],
  git: [
    'fatal: not a git repository (or any of the parent directories): .git',
    'CONFLICT (content): Merge conflict in a.txt',
    'error: failed to push some refs to',
  ],
  ci: [
    '##[error]Process completed with exit code 1.',
    'The command "npm test" exited with 1.',
    'ERROR: Job failed: exit code 1',
    "Build step 'Execute shell' marked build as failure",
    '::error file=a.ts::wrong',
  ],
  pip: ['ERROR: Could not find a version that satisfies the requirement foo==9', 'error: subprocess-exited-with-error'],
  yarn: [
    'error Command failed with exit code 1.',
    'error An unexpected error occurred: "https://registry/x: Not found".',
  ],
}

/** Lines that contain the words without meaning a failure. */
const harmless = [
  'test result: ok. 12 passed; 0 failed; 0 ignored',
  'Tests run: 12, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s',
  'The command "npm install" exited with 0.',
  'Process finished with exit code 0',
  '0 errors, 0 warnings',
  'tests/test_errors.py::test_error_message PASSED [ 12%]',
  '✓ throws an error for a wrong password (3 ms)',
  'ok 3 - fails when it should',
  '   Compiling thiserror v1.0.40',
  'Downloading https://files/exceptiongroup-1.1.1-py3-none-any.whl',
  'Collecting pytest-error-for-skips',
  '[12/90] Building CXX object src/CMakeFiles/core.dir/error.cc.o',
  'checking for error_at_line... no',
  '+ set -e --fail-fast',
  'Unpacking libgpg-error0:amd64 (1.21) ...',
  'Installing collected packages: exceptiongroup, error-handler',
  'a perfectly normal line',
  '',
]

describe('lineSignal', () => {
  for (const [program, lines] of Object.entries(failures)) {
    it.each(lines)(`sees what ${program} reports: %s`, (line) => {
      expect(lineSignal(line).weight).toBeGreaterThanOrEqual(50)
    })
  }

  it.each(harmless)('makes little of: %s', (line) => {
    expect(lineSignal(line).weight).toBeLessThan(30)
  })

  it.each([
    'warning: unused variable: `x`',
    '[WARNING] deprecated API',
    "main.c:3:5: warning: unused variable 'x'",
    '(node:1) DeprecationWarning: Buffer()',
    '##[warning]Node 16 is deprecated',
  ])('takes a warning for no more than that: %s', (line) => {
    const signal = lineSignal(line)
    expect(signal.weight).toBeGreaterThan(20)
    expect(signal.weight).toBeLessThan(50)
  })

  it('knows the lines that announce what stands below them', () => {
    for (const line of [
      'Failed tests:',
      'Traceback (most recent call last):',
      '--- FAIL: TestA (0.01s)',
      '=== FAILURES ===',
    ]) {
      expect(lineSignal(line).heads).toBe(true)
    }
    expect(lineSignal('error: expected ;').heads).toBe(false)
  })

  it('makes less of the advice that stands below every failure', () => {
    expect(lineSignal('[ERROR] Re-run Maven using the -X switch to enable full debug logging.').weight).toBeLessThan(40)
    expect(lineSignal('npm ERR! A complete log of this run can be found in:').weight).toBeLessThan(40)
  })

  it('looks at both ends of a long line', () => {
    const filler = 'word '.repeat(2_000)
    const signal = lineSignal(`The command "${filler}" exited with 2.`)
    expect(signal.kind).toBe('exit')
    expect(signal.at).toBeGreaterThan(9_000)
    expect(lineSignal(`panic: ${filler}`)).toMatchObject({ kind: 'error', at: 0 })
  })

  it('is done with hostile lines before the test times out', () => {
    const units = ['a', 'error ', ' ', '.:', 'Aa.', '_', '[a] ', '- ', '1 ', '"', '=', 'make']
    for (const unit of units) {
      for (let round = 0; round < 200; round++) {
        expect(lineSignal(unit.repeat(1_000) + round).weight).toBeLessThanOrEqual(100)
      }
    }
  })
})
