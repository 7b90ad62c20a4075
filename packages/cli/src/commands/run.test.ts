import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  BIN,
  HAS_SCRIPT,
  numbered,
  put,
  referenceIn,
  spillway,
  spillwayProcess,
  start,
  temporaryFolder,
} from '../../test/spillway.ts'
import { waitFor } from '../../test/wait-for.ts'
import { quoteForShell } from '../output.ts'

const SCRIPT_FOR_BINARY =
  'process.stdout.write(Buffer.from(Array.from({ length: +process.argv[1] }, (_, i) => i * 7 % 256)))'

describe('small output of run', () => {
  test('is printed byte for byte without anything else', async () => {
    const ended = await spillway(['run', '--', 'printf', String.raw`\303\244\r\nno newline at the end`], {
      cwd: temporaryFolder(),
    })
    expect(ended).toMatchObject({ code: 0, stdout: 'ä\r\nno newline at the end', stderr: '' })
  })

  test('is printed byte for byte even if it is binary', async () => {
    const { stdoutBytes } = await spillway(['run', '--', process.execPath, '-e', SCRIPT_FOR_BINARY, '300'], {
      cwd: temporaryFolder(),
    })
    expect([...stdoutBytes]).toEqual(Array.from({ length: 300 }, (_, index) => (index * 7) % 256))
  })

  test('is empty if the command prints nothing', async () => {
    expect(await spillway(['run', '--', 'true'], { cwd: temporaryFolder() })).toMatchObject({ code: 0, stdout: '' })
  })

  test('is not stored, and the check that the store is writable leaves nothing in it', async () => {
    const cwd = temporaryFolder()
    for (const store of ['file:./.spillway', 'file:./some/folder', 'sqlite:./new/file.db']) {
      await spillway(['run', '--store', store, '--', 'echo', 'hi'], { cwd })
      expect(readdirSync(cwd)).toEqual([])
    }
    await put('text', cwd)
    await spillway(['run', '--', 'echo', 'hi'], { cwd })
    expect(JSON.parse((await spillway(['ls', '--json'], { cwd })).stdout)).toMatchObject({ key: 'stdin' })
  })
})

describe('large output of run', () => {
  test('becomes a preview with commands that show the rest', async () => {
    const cwd = temporaryFolder()
    const ended = await spillway(['run', '--', 'seq', '1', '20000'], { cwd })
    const reference = referenceIn(ended.stdout)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^\[Offloaded: /)
    expect(ended.stdout).toContain(`spillway get ${reference} --pattern `)
    expect(ended.stdout).not.toContain('retrieve_offloaded_content')
    expect(ended.stdout).toContain(`spillway get ${reference} --lines `)
    const lines = await spillway(['get', reference, '--lines', '9000:9001'], { cwd })
    expect(lines.stdout).toContain('9000| 9000\n')
    const all = await spillway(['get', reference], { cwd })
    expect(all.stdout).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''))
  })

  test('has the limits that options set', async () => {
    const cwd = temporaryFolder()
    const args = ['--max-tokens', '400', '--preview-tokens', '100', '--name', 'Counting!', '--', 'seq', '1', '1000']
    const { stdout } = await spillway(['run', ...args], { cwd })
    expect(referenceIn(stdout)).toMatch(/^counting_/)
    expect(stdout.length).toBeLessThan(1_600)
    const raised = await spillway(['run', '--max-tokens', '1000000', '--', 'seq', '1', '20000'], { cwd })
    expect(raised.stdout).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''))
  })

  test('on a single line is shown in part and stored completely', async () => {
    const cwd = temporaryFolder()
    const { stdout } = await spillway(['run', '--', 'sh', '-c', "head -c 3000000 /dev/zero | tr '\\0' x"], { cwd })
    expect(stdout.length).toBeLessThan(10_000)
    expect((await spillway(['get', referenceIn(stdout)], { cwd })).stdout).toBe('x'.repeat(3_000_000))
  })

  test('is stored completely but not shown if it is binary', async () => {
    const cwd = temporaryFolder()
    const args = ['--max-tokens', '500', '--', process.execPath, '-e', SCRIPT_FOR_BINARY, '100000']
    const { stdout } = await spillway(['run', ...args], { cwd })
    expect(stdout).toContain('[document: ')
    expect(stdout).not.toMatch(/--pattern|--lines/)
    const { stdoutBytes } = await spillway(['get', referenceIn(stdout)], { cwd })
    expect(stdoutBytes.equals(Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256)))).toBe(true)
  })

  test('with a NUL is shown as text, and its lines can be found', async () => {
    const cwd = temporaryFolder()
    const script = `for (let n = 1; n < 3000; n++) console.log(n === 101 ? 'ab\\0cd' : (n === 2201 ? 'not ' : '') + 'ok ' + n)`
    const { stdout } = await spillway(['run', '--', process.execPath, '-e', script], { cwd })
    expect(stdout).toContain('not ok 2201')
    const found = await spillway(['get', referenceIn(stdout), '--pattern', '^not ok'], { cwd })
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('> 2201| not ok 2201') })
  })

  test('is named by the command without its arguments, because these may be secret', async () => {
    const cwd = temporaryFolder()
    const { stdout } = await spillway(['run', '--', 'sh', '-c', ': hunter2; seq 1 20000'], { cwd })
    const described = await spillway(['stat', referenceIn(stdout), '--json'], { cwd })
    expect(stdout + described.stdout).not.toContain('hunter2')
  })

  test('has commands that name the given store and scope, quoted for a shell', async () => {
    const cwd = temporaryFolder()
    const options = ['--store', 'file:./my store', '--scope', 'tenant 1/a%2Fb']
    const { stdout } = await spillway(['run', ...options, '--', 'seq', '1', '20000'], { cwd })
    const reference = referenceIn(stdout)
    const hint = `spillway get ${reference} --store 'file:./my store' --scope 'tenant 1/a%2Fb' --lines`
    expect(stdout).toContain(hint)
    expect(await spillway(['get', reference, ...options, '--lines', '5'], { cwd })).toMatchObject({ code: 0 })
    expect(await spillway(['get', reference, '--store', 'file:./my store'], { cwd })).toMatchObject({ code: 1 })
  })

  test('with a store in memory is previewed, and the preview says that the output is not kept', async () => {
    const ended = await spillway(['run', '--store', 'memory:', '--', 'seq', '1', '20000'], { cwd: temporaryFolder() })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('memory only')
    expect(ended.stdout).not.toContain('spillway get')
  })
})

describe('the order of standard output and standard error', () => {
  test('is the order in which the command wrote', async () => {
    const script = 'i=0; while [ $i -lt 400 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done'
    const { stdout } = await spillway(['run', '--max-tokens', '10000', '--', 'sh', '-c', script], {
      cwd: temporaryFolder(),
    })
    expect(stdout).toBe(Array.from({ length: 400 }, (_, index) => `out ${index}\nerr ${index}\n`).join(''))
  })

  test('is kept if the command opens its output by a path', async () => {
    const script = 'echo a > /dev/stdout; echo b > /dev/stderr'
    const ended = await spillway(['run', '--', 'sh', '-c', script], { cwd: temporaryFolder() })
    expect(ended).toMatchObject({ code: 0, stdout: 'a\nb\n', stderr: '' })
  })
})

test('without mkfifo, run keeps each stream in its own order', async () => {
  const script = 'i=0; while [ $i -lt 100 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done'
  const args = ['run', '--', '/bin/sh', '-c', script]
  const { code, stdout } = await spillway(args, { cwd: temporaryFolder(), env: { PATH: '/nowhere' } })
  expect(code).toBe(0)
  for (const name of ['out', 'err']) {
    const lines = stdout.split('\n').filter((line) => line.startsWith(name))
    expect(lines).toEqual(Array.from({ length: 100 }, (_, index) => `${name} ${index}`))
  }
})

describe('the exit code of run', () => {
  test('is kept if the reader of the output stops', async () => {
    const script = '{ "$@"; echo "ended with $?" >&2; } | head -n 1'
    const run = ['run', '--max-tokens', '10000000', '--', 'sh', '-c', 'seq 1 100000; exit 4']
    const { end } = start('sh', ['-c', script, 'sh', process.execPath, BIN, ...run], { cwd: temporaryFolder() })
    expect(await end).toMatchObject({ stdout: '1\n', stderr: 'ended with 4\n' })
  })

  test.each([0, 1, 2, 3, 42, 126, 127, 255])("is the command's own: %i", async (code) => {
    const ended = await spillway(['run', '--', 'sh', '-c', `echo text; exit ${code}`], { cwd: temporaryFolder() })
    expect(ended).toMatchObject({ code, signal: null, stdout: 'text\n', stderr: '' })
  })

  test('is 128 plus the signal number if a signal ended the command', async () => {
    expect(await spillway(['run', '--', 'sh', '-c', 'kill -KILL $$'], { cwd: temporaryFolder() })).toMatchObject({
      code: 137,
    })
  })

  test('is in the preview of large output if the command failed', async () => {
    const ended = await spillway(['run', '--', 'sh', '-c', 'seq 1 20000; exit 5'], { cwd: temporaryFolder() })
    expect(ended.code).toBe(5)
    expect(ended.stdout).toContain('failed')
  })

  test('is 127 if there is no such command, and nothing is stored', async () => {
    const cwd = temporaryFolder()
    const ended = await spillway(['run', '--', 'no-such-command-anywhere'], { cwd })
    expect(ended).toMatchObject({ code: 127, stdout: '' })
    expect(ended.stderr).toMatch(/^spillway: no-such-command-anywhere: command not found\. .*\n$/)
  })

  test.each([
    ['seq 1 5 | head -2', "spillway run --shell 'seq 1 5 | head -2'"],
    ['no-such-builtin', 'spillway run --shell no-such-builtin'],
  ])('is 127 if only a shell could run %j, and the error suggests a command that works', async (command, instead) => {
    const ended = await spillway(['run', '--', command], { cwd: temporaryFolder() })
    expect(ended).toMatchObject({ code: 127, stderr: expect.stringContaining(instead) })
  })

  test('is 126 if the interpreter of a script is missing', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'script'), '#!/no/such/interpreter\n', { mode: 0o700 })
    const ended = await spillway(['run', '--', './script'], { cwd })
    expect(ended).toMatchObject({ code: 126, stderr: expect.stringContaining('interpreter') })
  })

  test('is 126 if the command is not a program', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'notes.txt'), 'text')
    expect(await spillway(['run', '--', './notes.txt'], { cwd })).toMatchObject({ code: 126, stdout: '' })
  })
})

describe('arguments of run', () => {
  test("belong to the command after -- and after the command's name", async () => {
    const cwd = temporaryFolder()
    const expected = { code: 0, stdout: '--json|--store|x y|\n' }
    for (const dashes of [['--'], []]) {
      const command = ['sh', '-c', 'printf "%s|" "$@"; echo', 'sh', '--json', '--store', 'x y']
      expect(await spillway(['run', ...dashes, ...command], { cwd })).toMatchObject(expected)
    }
  })

  test('are refused if there is no command', async () => {
    expect(await spillway(['run'], { cwd: temporaryFolder() })).toMatchObject({ code: 2, stdout: '' })
  })

  test('are refused by name if the preview would not be smaller than the limit', async () => {
    const args = ['run', '--max-tokens', '100', '--preview-tokens', '100', '--', 'echo', 'hi']
    const ended = await spillway(args, { cwd: temporaryFolder() })
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toMatch(/--preview-tokens \(100\) must be less than --max-tokens \(100\)/)
  })

  test('are passed to the command together with standard input', async () => {
    const ended = await spillwayProcess(['run', '--', 'tr', 'a-z', 'A-Z'], { cwd: temporaryFolder(), input: 'shout' })
    expect(ended).toMatchObject({ code: 0, stdout: 'SHOUT' })
  })
})

describe('run --json', () => {
  test('prints small output with the exit code', async () => {
    const ended = await spillway(['run', '--json', '--', 'sh', '-c', 'echo hi; exit 4'], { cwd: temporaryFolder() })
    expect(ended.code).toBe(4)
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 4, signal: null, status: 'inline', content: 'hi\n' })
  })

  test('prints the replacement and the references of large output', async () => {
    const { stdout } = await spillway(['run', '--json', '--', 'seq', '1', '20000'], { cwd: temporaryFolder() })
    const result = JSON.parse(stdout) as { content: string; stored: { reference: string }[] }
    expect(result).toMatchObject({ exitCode: 0, status: 'offloaded', stored: [{ type: 'text', size: 108_894 }] })
    expect(referenceIn(result.content)).toBe(result.stored[0]?.reference)
  })

  test('prints binary output in base64', async () => {
    const { stdout } = await spillway(['run', '--json', '--', 'printf', String.raw`\377\000`], {
      cwd: temporaryFolder(),
    })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'inline', contentBase64: '/wA=' })
  })

  test('prints errors with a code', async () => {
    const { code, stdout } = await spillway(['run', '--json', '--', 'no-such-command'], { cwd: temporaryFolder() })
    expect(code).toBe(127)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'command-not-found' } })
  })
})

describe('a store that run cannot write to', () => {
  test('is noticed before the command runs', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'file'), '')
    const ended = await spillway(['run', '--store', 'file:./file/store', '--', 'touch', 'was-run'], { cwd })
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(
      /^spillway: The store file:\.\/file\/store cannot be written: (?:(?!--store).)*--store or SPILLWAY_STORE\.\n$/,
    )
    expect(existsSync(join(cwd, 'was-run'))).toBe(false)
  })

  // A file size limit makes writing fail halfway, like a full disk.
  const runWithFileLimit = (kilobytes: number, args: readonly string[], cwd: string): ReturnType<typeof spillway> => {
    const limited = `ulimit -f ${kilobytes * 2}; exec "$@"`
    return start('sh', ['-c', limited, 'sh', process.execPath, BIN, 'run', ...args], { cwd }).end
  }

  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

  test("during the command causes no loss of buffered output and leaves no entry, and run exits with the command's code", async () => {
    const cwd = temporaryFolder()
    const ended = await runWithFileLimit(256, ['--', 'sh', '-c', 'seq 1 300000; exit 9'], cwd)
    expect(ended).toMatchObject({ code: 9, stdout: lines(300_000) })
    expect(ended.stderr).toMatch(/^spillway: The output could not be stored: .*none of it is lost\.\n$/)
    expect(await spillway(['ls'], { cwd })).toMatchObject({ stdout: '' })
  })

  // More than the bytes that are retained in memory.
  test('during the command causes no loss of output, even of many megabytes', async () => {
    const cwd = temporaryFolder()
    const ended = await runWithFileLimit(256, ['--', 'seq', '-f', '%015.0f', '1', '750000'], cwd)
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('none of it is lost.') })
    expect(ended.stdout).toMatch(/^0{14}1\n[^]*\n0{9}750000\n$/)
    expect(ended.stdout).toHaveLength(12_000_000)
  })

  test('during the command leaves valid JSON on standard output with --json', async () => {
    const cwd = temporaryFolder()
    const ended = await runWithFileLimit(256, ['--json', '--', 'sh', '-c', 'seq 1 300000; exit 9'], cwd)
    expect(ended.code).toBe(9)
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 9, status: 'failed', error: { code: 'unavailable' } })
    expect(ended.stderr).toContain('\n299999\n300000\n')
  })

  test('at the end still has the output that was committed while the command ran', async () => {
    const cwd = temporaryFolder()
    const ended = await runWithFileLimit(1_100, ['--', 'sh', '-c', 'seq 1 300000; exit 9'], cwd)
    expect(ended).toMatchObject({ code: 9, stderr: '' })
    const { stdout } = await spillway(['get', referenceIn(ended.stdout), '--raw'], { cwd })
    expect(stdout).toBe(lines(300_000))
  })
})

/** Leaves a process running that holds the output open. `setsid` protects the process from the Ctrl-C. */
const LEAVE_RUNNING = 'setsid sleep 300 & echo $! > background; echo $$ > pid'

describe('signals to run', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('end the command at %s, and its earlier output can be retrieved', async (signal, code) => {
    const cwd = temporaryFolder()
    const script = 'seq 1 20000; touch written; exec sleep 300'
    const { child, end } = start(process.execPath, [BIN, 'run', '--', 'sh', '-c', script], { cwd })
    await waitFor(() => existsSync(join(cwd, 'written')) || undefined)
    child.kill(signal)
    const ended = await end
    expect(ended).toMatchObject({ code, signal: null, stderr: '' })
    const { stdout } = await spillway(['get', referenceIn(ended.stdout)], { cwd })
    expect(stdout.endsWith('\n19999\n20000\n')).toBe(true)
    expect(stdout.length).toBe(108_894)
  })

  test('let a command that handles them end by itself', async () => {
    const cwd = temporaryFolder()
    const script = "trap 'echo cleaned up; exit 6' TERM; echo started; touch written; while :; do sleep 0.05; done"
    const { child, end } = start(process.execPath, [BIN, 'run', '--', 'sh', '-c', script], { cwd })
    await waitFor(() => existsSync(join(cwd, 'written')) || undefined)
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ code: 6, stdout: 'started\ncleaned up\n' })
  })

  test.skipIf(!HAS_SCRIPT)(
    'from a terminal reach the command only once, because many commands give up at a second Ctrl-C',
    async () => {
      const cwd = temporaryFolder()
      // A shell with a trap would not do: its `sleep` also gets the Ctrl-C, and shells behave differently after that.
      const program = `
      const waiting = setInterval(() => {}, 1_000)
      process.on('SIGINT', () => {
        console.log('got it')
        clearInterval(waiting)
        // A second signal would arrive within these 300 ms.
        setTimeout(() => console.log('end'), 300)
      })
      require('node:fs').writeFileSync('ready', '')`
      writeFileSync(join(cwd, 'trap.cjs'), program)
      const { child, output, ended } = onTerminal([process.execPath, 'trap.cjs'], cwd)
      await waitFor(() => existsSync(join(cwd, 'ready')) || undefined)
      child.stdin.write('\u0003')
      expect(await ended).toBe(0)
      expect(output.join('')).toMatch(/[^t]got it\r\nend\r\n$/)
      expect(output.join('').split('got it')).toHaveLength(2)
    },
  )

  test.skipIf(!HAS_SCRIPT).each([
    ['has ended', `${LEAVE_RUNNING}; echo done`, 0],
    ['ends by the same Ctrl-C', `${LEAVE_RUNNING}; exec sleep 300`, 130],
    ['handles Ctrl-C and ends', `trap 'echo done; exit 7' INT; ${LEAVE_RUNNING}; while :; do sleep 0.05; done`, 7],
  ])('from a terminal end the wait at the first Ctrl-C if the command %s', async (_, script, code) => {
    const cwd = temporaryFolder()
    const { child, output, ended } = onTerminal(['sh', '-c', script], cwd)
    const pid = await waitFor(() => pidIn(cwd, 'pid'))
    if (code === 0) await waitFor(() => (isRunning(pid) ? undefined : true))
    child.stdin.write('\u0003')
    expect(await ended).toBe(code)
    if (code !== 130) expect(output.join('')).toMatch(/done\r\n/)
    process.kill(await waitFor(() => pidIn(cwd, 'background')))
  })

  test('end the wait for processes that the command has left running', async () => {
    const cwd = temporaryFolder()
    const script = 'sleep 300 & echo $! > background; echo done; echo $$ > pid'
    const { child, end } = start(process.execPath, [BIN, 'run', '--', 'sh', '-c', script], { cwd })
    const pid = await waitFor(() => pidIn(cwd, 'pid'))
    await waitFor(() => (isRunning(pid) ? undefined : true))
    child.kill('SIGINT')
    expect(await end).toMatchObject({ code: 0, stdout: 'done\n' })
    process.kill(await waitFor(() => pidIn(cwd, 'background')))
  })
})

describe('the output of a running command', () => {
  // The command also ends if spillway ends.
  const WAIT = 'while [ ! -e go ] && kill -0 $PPID; do sleep 0.05; done'

  test('is listed, and can be read and followed to its end', async () => {
    const cwd = temporaryFolder()
    const script = `seq 1 20000; ${WAIT}; echo end; exit 3`
    const run = start(process.execPath, [BIN, 'run', '--name', 'count', '--', 'sh', '-c', script], { cwd })
    await waitForSize(108_894, cwd)
    expect(await statOf('count', cwd)).toMatchObject({ key: 'count', state: 'open' })
    const lines = await spillway(['get', 'count', '--lines', '20000'], { cwd })
    expect(lines.stdout).toContain('[Still running: 20,000 lines so far.')
    const following = start(process.execPath, [BIN, 'get', 'last', '--follow'], { cwd })
    writeFileSync(join(cwd, 'go'), '')
    expect(await following.end).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\n[^]*\n20000\nend\n$/) })
    expect(await run.end).toMatchObject({ code: 3 })
    expect(await statOf('last', cwd)).toMatchObject({ state: 'complete', metadata: { exitCode: '3' } })
  })

  test('is kept if spillway is killed', async () => {
    const cwd = temporaryFolder()
    const { child, end } = start(process.execPath, [BIN, 'run', '--', 'sh', '-c', `seq 1 20000; ${WAIT}`], { cwd })
    await waitForSize(108_894, cwd)
    child.kill('SIGKILL')
    await end
    expect(await statOf('last', cwd)).toMatchObject({ state: 'open', size: 108_894 })
  })

  test('is kept as aborted if the command is killed', async () => {
    const cwd = temporaryFolder()
    await spillway(['run', '--', 'sh', '-c', 'seq 1 20000; kill -KILL $$'], { cwd })
    expect(await statOf('last', cwd)).toMatchObject({ state: 'aborted', metadata: { exitCode: '137' } })
  })

  test('is removed if it is small when a short command ends', async () => {
    const cwd = temporaryFolder()
    const ended = await spillway(['run', '--', 'sh', '-c', 'echo hi; sleep 1'], { cwd })
    expect(ended).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' })
    expect(await spillway(['ls'], { cwd })).toMatchObject({ code: 0, stdout: '' })
  })

  test('loses its middle part beyond --max-bytes, and the answer says so', async () => {
    const cwd = temporaryFolder()
    const ended = await spillway(['run', '--max-bytes', '256KB', '--', 'seq', '1', '500000'], { cwd })
    expect(ended.stderr).toMatch(/--max-bytes was reached: \d\.\d MB in the middle \(lines [\d,]+ to [\d,]+\)/)
    const { stdout } = await spillway(['get', 'last', '--raw'], { cwd })
    expect(stdout).toMatch(/^1\n2\n[^]*\n499999\n500000\n$/)
    expect(await statOf('last', cwd)).toMatchObject({ state: 'cut' })
  })

  const waitForSize = (size: number, cwd: string): Promise<true> =>
    waitFor(async () => (await statOf('last', cwd)).size === size || undefined)

  async function statOf(reference: string, cwd: string): Promise<{ readonly size?: number }> {
    return JSON.parse((await spillway(['stat', reference, '--json'], { cwd })).stdout) as { readonly size?: number }
  }
})

test('run shows the output on standard error with --tee', async () => {
  const ended = await spillway(['run', '--tee', '--', 'seq', '1', '20000'], { cwd: temporaryFolder() })
  expect(ended.stderr).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''))
  expect(ended.stdout).toMatch(/^\[Offloaded: /)
})

test('run shows the output once on a terminal, and names the command that searches the output', async () => {
  const cwd = temporaryFolder()
  const small = await spillway(['run', '--', 'echo', 'hi'], { cwd, terminal: true })
  expect(small.stdout).toBe('hi\n')
  const { stdout } = await spillway(['run', '--', 'seq', '1', '20000'], { cwd, terminal: true })
  expect(stdout).toMatch(/\n20000\n[^]*109 kB are stored\. To search them: spillway get seq_\w+ --pattern REGEX\n$/)
  expect(stdout).not.toContain('[Offloaded: ')
})

test('run passes a line to the shell with --shell, and does not store the values of variables', async () => {
  const cwd = temporaryFolder()
  const ended = await spillway(['run', '--shell', 'A=secret seq 1 20000 | tail -n 12000; exit 3'], { cwd })
  expect(ended.code).toBe(3)
  expect(referenceIn(ended.stdout)).toMatch(/^seq_/)
})

test('run ends a command after --timeout, with its child processes', async () => {
  const cwd = temporaryFolder()
  const background = '{ trap "touch ended; exit" TERM; while :; do sleep 0.05; done; } &'
  const script = `${background} echo begun; sleep 300`
  const ended = await spillway(['run', '--timeout', '0.5s', '--', 'sh', '-c', script], { cwd })
  expect(ended).toMatchObject({
    code: 124,
    stdout: expect.stringMatching(/^begun\n/),
    stderr: expect.stringContaining('(--timeout)'),
  })
  await waitFor(() => existsSync(join(cwd, 'ended')) || undefined)
})

test.skipIf(process.platform !== 'linux')(
  'run names the process that holds the output open, and lets it continue',
  async () => {
    const cwd = temporaryFolder()
    const script = '{ while [ ! -e go ]; do sleep 0.05; done; echo more; echo alive > alive; } & echo done'
    const ended = await spillway(['run', '--', 'sh', '-c', script], { cwd })
    expect(ended).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(ended.stderr).toMatch(/its output is still held by (?:sh|sleep) \(process \d+\)/)
    writeFileSync(join(cwd, 'go'), '')
    await waitFor(() => existsSync(join(cwd, 'alive')) || undefined)
  },
)

test('run with SPILLWAY_OFF=1 runs the command unchanged, and stores nothing', async () => {
  const cwd = temporaryFolder()
  const env = { SPILLWAY_OFF: '1' }
  const ended = await spillwayProcess(['run', '--', 'sh', '-c', 'seq 1 20000; exit 4'], { cwd, env })
  expect(ended).toMatchObject({ code: 4, stdout: expect.stringMatching(/^1\n[^]*\n20000\n$/) })
  expect(readdirSync(cwd)).toEqual([])
})

test('run leaves no temporary files behind', async () => {
  const cwd = temporaryFolder()
  const env = { TMPDIR: cwd }
  await spillway(['run', '--store', 'memory:', '--', 'seq', '1', '20000'], { cwd, env })
  expect(readdirSync(cwd)).toEqual([])
})

test('run passes on the complete output of a slow command', async () => {
  const script =
    'for (let i = 1; i <= 20; i++) setTimeout(() => process.stdout.write(`line ${i} of the text\\n`), i * 5)'
  const ended = await spillway(['run', '--', process.execPath, '-e', script], { cwd: temporaryFolder() })
  expect(ended.stdout).toBe(numbered(20))
})

/** Start `spillway run` on a separate terminal. `ended` resolves to the exit code. */
function onTerminal(
  command: readonly string[],
  cwd: string,
): { readonly child: ChildProcessWithoutNullStreams; readonly output: string[]; readonly ended: Promise<unknown> } {
  // With exec, there is no shell in between, which would also get the Ctrl-C and exit with 130.
  const words = [process.execPath, BIN, 'run', '--', ...command].map(quoteForShell)
  const child = spawn('script', ['-qec', `exec ${words.join(' ')}`, '/dev/null'], { cwd })
  const output: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
  return { child, output, ended: new Promise((resolve) => child.once('close', resolve)) }
}

/** Return the number that a script has written to a file; `undefined` if it has not written one yet. */
const pidIn = (cwd: string, name: string): number | undefined =>
  existsSync(join(cwd, name)) ? Number(readFileSync(join(cwd, name), 'utf8')) || undefined : undefined

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
