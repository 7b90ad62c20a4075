import { spawnSync } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quoteForShell } from '../src/output.ts'
import { BIN, jsonLines, spillway, temporaryFolder } from './spillway.ts'
import { waitFor } from './wait-for.ts'

const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0

interface Terminal {
  readonly cwd: string
  /** Type a line and press Enter. */
  line(text: string): void
  tmux(...args: readonly string[]): string
  /** Wait until the screen, including its colors, matches. */
  expectSeen(expected: RegExp): Promise<string>
}

/** Open a real terminal in which the shell finds `spillway`. */
async function openTerminal(): Promise<Terminal> {
  const cwd = temporaryFolder()
  const socket = `spillway-${crypto.randomUUID()}`
  const tmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { cwd, encoding: 'utf8' }).stdout
  onTestFinished(() => void tmux('kill-server'))
  tmux('new-session', '-d', '-x', '80', '-y', '24', "env PS1='% ' NO_COLOR= LESS=FRX sh")
  const line = (text: string): void => {
    tmux('send-keys', '-l', text)
    tmux('send-keys', 'Enter')
  }
  line(`spillway() { ${[process.execPath, BIN].map(quoteForShell).join(' ')} "$@"; }; clear; echo ready`)
  const expectSeen = (expected: RegExp): Promise<string> =>
    waitFor(() => {
      const screen = tmux('capture-pane', '-p', '-e')
      return expected.test(screen) ? screen : undefined
    })
  // If a line is typed before the screen is cleared, its output begins on the line of the prompt.
  await expectSeen(/^ready\n/)
  return { cwd, line, tmux, expectSeen }
}

describe.skipIf(!HAS_TMUX)('in a real terminal', () => {
  it('a prompt of the command is visible, and its answer is read', async () => {
    const { line, expectSeen } = await openTerminal()
    line(`spillway run -- sh -c 'printf "name? "; read name; echo "hello $name"'`)
    await expectSeen(/^name\?\s*$/m)
    line('Bob')
    expect(await expectSeen(/^hello Bob$/m)).not.toContain('Offloaded')
  })

  it('a prompt that run does not show is reported after two seconds', async () => {
    const { line, expectSeen } = await openTerminal()
    line(`spillway run --no-tee -- sh -c 'printf "name? "; read name; echo "hello $name"'`)
    const screen = await expectSeen(/it may wait for input: name\?/)
    expect(screen).toMatch(/sh: (?:[2-9]|\d{2,}) s, it may wait/)
    line('Bob')
    await expectSeen(/hello Bob/)
  })

  it('the first Ctrl-C ends the command, and its output is kept', async () => {
    const { cwd, line, tmux, expectSeen } = await openTerminal()
    line(`spillway run -- sh -c 'seq 1 20000; sleep 300'; echo "code $?"`)
    await expectSeen(/^20000$/m)
    tmux('send-keys', 'C-c')
    await expectSeen(/109 kB are stored[^]*code 130/)
    expect(await states(cwd)).toEqual(['aborted'])
  })

  it('the second Ctrl-C kills a command that ignores the first', async () => {
    const { line, tmux, expectSeen } = await openTerminal()
    line(`spillway run -- sh -c 'trap "" INT; echo begun; while :; do sleep 0.1; done'; echo "code $?"`)
    await expectSeen(/^begun$/m)
    tmux('send-keys', 'C-c')
    await expectSeen(/\^C/)
    tmux('send-keys', 'C-c')
    // Two signals are one for a process that was too busy to handle the first, so the key is pressed again.
    const pressed = setInterval(() => tmux('send-keys', 'C-c'), 1_000)
    onTestFinished(() => clearInterval(pressed))
    await expectSeen(/code 137/)
  })

  it('closing the terminal keeps the output of the command so far', async () => {
    const { cwd, line, tmux, expectSeen } = await openTerminal()
    line(`spillway run -- sh -c 'seq 1 20000; sleep 300'`)
    await expectSeen(/^20000$/m)
    tmux('kill-session')
    await waitFor(async () => (await states(cwd))[0] === 'aborted' || undefined)
    const { stdout } = await spillway(['get', 'last', '--raw'], { cwd })
    expect(stdout).toHaveLength(108_894)
  })

  it('lists have colors, and a long answer opens a pager', async () => {
    const { line, tmux, expectSeen } = await openTerminal()
    line('seq 1 200 | spillway put -q; spillway ls')
    await expectSeen(/\u001B\[2mREFERENCE/)
    line('clear; spillway get last --lines 1:')
    await expectSeen(/^ +\d+\| \d+$[^]*\n[^\n]*:/m)
    tmux('send-keys', 'q')
    line('echo "code $?"')
    await expectSeen(/code 0/)
  })
})

async function states(cwd: string): Promise<unknown[]> {
  const { stdout } = await spillway(['ls', '--json'], { cwd })
  return stdout === '' ? [] : jsonLines(stdout).map((entry) => (entry as { readonly state: unknown }).state)
}
