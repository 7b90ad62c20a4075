import { afterEach, describe, expect, it, vi } from 'vitest'
import { newTold, type Told } from '../../test/fake-connection.ts'
import { ChildConnection, type ServerCommand } from './child-connection.ts'

/** A small program that reads and writes JSON lines. */
const program = (code: string, more: Partial<ServerCommand> = {}): ServerCommand => ({
  command: process.execPath,
  args: ['--input-type=module', '--eval', code],
  ...more,
})
const SAY = 'const say = (params) => console.log(JSON.stringify({ jsonrpc: "2.0", method: "x", params }))\n'
const STAY = 'setInterval(() => {}, 1000)\n'

async function start(
  server: ServerCommand,
  maxMessageBytes?: number,
): Promise<{ readonly connection: ChildConnection; readonly told: Told }> {
  const connection = new ChildConnection(server, maxMessageBytes)
  const told = newTold()
  await connection.start(told)
  return { connection, told }
}

afterEach(() => void vi.useRealTimers())

describe('ChildConnection', () => {
  it('gives a program its arguments, its extra environment variables, and its working directory', async () => {
    const code = `${SAY}say({ args: process.argv.slice(1), key: process.env.A_KEY, path: process.env.PATH, cwd: process.cwd() })
      process.stdin.once('data', (data) => { say({ heard: JSON.parse(data).method }); process.exit() })`
    const server = program(code, { env: { A_KEY: 'secret' }, cwd: '/' })
    const { connection, told } = await start({ ...server, args: [...(server.args ?? []), 'one', 'two words'] })
    await connection.send({ jsonrpc: '2.0', id: 1, method: 'hello' })
    await told.closed
    expect(told.messages.map(({ params }) => params)).toEqual([
      { args: ['one', 'two words'], key: 'secret', path: process.env['PATH'], cwd: '/' },
      { heard: 'hello' },
    ])
    expect([told.closes, told.errors]).toEqual([['exit code 0'], []])
  })

  it.each([
    ['no-such-command', {}, 'The command no-such-command was not found.'],
    ['npx some-server --key=secret', {}, 'The command npx was not found. Write its arguments as separate words.'],
    [process.execPath, { cwd: '/no/such/folder' }, ' was not found, or /no/such/folder is missing.'],
    ['/', {}, 'The command / may not be executed.'],
  ])('rejects with the reason if %s cannot be started', async (command, more, message) => {
    const connection = new ChildConnection({ command, env: { A_KEY: 'secret' }, ...more })
    const told = newTold()
    await expect(connection.start(told)).rejects.toThrow(message)
    await connection.close()
    expect([told.messages, told.closes, told.errors]).toEqual([[], [], []])
  })

  it('answers a message that a program has not read, when the program ends', async () => {
    const code = `${SAY}process.stdin.destroy(); say(); setTimeout(() => process.exit(3), 500)`
    const { connection, told } = await start(program(code))
    await told.received(1)
    for (; told.closes.length === 0; await new Promise(setImmediate))
      await connection.send({ jsonrpc: '2.0', id: 1, method: 'x' })
    expect([told.closes, told.errors]).toEqual([['exit code 3'], []])
  })

  it('reports a message over the limit instead of passing it on', async () => {
    const { told } = await start(program(`${SAY}say({ text: 'x'.repeat(1_000) })`), 100)
    await told.closed
    expect(told.messages).toEqual([])
    expect(told.errors).toEqual([expect.objectContaining({ message: expect.stringContaining('larger than the 100') })])
  })

  it('reports how a program exited, after all of its messages', async () => {
    for (const [end, reason] of [
      ['process.exit(3)', 'exit code 3'],
      ['process.kill(process.pid, "SIGKILL")', 'signal SIGKILL'],
    ] as const) {
      const { connection, told } = await start(
        program(`${SAY}process.stdout.write('', () => { say({}); process.stdout.write('', () => { ${end} }) })`),
      )
      await told.closed
      expect([told.messages.length, told.closes]).toEqual([1, [reason]])
      await expect(connection.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('The server is not running.')
      await connection.close()
    }
  })

  it('stops a program by ending its input, and waits until it has exited', async () => {
    const { connection, told } = await start(
      program(`${SAY}process.stdin.on('data', () => {}).on('end', () => { say({}); process.exitCode = 7 })\nsay({})`),
    )
    await told.received(1)
    await connection.close()
    await connection.close()
    expect([told.messages.length, told.closes]).toEqual([2, ['exit code 7']])
  })

  it('terminates a program 2 seconds after its input ended, and kills it after 2 more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stubborn = await start(program(`${SAY}process.on('SIGTERM', () => say({}))\n${STAY}say({})`))
    const patient = await start(program(`${SAY}${STAY}say({})`))
    await Promise.all([stubborn.told.received(1), patient.told.received(1)])
    const closed = Promise.all([stubborn.connection.close(), patient.connection.close()])
    await vi.advanceTimersByTimeAsync(2_000)
    await Promise.all([stubborn.told.received(2), patient.told.closed])
    await vi.advanceTimersByTimeAsync(2_000)
    await closed
    expect(stubborn.told.closes).toEqual(['signal SIGKILL'])
    expect(patient.told.closes).toEqual(['signal SIGTERM'])
  })

  it('accepts messages for a program that no longer reads, until it has exited', async () => {
    const { connection, told } = await start(
      program(
        `${SAY}process.stdin.destroy()\nprocess.on('SIGUSR2', () => process.exit(4))\n${STAY}say({ pid: process.pid })`,
      ),
    )
    await told.received(1)
    const text = 'x'.repeat(200_000)
    const sends = Array.from({ length: 5 }, () => connection.send({ jsonrpc: '2.0', method: 'x', params: { text } }))
    process.kill(told.messages[0]?.params?.['pid'] as number, 'SIGUSR2')
    await Promise.allSettled(sends)
    await told.closed
    expect(told.closes).toEqual(['exit code 4'])
  })
})
