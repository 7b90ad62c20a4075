import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { newTold, type Told } from '../../test/fake-connection.ts'
import { ChildConnection, type ServerCommand } from './child-connection.ts'

/** A program in a few words, which speaks JSON in lines. */
const program = (code: string, more: Partial<ServerCommand> = {}): ServerCommand => ({
  command: process.execPath,
  args: ['--input-type=module', '--eval', code],
  ...more,
})
const SAY = 'const say = (params) => console.log(JSON.stringify({ jsonrpc: "2.0", method: "x", params }))\n'
const STAY = 'setInterval(() => {}, 1000)\n'

async function start(server: ServerCommand): Promise<{ readonly connection: ChildConnection; readonly told: Told }> {
  const connection = new ChildConnection(server)
  const told = newTold()
  await connection.start(told)
  return { connection, told }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5)
}

describe('ChildConnection', () => {
  it('speaks with a program that has its arguments, its environment beside ours, and its folder', async () => {
    const code = `${SAY}say({ args: process.argv.slice(1), key: process.env.A_KEY, path: process.env.PATH, cwd: process.cwd() })
      process.stdin.once('data', (data) => { say({ heard: JSON.parse(data).method }); process.exit() })`
    const server = program(code, { env: { A_KEY: 'secret' }, cwd: '/' })
    const { connection, told } = await start({ ...server, args: [...(server.args ?? []), 'one', 'two words'] })
    await connection.send({ jsonrpc: '2.0', id: 1, method: 'hello' })
    await until(() => told.closes.length > 0)
    expect(told.messages.map(({ params }) => params)).toEqual([
      { args: ['one', 'two words'], key: 'secret', path: process.env['PATH'], cwd: '/' },
      { heard: 'hello' },
    ])
    expect([told.closes, told.errors]).toEqual([['exit code 0'], []])
  })

  it.each([
    ['no-such-command', {}, 'There is no such command, or the folder to start it in is missing.'],
    [
      process.execPath,
      { cwd: '/no/such/folder' },
      'There is no such command, or the folder to start it in is missing.',
    ],
    ['/', {}, 'The command may not be executed.'],
  ])('rejects where %s cannot be started, and says why', async (command, more, message) => {
    const connection = new ChildConnection({ command, env: { A_KEY: 'secret' }, ...more })
    const told = newTold()
    await expect(connection.start(told)).rejects.toThrow(message)
    await connection.close()
    expect([told.messages, told.closes, told.errors]).toEqual([[], [], []])
  })

  it('says how a program ended, after all that it had said', async () => {
    for (const [end, reason] of [
      ['process.exit(3)', 'exit code 3'],
      ['process.kill(process.pid, "SIGKILL")', 'signal SIGKILL'],
    ] as const) {
      const { connection, told } = await start(
        program(`${SAY}process.stdout.write('', () => { say({}); process.stdout.write('', () => { ${end} }) })`),
      )
      await until(() => told.closes.length > 0)
      expect([told.messages.length, told.closes]).toEqual([1, [reason]])
      await expect(connection.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('The server is not running.')
      await connection.close()
    }
  })

  it('ends a program by ending its input, and waits until it has', async () => {
    const { connection, told } = await start(
      program(`${SAY}process.stdin.on('data', () => {}).on('end', () => { say({}); process.exitCode = 7 })`),
    )
    await sleep(100)
    await connection.close()
    await connection.close()
    expect([told.messages.length, told.closes]).toEqual([1, ['exit code 7']])
  })

  it('asks a program to end that goes on without input, and then makes it', { timeout: 30_000 }, async () => {
    const stubborn = await start(program(`${SAY}process.on('SIGTERM', () => {})\n${STAY}say({})`))
    const patient = await start(program(`${SAY}${STAY}say({})`))
    await until(() => stubborn.told.messages.length + patient.told.messages.length === 2)
    await Promise.all([stubborn.connection.close(), patient.connection.close()])
    expect(stubborn.told.closes).toEqual(['signal SIGKILL'])
    expect(patient.told.closes).toEqual(['signal SIGTERM'])
  })

  it('takes what a program that no longer reads is sent, until it has ended', async () => {
    const { connection, told } = await start(
      program(`${SAY}process.stdin.destroy()\nsay({})\nsetTimeout(() => process.exit(4), 200)`),
    )
    await until(() => told.messages.length > 0)
    const text = 'x'.repeat(200_000)
    const sends = Array.from({ length: 5 }, () => connection.send({ jsonrpc: '2.0', method: 'x', params: { text } }))
    await Promise.allSettled(sends)
    await until(() => told.closes.length > 0)
    expect(told.closes).toEqual(['exit code 4'])
  })
})
